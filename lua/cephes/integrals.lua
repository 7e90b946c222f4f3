--- Exponential, sine, cosine and Fresnel integrals, Dawson's integral and the dilogarithm; part of the package cephes.
--
-- Power series, with 106 bits where terms cancel; continued fractions and asymptotic series for large arguments (DLMF 5 to 8, 25.12).
-- Compared with mpmath at 40 digits: relative errors below 2e-15, except close to zeros of the functions, where absolute errors are
-- below 1e-16.
-- @module cephes.integrals
local torch = require 'torch'
local check = require 'torch.check'
local define, doubles, libm = require 'cephes.define', require 'cephes.double_double', require 'cephes.libm'
local abs, cos, exp, floor, log, sin = math.abs, math.cos, math.exp, math.floor, math.log, math.sin
local pi, infinity, nan = math.pi, math.huge, 0 / 0
local add, multiply, divide, exactProduct = doubles.add, doubles.multiply, doubles.divide, doubles.exactProduct

local cephes = {}
local euler, eulerLow = 0.5772156649015329, -4.942915152430649e-18

-- E_n(x) for x > 1: a continued fraction by Lentz's method (DLMF 8.19.17).
local function fractionOfExpn(n, x)
  local b = x + n
  local c, d = infinity, 1 / b
  local value = d
  for i = 1, 10000 do
    local a = -i * (n - 1 + i)
    b = b + 2
    d, c = 1 / (a * d + b), b + a / c
    local factor = c * d
    value = value * factor
    if abs(factor - 1) < 2e-16 then break end
  end
  return value * exp(-x)
end

-- E_n(x) for 0 < x <= 1 (DLMF 8.19.8).
local function seriesOfExpn(n, x)
  local factor, sum = 1, 0
  for k = 0, n + 60 do
    if k > 0 then factor = -factor * x / k end
    local term
    if k == n - 1 then
      local harmonic = 0
      for i = 1, k do harmonic = harmonic + 1 / i end
      term = factor * (harmonic - euler - log(x))
    else
      term = factor / (n - 1 - k)
    end
    sum = sum + term
    if abs(factor) <= 1e-19 * abs(sum) then break end
  end
  return sum
end

local function expn(n, x)
  if not (n >= 0 and x >= 0) or n ~= floor(n) then return nan end
  if x == infinity or n == infinity then return 0 end
  if x == 0 then return n > 1 and 1 / (n - 1) or infinity end
  if n == 0 then return exp(-x) / x end
  return x > 1 and fractionOfExpn(n, x) or seriesOfExpn(n, x)
end

-- The sum of k! / x^k up to the smallest term.
local function asymptoticOfEi(x)
  local sum, term = 1, 1
  for k = 1, 60 do
    term = term * k / x
    if term < 1e-17 or k > x then break end
    sum = sum + term
  end
  return sum / x
end

-- The sums over odd and even k from 1 of x^k / (k k!), for x > 0.
local function sumsOfPowers(x)
  local odd, even, factor = 0, 0, 1
  for k = 1, 300, 2 do
    factor = factor * x / k
    odd = odd + factor / k
    factor = factor * x / (k + 1)
    even = even + factor / (k + 1)
    if factor < 1e-18 * odd then break end
  end
  return odd, even
end

-- euler + log(x) + the sum of other terms.
local function withLogarithm(x, high, low)
  high, low = add(high, low, euler, eulerLow)
  return (add(high, low, log(x), 0))
end

local function ei(x)
  if x ~= x then return nan end
  if x == 0 then return -infinity end
  if x < 0 then return -expn(1, -x) end
  if x == infinity then return infinity end
  if x > 40 then return exp(x / 2) * asymptoticOfEi(x) * exp(x / 2) end
  local odd, even = sumsOfPowers(x)
  return withLogarithm(x, doubles.exactSum(odd, even))
end

local function shichi(x)
  if x ~= x then return nan, nan end
  local size, sign = abs(x), x < 0 and -1 or 1
  if size == 0 then return x, -infinity end
  if size == infinity then return x, infinity end
  if size > 40 then
    local half = exp(size / 2) * (asymptoticOfEi(size) / 2) * exp(size / 2)      -- E_1 is below its last bit
    return sign * half, half
  end
  local odd, even = sumsOfPowers(size)
  return sign * odd, withLogarithm(size, even, 0)
