-- Writes the results of every elementwise function of floats for many arguments: lines `op dtype x y result`, the input of
-- bench/accuracy.py. Arguments are drawn from ranges, and as random bits with any sign and exponent. Usage: build/release/bin/th
-- bench/accuracy.lua [arguments a range] | python3 bench/accuracy.py > docs/accuracy.md
local ffi = require 'ffi'
local torch = require 'torch'

local n = tonumber(arg[1]) or 2000
torch.manualSeed(1)

local function uniform(a, b) return torch.DoubleTensor(n):uniform(a, b) end
-- Magnitudes of 10^a .. 10^b, and the same with either sign.
local function magnitudes(a, b) return torch.exp(uniform(a * math.log(10), b * math.log(10))) end
local function either(a, b) return torch.cmul(magnitudes(a, b), torch.DoubleTensor(n):bernoulli():mul(2):add(-1)) end

-- Ranges of arguments by op. An op with two arguments has two columns.
local ranges = {
  exp = { { uniform(-80, 80) }, { uniform(-1, 1) } }, expm1 = { { uniform(-30, 80) }, { either(-20, 0) } },
  exp2 = { { uniform(-100, 100) } },
  log = { { magnitudes(-30, 30) }, { uniform(0.5, 2) } }, log1p = { { either(-20, -0.01) }, { magnitudes(0, 20) } },
  log2 = { { magnitudes(-30, 30) }, { uniform(0.5, 2) } }, log10 = { { magnitudes(-30, 30) }, { uniform(0.5, 2) } },
  sqrt = { { magnitudes(-30, 30) } }, rsqrt = { { magnitudes(-30, 30) } }, cinv = { { either(-30, 30) } },
  sin = { { uniform(-10, 10) }, { uniform(-1e5, 1e5) }, { either(-10, 0) } }, cos = { { uniform(-10, 10) }, { uniform(-1e5, 1e5) } },
  tan = { { uniform(-10, 10) }, { uniform(-1e5, 1e5) } }, asin = { { uniform(-1, 1) }, { either(-10, 0) } }, acos = { { uniform(-1, 1) } },
  atan = { { uniform(-10, 10) }, { either(-10, 10) } }, atan2 = { { uniform(-5, 5), uniform(-5, 5) }, { either(-9, 9), either(-9, 9) } },
  sinh = { { uniform(-80, 80) }, { either(-10, 0) } }, cosh = { { uniform(-80, 80) }, { uniform(-1, 1) } },
  asinh = { { uniform(-10, 10) }, { either(-10, 30) } }, acosh = { { uniform(1, 3) }, { magnitudes(0, 30) } },
  atanh = { { uniform(-1, 1) }, { either(-10, -0.001) } },
  tanh = { { uniform(-5, 5) }, { either(-10, 0) } }, sigmoid = { { uniform(-80, 80) }, { uniform(-3, 3) } },
  softplus = { { uniform(-80, 80) }, { uniform(-3, 3) } }, logaddexp = { { uniform(-50, 50), uniform(-50, 50) } },
  pow = { { magnitudes(-3, 3), uniform(-10, 10) }, { uniform(0.5, 2), uniform(-50, 50) } },
  hypot = { { either(-10, 10), either(-10, 10) }, { uniform(-5, 5), uniform(-5, 5) } },
  erf = { { uniform(-3, 3) }, { either(-10, 0) } }, erfc = { { uniform(-3, 9) } }, erfinv = { { uniform(-1, 1) }, { either(-15, 0) } },
  lgamma = { { magnitudes(-5, 8) }, { uniform(0, 4) } }, digamma = { { magnitudes(-5, 8) }, { uniform(0, 4) }, { uniform(-10, 0) } },
  trigamma = { { magnitudes(-5, 8) }, { uniform(0, 4) }, { uniform(-10, 0) }, { either(-30, 0) } },
  gelu = { { uniform(-40, 40) }, { uniform(-14, 4) }, { either(-10, 1) } }, silu = { { uniform(-750, 40) }, { uniform(-92, 4) } },
}

-- Elements with random bits; NaN becomes 1.
local function patterns(dtype)
  local x = torch[dtype == 'float' and 'FloatTensor' or 'DoubleTensor'](n):zero()
  local p = x:data()
  local words = ffi.cast('uint32_t *', p)
  for i = 0, n * (dtype == 'float' and 1 or 2) - 1 do words[i] = torch.random(0, 2 ^ 32 - 1) end
  return x:maskedFill(x:ne(x), 1)
end

local function write(name, dtype, x, y)
  local result = y and torch[name](x, y) or torch[name](x)
  for i = 1, n do io.write(('%s %s %.17g %.17g %.17g\n'):format(name, dtype, x[i], y and y[i] or 0, result[i])) end
end

local names = {}
for name in pairs(ranges) do names[#names + 1] = name end
table.sort(names)
for _, name in ipairs(names) do
  for _, dtype in ipairs { 'float', 'double' } do
    for _, columns in ipairs(ranges[name]) do
      write(name, dtype, columns[1][dtype](columns[1]), columns[2] and columns[2][dtype](columns[2]))
    end
    write(name, dtype, patterns(dtype), ranges[name][1][2] and patterns(dtype))
  end
end
