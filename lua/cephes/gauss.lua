--- Gauss's hypergeometric function 2F1 for the package cephes.
--
-- The power series up to x = 1/2. Beyond, Taylor series of the differential equation's solution continue it towards 1, each over half of
-- the rest of the way, so that no case of the parameters is special. Arguments below 0 are transformed into (0, 1) (Pfaff, DLMF 15.8.1),
-- and a function that grows towards 1 into one that doesn't (Euler). Everything is computed with 106 bits.
-- @module cephes.gauss
local doubles, libm, series = require 'cephes.double_double', require 'cephes.libm', require 'cephes.hypergeometric_series'
local abs, max, infinity, nan = math.abs, math.max, math.huge, 0 / 0
local add, multiply, divide, exactSum = doubles.add, doubles.multiply, doubles.divide, doubles.exactSum

-- The value and w times the derivative at x = 1 - w, moved to w - h. The coefficients f_n h^n follow from DLMF 15.10.1.
local function step(a, aLow, b, bLow, c, w, wLow, h, hLow, value, valueLow, slope, slopeLow)
  local x, xLow = add(1, 0, -w, -wLow)
  local ratio, ratioLow = divide(h, hLow, w, wLow)
  local first, firstLow = divide(ratio, ratioLow, x, xLow)            -- h / (x w)
  local second, secondLow = multiply(first, firstLow, h, hLow)
  local spread, spreadLow = add(w, wLow, -x, -xLow)
  local s, sLow = add(a, aLow, b, bLow)
  s, sLow = add(s, sLow, 1, 0)
  s, sLow = multiply(s, sLow, x, xLow)
  local q, qLow = add(c, 0, -s, -sLow)
  local old, oldLow = value, valueLow
  local new, newLow = multiply(slope, slopeLow, ratio, ratioLow)
  local sum, sumLow = add(old, oldLow, new, newLow)
  local moment, momentLow = new, newLow
  local most = max(abs(old), abs(new))
  for n = 0, 5000 do
    local u, uLow = multiply(spread, spreadLow, n, 0)
    u, uLow = add(u, uLow, q, qLow)
    u, uLow = multiply(u, uLow, first, firstLow)
    u, uLow = multiply(u, uLow, new, newLow)
    u, uLow = divide(u, uLow, n + 2, 0)
    local v, vLow = add(a, aLow, n, 0)
    v, vLow = multiply(v, vLow, add(b, bLow, n, 0))
    v, vLow = multiply(v, vLow, second, secondLow)
    v, vLow = multiply(v, vLow, old, oldLow)
    v, vLow = divide(v, vLow, (n + 1) * (n + 2), 0)
    old, oldLow = new, newLow
    new, newLow = add(v, vLow, -u, -uLow)
    sum, sumLow = add(sum, sumLow, new, newLow)
    moment, momentLow = add(moment, momentLow, multiply(new, newLow, n + 2, 0))
    most = max(most, abs(new))
    if n > 8 and abs(new) + abs(old) < 1e-23 * abs(sum) and abs(new) * n < 1e-21 * abs(moment) or not (most < 1e290) then break end
  end
  w, wLow = add(w, wLow, -h, -hLow)
  moment, momentLow = multiply(moment, momentLow, w, wLow)
  moment, momentLow = divide(moment, momentLow, h, hLow)
  return w, wLow, sum, sumLow, moment, momentLow, most
end

-- The function at 1 - w, 0 < w <= 1, and how much cancelled.
local function towardsOne(a, aLow, b, bLow, c, target, targetLow)
  if target >= 0.5 then
    local x, xLow = add(1, 0, -target, -targetLow)
    local sum, _, loss = series.sum({ a, b }, { c }, x, xLow)
    return sum, loss
  end
  local value, valueLow, loss, _, moment, momentLow = series.sum({ a, b }, { c }, 0.5, 0)
  local most = loss * abs(value)
  local w, wLow, slope, slopeLow = 0.5, 0, moment, momentLow      -- w F' = x F'
  while w > target or w == target and wLow > targetLow do
    local h, hLow = w / 2, wLow / 2
    local isLast = h <= target
    if isLast then h, hLow = add(w, wLow, -target, -targetLow) end
    local stepMost
    w, wLow, value, valueLow, slope, slopeLow, stepMost =
      step(a, aLow, b, bLow, c, w, wLow, h, hLow, value, valueLow, slope, slopeLow)
    most = max(most, stepMost)
    if isLast then break end
  end
  return value, most / abs(value)
