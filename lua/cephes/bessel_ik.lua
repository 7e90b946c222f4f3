--- Modified Bessel functions I and K of real order, for the package cephes.
--
-- I by its power series, all terms of which are positive; K by Temme's series for x <= 2 and Steed's method above, and by the
-- recurrence between orders; asymptotic series of both for large arguments. Sources: Temme (1975), "On the numerical evaluation of the
-- modified Bessel function of the third kind"; DLMF 10.25, 10.29, 10.40.
-- @module cephes.bessel_ik
local libm, temme = require 'cephes.libm', require 'cephes.temme'
local abs, exp, floor, log, sqrt, pi, infinity, nan = math.abs, math.exp, math.floor, math.log, math.sqrt, math.pi, math.huge, 0 / 0

local bessel = {}
local huge = 2 ^ 500
local mostOrder = 1e6

-- The sum of the asymptotic series of K, or of I (DLMF 10.40.1, 10.40.2), for x >= 30 and v * v <= 10 * x.
local function asymptoticSum(v, x, sign)
  local mu, sum, term = 4 * v * v, 1, 1
  for k = 1, 200 do
    local following = sign * term * (mu - (2 * k - 1) * (2 * k - 1)) / (8 * k * x)
    if abs(following) < 1e-18 or k > v and abs(following) > abs(term) then break end
    term = following
    sum = sum + term
  end
  return sum
end

-- value * exp(x) * huge^scale, where only the product need be a double.
local function scaled(value, x, scale)
  local half = exp((x + scale * 500 * log(2)) / 2)
  return value * half * half
end

local function first(v, x)
  if x >= 100 and v * v <= 2 * x then return scaled(asymptoticSum(v, x, -1) / sqrt(2 * pi * x), x, 0) end
  local square, sum, term, scale = x * x / 4, 1, 1, 0
  for k = 1, infinity do
    term = term * (square / (k * (k + v)))
    sum = sum + term
    if term < 1e-17 * sum then break end
    if sum > huge then sum, term, scale = sum / huge, term / huge, scale + 1 end
  end
  local factor = libm.powerOverGamma(x / 2, v)
  if scale == 0 or factor == 0 then return sum * factor end
  return scaled(sum * factor, 0, scale)
end

-- exp(x) K_m(x) and exp(x) K_m+1(x) for x > 2 by Steed's method.
local function steed(m, x)
  local b = 2 * (1 + x)
  local d = 1 / b
  local h, delta = d, d
  local q1, q2, a1 = 0, 1, 0.25 - m * m
  local q, c, a = a1, a1, -a1
  local sum = 1 + q * delta
  for i = 2, 100000 do
    a = a - 2 * (i - 1)
    c = -a * c / i
    local following = (q1 - b * q2) / a
    q1, q2 = q2, following
    q = q + c * following
    b = b + 2
    d = 1 / (b + a * d)
    delta = (b * d - 1) * delta
    h = h + delta
    local term = q * delta
    sum = sum + term
    if abs(term) < 1e-17 * abs(sum) then break end
  end
  h = a1 * h
  local k = sqrt(pi / (2 * x)) / sum
  return k, k * (m + x + 0.5 - h) / x
end

local function second(v, x)
  if x >= 30 and v * v <= 10 * x then return scaled(asymptoticSum(v, x, 1) * sqrt(pi / (2 * x)), -x, 0) end
  local steps = floor(v + 0.5)
  local m = v - steps
  local k, following, exponent
  if x <= 2 then
    k, following = temme.k(m, x)
    exponent = 0
  else
    k, following = steed(m, x)
    exponent = -x
  end
  local scale = 0
  for i = 1, steps do
    k, following = following, 2 * (m + i) / x * following + k
    if following == infinity then
      if i == steps then break end
      return infinity
    end
    if k > huge and exponent < 0 then k, following, scale = k / huge, following / huge, scale + 1 end
  end
  return scaled(k, exponent, scale)
end

--- I_v(x) and K_v(x).
-- @number v order, up to 1e6 except where x is much larger than its square
-- @number x 0 or more; below 0 for whole orders, where K is NaN
-- @treturn number
-- @treturn number
-- @treturn ?string an error: arguments that are too large
function bessel.ik(v, x)
  if v ~= v or x ~= x or abs(v) == infinity then return nan, nan end
  local isWhole = floor(v) == v
  if x < 0 then
    if not isWhole then return nan, nan end
    local i, _, problem = bessel.ik(v, -x)
    return v % 2 == 1 and -i or i, nan, problem
  end
  if x == infinity then return infinity, 0 end
  if x == 0 then
    if v == 0 then return 1, infinity end
    if v > 0 or isWhole then return 0, infinity end
    return libm.inverseGamma(v + 1) > 0 and infinity or -infinity, infinity
  end
  local order = abs(v)
  if order > mostOrder or order * order > 2 * x and x > mostOrder then return nan, nan, 'total loss of precision' end
  local i, k = first(order, x), second(order, x)
  if v < 0 and not isWhole then i = i + 2 / pi * libm.sinpi(order) * k end      -- DLMF 10.27.2
  return i, k
end

return bessel
