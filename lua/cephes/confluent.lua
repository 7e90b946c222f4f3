--- Kummer's function 1F1 for the package cephes.
--
-- Its series or, by Kummer's transformation, that of the opposite argument, whichever cancels fewer digits; the asymptotic series for large
-- arguments (DLMF 13.2.2, 13.2.39, 13.7.2).
-- @module cephes.confluent
local libm, series = require 'cephes.libm', require 'cephes.hypergeometric_series'
local abs, exp, log, infinity, nan = math.abs, math.exp, math.log, math.huge, 0 / 0

-- value * gamma(b) / gamma(a) * exp(x) * y^p, whose factors may be too large for doubles.
local function assembled(value, b, a, x, y, p)
  local half = exp(x / 2)
  local power = y ^ (p / 2)
  if abs(a) < 160 and abs(b) < 160 then return value * libm.gamma(b) * libm.inverseGamma(a) * (half * power) * (half * power) end
  local upper, upperSign = libm.logGamma(b)
  local lower, lowerSign = libm.logGamma(a)
  half = exp((upper - lower) / 2 + x / 2)
  return value * upperSign * lowerSign * (half * power) * (half * power)
end

-- The dominant one of the two asymptotic series; nil where the other one matters.
local function asymptotic(a, b, x)
  local size = abs(x)
  local one, other = x > 0 and a or b - a, x > 0 and b - a or a      -- the dominant series is divided by gamma(one)
  if libm.logGamma(one) - libm.logGamma(other) - size + (other - one) * log(size) > -37 then return nil end
  local sum, _, loss, last
  if x > 0 then sum, _, loss, last = series.sum({ 1 - a, b - a }, {}, 1 / x)
  else sum, _, loss, last = series.sum({ a, a - b + 1 }, {}, -1 / x) end
  if loss * 1e-16 + last > 1e-14 then return nil end
  return x > 0 and assembled(sum, b, a, x, x, a - b) or assembled(sum, b, b - a, 0, -x, -a)
end

local function timesExp(sum, x)
  local half = exp(x / 2)
  return sum * half * half
end

--- 1F1(a; b; x).
-- @number a
-- @number b
-- @number x
-- @treturn number infinite at poles; NaN where less than 8 digits could be found
-- @treturn ?string then the error
return function(a, b, x)
  if a ~= a or b ~= b or x ~= x or abs(a) == infinity or abs(b) == infinity then return nan end
  local ends = series.endsAt(a)
  if series.endsAt(b) and not (ends and a >= b) then return infinity end
  if x == 0 or a == 0 then return 1 end
  if abs(x) == infinity then return x > 0 and not ends and infinity or nan end
  if abs(x) > 50 and not ends and not series.endsAt(b - a) then
    local value = asymptotic(a, b, x)
    if value then return value end
  end
  local value, _, loss = series.sum({ a }, { b }, x)
  if loss > 1e17 or x < -1 and loss > 1e8 or value ~= value then
    local other, _, otherLoss = series.sum({ b - a }, { b }, -x)
    if not (otherLoss >= loss) then value, loss = timesExp(other, x), otherLoss end
  end
  if not (loss < series.hopeless) then
    if x > 700 and a > 0 and b > 0 then return infinity end
    return nan, 'total loss of precision'
  end
  return value
end
