-- Orthogonal polynomials on numbers: Chebyshev's by angles (DLMF 18.5), the others by sums of powers (18.5.8 to 18.5.13).
local lift = require('torch.sweep.elementwise').lift

local reference = {}

local function factorial(n) return n < 2 and 1 or n * factorial(n - 1) end
local function choose(n, k) return factorial(n) / factorial(k) / factorial(n - k) end

-- Degrees are whole numbers; of negative ones the value is 0.
local function define(name, f)
  reference[name] = lift(function(x, n)
    if x ~= x then return x end
    if n < 0 then return 0 end
    return f(x, math.floor(n))
  end, { float = true, terms = true })
end

-- By powers of x + sqrt(x^2 - 1), which is exp(i angle) for x from -1 to 1.
local function byAngle(onAngle, onPowers)
  return function(x, n)
    if x > 1 then
      local root = math.sqrt(x * x - 1)
      return onPowers(math.log(x + root), n)
    end
    return onAngle(math.acos(x), n)
  end
end
local sin, cos, sinh, cosh = math.sin, math.cos, math.sinh, math.cosh
local function guarded(f, atOne, atMinusOne)      -- quotients of two zeros at the ends
  return function(x, n)
    if x == 1 then return atOne(n) end
    if x == -1 then return (n % 2 == 0 and 1 or -1) * atMinusOne(n) end
    if x < -1 then return nil end
    return f(x, n)
  end
end
local function one() return 1 end
local function twice(n) return 2 * n + 1 end
local function next_(n) return n + 1 end
local kinds = {
  T = guarded(byAngle(function(t, n) return cos(n * t) end, function(t, n) return cosh(n * t) end), one, one),
  U = guarded(byAngle(function(t, n) return sin((n + 1) * t) / sin(t) end,
    function(t, n) return sinh((n + 1) * t) / sinh(t) end), next_, next_),
  V = guarded(byAngle(function(t, n) return cos((n + 0.5) * t) / cos(t / 2) end,
    function(t, n) return cosh((n + 0.5) * t) / cosh(t / 2) end), one, twice),
  W = guarded(byAngle(function(t, n) return sin((n + 0.5) * t) / sin(t / 2) end,
    function(t, n) return sinh((n + 0.5) * t) / sinh(t / 2) end), twice, one),
}
-- The same polynomial of -x, for x below -1.
local mirrored = { T = 'T', U = 'U', V = 'W', W = 'V' }
for letter, f in pairs(kinds) do
  local function value(x, n) return f(x, n) or (n % 2 == 0 and 1 or -1) * kinds[mirrored[letter]](-x, n) end
  define('chebyshevPolynomial' .. letter, value)
  define('shiftedChebyshevPolynomial' .. letter, function(x, n) return value(2 * x - 1, n) end)
end

define('hermitePolynomialH', function(x, n)
  local sum = 0
  for k = 0, math.floor(n / 2) do sum = sum + (-1) ^ k / factorial(k) / factorial(n - 2 * k) * (2 * x) ^ (n - 2 * k) end
  return factorial(n) * sum
end)
define('hermitePolynomialHe', function(x, n)
  local sum = 0
  for k = 0, math.floor(n / 2) do sum = sum + (-0.5) ^ k / factorial(k) / factorial(n - 2 * k) * x ^ (n - 2 * k) end
  return factorial(n) * sum
end)
define('laguerrePolynomialL', function(x, n)
  local sum = 0
  for k = 0, n do sum = sum + choose(n, k) * (-x) ^ k / factorial(k) end
  return sum
end)
define('legendrePolynomialP', function(x, n)
  local sum = 0
  for k = 0, n do sum = sum + choose(n, k) ^ 2 * (x - 1) ^ (n - k) * (x + 1) ^ k end
  return sum / 2 ^ n
end)

return reference