end

-- The sums of (-1)^k y^(2k + first) / ((2k + first) (2k + first)!) from k = 0, with 106 bits; for first = 2 with the opposite sign.
local function alternatingSum(y, first)
  local squareHigh, squareLow = exactProduct(y, y)
  local termHigh, termLow = y, 0
  if first == 2 then termHigh, termLow = squareHigh / 2, squareLow / 2 end
  local sumHigh, sumLow = divide(termHigh, termLow, first, 0)
  for n = first + 2, 400, 2 do
    termHigh, termLow = multiply(termHigh, termLow, -squareHigh, -squareLow)
    termHigh, termLow = divide(termHigh, termLow, n * (n - 1), 0)
    local high, low = divide(termHigh, termLow, n, 0)
    sumHigh, sumLow = add(sumHigh, sumLow, high, low)
    if abs(high) < 1e-20 * abs(sumHigh) then break end
  end
  return sumHigh, sumLow
end

-- The auxiliary functions f and g of sine and cosine integrals (DLMF 6.12.3, 6.12.4), times x and x^2.
local function auxiliary(x)
  local f, g, term = 1, 1, 1
  for k = 1, 30 do
    local next = -term * (2 * k - 1) * 2 * k / (x * x)
    if abs(next) > abs(term) or abs(next) < 1e-18 then break end
    term = next
    f, g = f + term, g + term * (2 * k + 1)
  end
  return f, g
end

local function sici(x)
  if x ~= x then return nan, nan end
  local y, sign = abs(x), x < 0 and -1 or 1
  if y == 0 then return x, -infinity end
  if y == infinity then return sign * pi / 2, 0 end
  if y > 37 then
    local f, g = auxiliary(y)
    local s, c = sin(y), cos(y)
    return sign * (pi / 2 - f * c / y - g * s / y / y), f * s / y - g * c / y / y
  end
  local si = alternatingSum(y, 1)
  local high, low = alternatingSum(y, 2)
  return sign * si, withLogarithm(y, -high, -low)
end

-- The sum of (-1)^k u^(2k) / ((2k + odd)! (4k + 2 odd + 1)), u = pi x^2 / 2.
local function fresnelSum(uHigh, uLow, odd)
  local squareHigh, squareLow = multiply(uHigh, uLow, uHigh, uLow)
  local termHigh, termLow = 1, 0
  local sumHigh, sumLow = divide(1, 0, 2 * odd + 1, 0)
  for k = 1, 120 do
    local n = 2 * k + odd
    termHigh, termLow = multiply(termHigh, termLow, -squareHigh, -squareLow)
    termHigh, termLow = divide(termHigh, termLow, n * (n - 1), 0)
    local high, low = divide(termHigh, termLow, 4 * k + 2 * odd + 1, 0)
    sumHigh, sumLow = add(sumHigh, sumLow, high, low)
    if abs(high) < 1e-20 * abs(sumHigh) then break end
  end
  return sumHigh
end

-- sin and cos of pi x^2 / 2, with the square's rounding.
local function quarterAngles(x)
  local high, low = 0, 0
  if x < 1e8 then high, low = exactProduct(x, x) end      -- larger doubles whose waves matter are below
  local turns = math.fmod(high, 4) / 2
  local s, c = libm.sinpi(turns), libm.cospi(turns)
  local rest = pi / 2 * low
  return s + c * rest, c - s * rest
end

local function fresnl(x)
  if x ~= x then return nan, nan end
  local y, sign = abs(x), x < 0 and -1 or 1
  if y > 1e16 then return sign / 2, sign / 2 end
  local high, low = exactProduct(y, y)
  high, low = multiply(high, low, 1.5707963267948966, 6.123233995736766e-17)
  if high < 36 then return x * high * fresnelSum(high, low, 1), x * fresnelSum(high, low, 0) end
  local f, g, even, odd = 1, 1, 1, 1      -- DLMF 7.12.2, 7.12.3
  for k = 1, 20 do
    even = -even * (4 * k - 3) * (4 * k - 1) / (4 * high * high)
    odd = -odd * (4 * k - 1) * (4 * k + 1) / (4 * high * high)
    if abs(even) < 1e-18 then break end
    f, g = f + even, g + odd
  end
  f, g = f / (pi * y), g / (2 * high * pi * y)
  local s, c = quarterAngles(y)
  return sign * (0.5 - f * c - g * s), sign * (0.5 + f * s - g * c)