end

-- Gauss's sum (DLMF 15.4.20).
local function atOne(a, b, c)
  if not (c - a - b > 0) then
    return libm.inverseGamma(a) * libm.inverseGamma(b) * libm.inverseGamma(c) < 0 and -infinity or infinity
  end
  if max(abs(c), abs(c - a - b), abs(c - a), abs(c - b)) < 160 then
    return libm.gamma(c) * libm.inverseGamma(c - a) * (libm.gamma(c - a - b) * libm.inverseGamma(c - b))
  end
  local logarithm, sign = 0, 1
  for i, x in ipairs { c, c - a - b, c - a, c - b } do
    if i > 2 and series.endsAt(x) then return 0 end
    local one, oneSign = libm.logGamma(x)
    logarithm, sign = logarithm + (i < 3 and one or -one), sign * oneSign
  end
  return sign * math.exp(logarithm)
end

-- y = (value, loss) times w^p.
local function withPower(value, loss, w, p)
  local power = w ^ (p / 2)
  return value * power * power, loss
end

local function inside(a, b, c, x)
  if series.endsAt(c - a) or series.endsAt(c - b) then      -- after Euler's transformation a polynomial
    local sum, _, loss = series.sum({ c - a, c - b }, { c }, x)
    return withPower(sum, loss, 1 - x, c - a - b)
  end
  if x < 0 then
    if a > b then a, b = b, a end
    local w, wLow = exactSum(1, -x)
    w, wLow = divide(1, 0, w, wLow)
    local other, otherLow = exactSum(c, -b)
    if x >= -0.5 then
      local sum, _, loss = series.sum({ a, b }, { c }, x)
      if loss < 1e12 then return sum, loss end
    end
    local value, loss = towardsOne(a, 0, other, otherLow, c, w, wLow)
    return withPower(value, loss, 1 - x, -a)
  end
  local w, wLow = exactSum(1, -x)
  local first, firstLow = exactSum(c, -a)
  local second, secondLow = exactSum(c, -b)
  local excess = add(first, firstLow, -b, 0)
  if x > 0.5 and excess < 0 then
    local value, loss = towardsOne(first, firstLow, second, secondLow, c, w, wLow)
    return withPower(value, loss, w, excess)
  end
  return towardsOne(a, 0, b, 0, c, w, wLow)
end

--- 2F1(a, b; c; x).
-- @number a
-- @number b
-- @number c
-- @number x up to 1; any number if a or b is 0, -1, ...
-- @treturn number infinite at poles; NaN where less than 8 digits could be found
-- @treturn ?string then the error
return function(a, b, c, x)
  local size = abs(a) + abs(b) + abs(c)
  if x ~= x or not (size < infinity) then return nan end
  local last = -infinity
  if series.endsAt(a) then last = a end
  if series.endsAt(b) then last = max(last, b) end
  if series.endsAt(c) and last < c then return infinity end
  if x == 0 or a == 0 or b == 0 then return 1 end
  local value, loss
  if last > -infinity then
    if abs(x) == infinity then return nan end
    local sum, _, cancelled = series.sum({ a, b }, { c }, x)
    value, loss = sum, cancelled
    if not (loss < series.hopeless) and x < 1 then value, loss = inside(a, b, c, x) end
    if not (loss < series.hopeless) and x == 1 and c - a - b > 0 then return atOne(a, b, c) end
  elseif x == 1 then
    return atOne(a, b, c)
  elseif not (x < 1 and x > -infinity) then
    return nan
  elseif size > 1e4 then
    loss = infinity
  else
    value, loss = inside(a, b, c, x)
  end
  if not (loss < series.hopeless) then return nan, 'total loss of precision' end
  return value
end
