-- Elementary functions on numbers, by the C library or by formulas that the kernels don't use.
local lift = require('torch.sweep.elementwise').lift

local reference = {}

local function float(f) return lift(f, { float = true }) end

-- Kahan's: the rounding of 1 + x cancels in the quotient.
local function log1p(x)
  local u = 1 + x
  if u == 1 then return x end
  if u == math.huge then return u end
  return math.log(u) * (x / (u - 1))
end

local function expm1(x)
  local u = math.exp(x)
  if u == 1 then return x end
  if u == math.huge or u - 1 == -1 then return u - 1 end
  return (u - 1) * (x / math.log(u))
end

-- Abramowitz & Stegun 7.1.6 (every term positive) up to 3; beyond, the continued fraction 7.1.14 of 1 - erf.
local function erf(x)
  local a = math.abs(x)
  if a ~= a then return a end
  local y
  if a < 3 then
    local term, sum, n = a, a, 0
    while term > 1e-18 * sum do
      n = n + 1
      term = term * 2 * a * a / (2 * n + 1)
      sum = sum + term
    end
    y = 2 / math.sqrt(math.pi) * math.exp(-a * a) * sum
  elseif a > 6 then
    y = 1
  else
    local fraction = a
    for n = 60, 1, -1 do fraction = a + n / 2 / fraction end
    y = 1 - math.exp(-a * a) / math.sqrt(math.pi) / fraction
  end
  return x < 0 and -y or y
end

reference.exp, reference.expm1 = float(math.exp), float(expm1)
reference.log, reference.log1p = float(math.log), float(log1p)
reference.sqrt = float(math.sqrt)
reference.rsqrt = float(function(x) return 1 / math.sqrt(x) end)
reference.cinv = float(function(x) return 1 / x end)
reference.sin, reference.cos, reference.tan = float(math.sin), float(math.cos), float(math.tan)
reference.asin, reference.acos, reference.atan = float(math.asin), float(math.acos), float(math.atan)
reference.sinh, reference.cosh, reference.tanh = float(math.sinh), float(math.cosh), float(math.tanh)
reference.erf = float(erf)
reference.sigmoid = float(function(x)
  if x >= 0 then return 1 / (1 + math.exp(-x)) end
  local e = math.exp(x)
  return e / (1 + e)
end)
reference.tanh_grad = float(function(g, y) return g * (1 - y) * (1 + y) end)
reference.sigmoid_grad = float(function(g, y) return g * (y - y * y) end)
reference.softplus = float(function(x) return x > 0 and x + log1p(math.exp(-x)) or log1p(math.exp(x)) end)
reference.atan2 = float(math.atan2)
reference.logaddexp = float(function(a, b)
  if a == b then return a + math.log(2) end
  return math.max(a, b) + log1p(math.exp(-math.abs(a - b)))
end)

reference.angle = lift(function(x) return x < 0 and math.pi or x ~= x and x or 0 end)

return reference