end

-- exp(-x^2) times a series of positive terms; asymptotically beyond (DLMF 7.6.3, 7.12.1).
local function dawsn(x)
  local square = x * x
  if not (square < 44) then
    local sum, term = 1, 1
    for k = 1, 40 do
      term = term * (2 * k - 1) / (2 * square)
      sum = sum + term
      if term < 1e-17 then break end
    end
    return sum / (2 * x)
  end
  local sum, term = 1, 1
  for k = 1, 200 do
    term = term * square / k
    sum = sum + term / (2 * k + 1)
    if term < 1e-17 * sum then break end
  end
  local high, low = exactProduct(x, x)
  return x * exp(-high) * (1 - low) * sum
end

local bernoulli = { 1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330 }

-- The dilogarithm of 1 - x for x from 1/2 to 2, in powers of u = -log(x) (DLMF 25.12.2 and Bernoulli's numbers).
local function spenceNearOne(x)
  local u = -log(x)
  local sum, power = u - u * u / 4, u
  for k = 1, #bernoulli do
    power = power * u * u / (2 * k * (2 * k + 1))
    sum = sum + bernoulli[k] * power
  end
  return sum
end

local function spence(x)
  if not (x >= 0) then return nan end
  if x == 0 then return pi * pi / 6 end
  if x == infinity then return -infinity end
  if x < 0.5 then return pi * pi / 6 - log(x) * libm.log1p(-x) - spenceNearOne(1 - x) end
  if x > 2 then return -0.5 * log(x) * log(x) - spence(1 / x) end
  return spenceNearOne(x)
end

local function isZero(x) return x == 0 end

--- Exponential integral E_n(x), the integral of exp(-x t) / t^n over t from 1: f([result,] n, x) for whole n and x from 0 on.
cephes.expn = define('expn', { 'n', 'x' }, expn, { isPole = true })

--- Exponential integral Ei(x), the principal value of the integral of exp(t) / t up to x: f([result,] x), also below 0.
cephes.ei = define('ei', { 'x' }, ei, { isPole = isZero })

--- Sine and cosine integrals Si and Ci: f(x) returns both; Ci is that of |x|. With pointers to doubles as further arguments these receive
-- the values.
cephes.sici = define.several('sici', { 'x' }, { 'si', 'ci' }, sici, { isPole = true })

--- Hyperbolic sine and cosine integrals Shi and Chi: f(x) returns both; Chi is that of |x|. With pointers to doubles as further arguments
-- these receive the values.
cephes.shichi = define.several('shichi', { 'x' }, { 'shi', 'chi' }, shichi, { isPole = isZero })

--- Fresnel's integrals S and C, of sin and cos of pi t^2 / 2 from 0 to x: f(x) returns both. With pointers to doubles as further arguments
-- these receive the values.
cephes.fresnl = define.several('fresnl', { 'x' }, { 's', 'c' }, fresnl)

--- Dawson's integral, exp(-x^2) times the integral of exp(t^2) from 0 to x: f([result,] x).
cephes.dawsn = define('dawsn', { 'x' }, dawsn)

--- Dilogarithm of 1 - x, minus the integral of log(t) / (t - 1) from 1 to x: f([result,] x) for x from 0 on.
cephes.spence = define('spence', { 'x' }, spence)

local newtonCotes = { 989, 5888, -928, 10496, -4540, 10496, -928, 5888, 989 }

--- Integrates a function that is given by its values at 9 equidistant places, by the formula of Newton and Cotes of degree 8.
-- @tparam torch.Tensor|table values 9 numbers
-- @number delta distance between places
-- @treturn number
function cephes.simpsn(values, delta)
  local where = 'cephes.simpsn'
  if type(values) == 'table' then values = torch.DoubleTensor(values) end
  check.tensor(where, 'values', values)
  check.that(values:nElement() == 9, ('%s: values: %d numbers, expected 9'):format(where, values:nElement()), 'shape')
  check.number(where, 'delta', delta)
  local flat, sum = values:double():contiguous():view(-1), 0
  for i = 1, 9 do sum = sum + newtonCotes[i] * flat[i] end
  return sum * delta * 8 / 28350
end

return cephes
