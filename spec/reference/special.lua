-- Special functions on numbers, by formulas that the kernels don't use.
local lift = require('torch.sweep.elementwise').lift

local reference = {}

-- Sums of larger terms: errors are relative to the terms.
local function float(f) return lift(f, { float = true, terms = true }) end
local function exact(f) return lift(f, { float = true }) end

-- Abramowitz & Stegun 7.1.5, a series, for small numbers.
local function erf(x)
  local term, sum = x, x
  for n = 1, 60 do
    term = -term * x * x / n
    sum = sum + term / (2 * n + 1)
  end
  return 2 / math.sqrt(math.pi) * sum
end

-- 7.1.14, a continued fraction, from 1 on.
local function erfc(x)
  if x < 0 then return 2 - erfc(-x) end
  if x == math.huge then return 0 end
  if x < 1 then return 1 - erf(x) end
  local fraction = x
  for n = 400, 1, -1 do fraction = x + n / 2 / fraction end
  return math.exp(-x * x) / math.sqrt(math.pi) / fraction
end
reference.erfc = float(erfc)

-- By halving.
local function erfinv(x)
  if x ~= x or math.abs(x) > 1 then return 0 / 0 end
  if math.abs(x) == 1 then return x * math.huge end
  local low, high, target = 0, 6, math.abs(x)
  for _ = 1, 80 do
    local middle = (low + high) / 2
    local below
    if target < 0.5 then below = middle < 1 and erf(middle) < target else below = erfc(middle) > 1 - target end
    if below then low = middle else high = middle end
  end
  return x < 0 and -low or low
end
reference.erfinv = float(erfinv)

reference.exp2 = exact(function(x) return 2 ^ x end)
reference.log2 = exact(function(x) return math.log(x) / math.log(2) end)
reference.log10 = exact(math.log10)
-- In terms of the logarithm, whose argument's rounding counts where it is near 1.
reference.asinh = float(function(x)
  local y = math.log(math.abs(x) + math.sqrt(x * x + 1))
  return x < 0 and -y or y
end)
reference.acosh = float(function(x) return math.log(x + math.sqrt(x * x - 1)) end)
reference.atanh = float(function(x) return 0.5 * math.log((1 + x) / (1 - x)) end)
reference.hypot = exact(function(x, y) return math.sqrt(x * x + y * y) end)

reference.lgamma = float(function(x)
  if x == math.huge or (x <= 0 and x == math.floor(x)) then return math.huge end
  local product = 1
  while x < 10 do
    product, x = product * x, x + 1
  end
  -- Stirling's series, 6.1.41.
  local series = 1 / (12 * x) - 1 / (360 * x ^ 3) + 1 / (1260 * x ^ 5) - 1 / (1680 * x ^ 7) + 1 / (1188 * x ^ 9)
  return (x - 0.5) * math.log(x) - x + 0.5 * math.log(2 * math.pi) + series - math.log(math.abs(product))
end)

-- Derivative number n of digamma: far from 0 few terms of the asymptotic series are enough, and the way there is the recurrence. Kahan's
-- sum keeps what its thousand terms would lose.
local far = 1000
local function polygamma(x, n)
  local factorial = 1
  for i = 2, n do factorial = factorial * i end
  local sum, lost, sign = 0, 0, n % 2 == 0 and -1 or 1
  if x <= 0 and x == math.floor(x) then
    if n == 0 then return x == 0 and -math.huge or 0 / 0 end
    return sign * math.huge
  end
  while x < far do
    local term = factorial / x ^ (n + 1) - lost
    local after = sum + term
    lost, sum, x = (after - sum) - term, after, x + 1
  end
  if n == 0 then return -sum + math.log(x) - 1 / (2 * x) - 1 / (12 * x * x) end
  local tail = 1 / (n * x ^ n) + 1 / (2 * x ^ (n + 1)) + (n + 1) / (12 * x ^ (n + 2))
  return sign * (sum + factorial * tail)
end
reference.digamma = float(function(x) return polygamma(x, 0) end)
reference.trigamma = float(function(x) return polygamma(x, 1) end)
reference.polygamma = lift(polygamma, { float = true, terms = true, order = function(x, n)
  if type(x) == 'number' then return n, x end
  return x, n
end })

return reference
