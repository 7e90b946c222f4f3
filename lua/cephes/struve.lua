--- Struve's function H of real order, for the package cephes.
--
-- The asymptotic series of H - Y where its smallest term is below the last bit, else the power series with 106 bits (DLMF 11.2.1, 11.6.1).
-- @module cephes.struve
local bessel, doubles, libm = require 'cephes.bessel_jy', require 'cephes.double_double', require 'cephes.libm'
local abs, floor, log, sqrt, pi, infinity, nan = math.abs, math.floor, math.log, math.sqrt, math.pi, math.huge, 0 / 0
local add, multiply, divide = doubles.add, doubles.multiply, doubles.divide

-- The sum of gamma(k + 1/2) gamma(v + 1/2) / (pi gamma(v + 1/2 - k)) (2 / x)^2k; nil where it diverges before.
local function asymptoticSum(v, x)
  local sum, term = 1, 1
  for k = 1, 400 do
    local following = term * (k - 0.5) * (v + 0.5 - k) * 4 / (x * x)
    if abs(following) >= abs(term) and following ~= 0 then return abs(term) < 1e-13 * abs(sum) and sum or nil end
    term = following
    sum = sum + term
    if abs(term) < 1e-17 * abs(sum) then return sum end
  end
end

-- The sum of (-x^2 / 4)^k / ((3/2)_k (v + 3/2)_k), and the digits that its terms cancel.
local function powerSum(v, x)
  local high, low = doubles.exactProduct(x, x)
  high, low = -high / 4, -low / 4
  local sumHigh, sumLow, termHigh, termLow, most = 1, 0, 1, 0, 1
  local orderHigh, orderLow = doubles.exactSum(v, 0.5)
  for k = 1, 10000 do
    local n, nLow = add(orderHigh, orderLow, k, 0)
    n, nLow = multiply(n, nLow, k + 0.5, 0)
    termHigh, termLow = multiply(termHigh, termLow, high, low)
    termHigh, termLow = divide(termHigh, termLow, n, nLow)
    sumHigh, sumLow = add(sumHigh, sumLow, termHigh, termLow)
    if abs(termHigh) > most then most = abs(termHigh) end
    if abs(termHigh) < 1e-18 * abs(sumHigh) and k > -v then break end
  end
  return sumHigh, most / abs(sumHigh)
end

-- 2 (x / 2)^(v + 1) / (sqrt(pi) gamma(v + 3/2)).
local function factor(v, x)
  return 2 / sqrt(pi) * sqrt(x / 2) * libm.powerOverGamma(x / 2, v + 0.5)
end

-- H_v(x), and an error: arguments that are too large.
local function struve(v, x)
  if v ~= v or x ~= x or abs(v) == infinity then return nan end
  if x < 0 then
    if floor(v) ~= v then return nan end
    return (v % 2 == 0 and -1 or 1) * (struve(v, -x))
  end
  if v + 0.5 <= 0 and floor(v + 0.5) == v + 0.5 then      -- DLMF 11.4.3
    local j, _, problem = bessel.jy(-v, x)
    return (v + 0.5) % 2 == 0 and j or -j, problem
  end
  if x == 0 then
    if v > -1 then return 0 end
    if v == -1 then return 2 / pi end
    return libm.inverseGamma(v + 1.5) > 0 and infinity or -infinity
  end
  local sum = x > 20 and asymptoticSum(v, x)
  if sum then
    local _, y, problem = bessel.jy(v, x)
    return y + libm.powerOverGamma(x / 2, v - 0.5) / sqrt(pi * x / 2) * sum, problem
  end
  local cancelled
  sum, cancelled = powerSum(v, x)
  if not (log(cancelled) < 50) then return nan, 'total loss of precision' end
  return factor(v, x) * sum
end

--- H_v(x).
-- @function struve
-- @number v order
-- @number x 0 or more; below 0 for whole orders
-- @treturn number NaN where fewer than 8 digits could be found
-- @treturn ?string an error: arguments that are too large
return struve
