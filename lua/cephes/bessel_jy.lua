--- Bessel functions J and Y of real order, for the package cephes.
--
-- Power series and Temme's series of Y for x < 2; Steed's method for x < 30, continued fractions for J'/J and for the logarithmic
-- derivative of J + iY; Hankel's expansion above; recurrences between orders. Sources: Temme (1976), "On the numerical evaluation of
-- the ordinary Bessel function of the second kind"; Barnett et al. (1974), "Coulomb wave functions for all real eta and rho"; DLMF 10.6,
-- 10.8, 10.17, 10.74.
-- @module cephes.bessel_jy
local libm, temme = require 'cephes.libm', require 'cephes.temme'
local abs, cos, floor, max, sin, sqrt = math.abs, math.cos, math.floor, math.max, math.sin, math.sqrt
local pi, infinity, nan = math.pi, math.huge, 0 / 0

local bessel = {}
local tiny = 2 ^ -500
local mostOrder = 1e6

-- J and Y by Hankel's expansion (DLMF 10.17.3), for x >= 20 and v * v <= 10 * x.
local function hankel(v, x)
  local mu = 4 * v * v
  local p, q, term = 1, 0, 1
  for k = 1, 200 do
    local following = term * (mu - (2 * k - 1) * (2 * k - 1)) / (8 * k * x)
    if abs(following) < 1e-18 or k > v and abs(following) > abs(term) then break end
    term = following
    local part = k % 4 < 2 and term or -term      -- p and q have alternating signs
    if k % 2 == 1 then q = q + part else p = p + part end
  end
  -- The angle x - (v / 2 + 1 / 4) pi, by the addition theorem: a sum would lose the last bits of x.
  local s, c = libm.sinpi(v / 2 + 0.25), libm.cospi(v / 2 + 0.25)
  local sinX, cosX = sin(x), cos(x)
  local sine, cosine = sinX * c - cosX * s, cosX * c + sinX * s
  local scale = sqrt(2 / (pi * x))
  return scale * (p * cosine - q * sine), scale * (p * sine + q * cosine)
end

-- J by its power series (DLMF 10.2.2), for x * x <= 4 (v + 1): no terms cancel.
local function series(v, x)
  local square, sum, term = -x * x / 4, 1, 1
  for k = 1, 100 do
    term = term * square / (k * (k + v))
    sum = sum + term
    if abs(term) < 1e-18 then break end
  end
  return sum * libm.powerOverGamma(x / 2, v)
end

-- J_v'(x) / J_v(x) by Lentz's method (DLMF 10.10), and the sign of J_v.
local function logarithmicDerivative(v, x)
  local inverse = 1 / x
  local h = max(v * inverse, tiny)
  local b, d, c, sign = 2 * v * inverse, 0, h, 1
  for _ = 1, 4000000 do
    b = b + 2 * inverse
    d, c = b - d, b - 1 / c
    if abs(d) < tiny then d = tiny end
    if abs(c) < tiny then c = tiny end
    d = 1 / d
    local factor = c * d
    h = factor * h
    if d < 0 then sign = -sign end
    if abs(factor - 1) < 2e-16 then return h, sign end
  end
  return nan, 1
end

-- p + iq, the logarithmic derivative of J_m + iY_m, for x >= 2 by Steed's method (DLMF 10.74(v)).
local function steed(m, x)
  local a = 0.25 - m * m
  local p, q = -0.5 / x, 1
  local br, bi = 2 * x, 2
  local factor = a / (x * (p * p + q * q))
  local cr, ci = br + q * factor, bi + p * factor
  local den = br * br + bi * bi
  local dr, di = br / den, -bi / den
  local dlr, dli = cr * dr - ci * di, cr * di + ci * dr
  p, q = p * dlr - q * dli, p * dli + q * dlr
  for i = 2, 100000 do
    a = a + 2 * (i - 1)
    bi = bi + 2
    dr, di = a * dr + br, a * di + bi
    if abs(dr) + abs(di) < tiny then dr = tiny end
    factor = a / (cr * cr + ci * ci)
    cr, ci = br + cr * factor, bi - ci * factor
    if abs(cr) + abs(ci) < tiny then cr = tiny end
    den = dr * dr + di * di
    dr, di = dr / den, -di / den
    dlr, dli = cr * dr - ci * di, cr * di + ci * dr
    p, q = p * dlr - q * dli, p * dli + q * dlr
    if abs(dlr - 1) + abs(dli) < 4e-16 then break end
  end
  return p, q
end

-- Y_v and Y_v+1 from those of the order m = v - steps.
local function upwards(y, following, m, steps, x)
  for i = 1, steps do
    y, following = following, 2 * (m + i) / x * following - y
    if y == -infinity then return y, y end
  end
  return y, following
end

-- J_m, J_m+1, Y_m and Y_m+1 for 0 <= m < 1, x >= 2.
local function lowOrders(m, x)
  if x >= 20 then
    local j, y = hankel(m, x)
    local j1, y1 = hankel(m + 1, x)
    return j, j1, y, y1
  end
  local ratio, sign = logarithmicDerivative(m, x)
  local p, q = steed(m, x)
  local gamma = (p - ratio) / q
  local j = sign * sqrt(2 / (pi * x) / ((p - ratio) * gamma + q))
  local y = j * gamma
  return j, m / x * j - ratio * j, y, m / x * y - (y * p + q * j)
end

-- J_v and Y_v for v >= 0, x > 0.
local function positive(v, x)
  if x >= 20 and v * v <= 10 * x then return hankel(v, x) end
  if v > mostOrder or x > mostOrder then return nan, nan, 'total loss of precision' end
  if x < 2 then
    local steps = floor(v + 0.5)
    local y0, y1 = temme.y(v - steps, x)
    return series(v, x), (upwards(y0, y1, v - steps, steps, x))
  end
  local steps = floor(v)
  local m = v - steps
  local j, j1, y, y1 = lowOrders(m, x)
  y, y1 = upwards(y, y1, m, steps, x)
  if v <= x then return (upwards(j, j1, m, steps, x)), y end      -- beyond, J loses its digits
  if x * x <= 4 * (v + 1) then return series(v, x), y end
  if y == -infinity then return 0, y end
  return 2 / (pi * x) / (v / x * y - y1 - logarithmicDerivative(v, x) * y), y      -- the Wronskian, DLMF 10.5.2
end

--- J_v(x) and Y_v(x).
-- @number v order, up to 1e6 except where x is much larger than its square
-- @number x 0 or more; below 0 for whole orders, where Y is NaN
-- @treturn number
-- @treturn number
-- @treturn ?string an error: arguments that are too large
function bessel.jy(v, x)
  if v ~= v or x ~= x or abs(v) == infinity then return nan, nan end
  local isWhole = floor(v) == v
  if x < 0 then
    if not isWhole then return nan, nan end
    local j, _, problem = bessel.jy(v, -x)
    return v % 2 == 1 and -j or j, nan, problem
  end
  if x == infinity then return 0, 0 end
  if x == 0 then
    if v == 0 then return 1, -infinity end
    if v > 0 or isWhole then return 0, not isWhole and -infinity or v < 0 and v % 2 == 1 and infinity or -infinity end
    local c = libm.cospi(v)
    return libm.inverseGamma(v + 1) > 0 and infinity or -infinity, c == 0 and 0 or c > 0 and -infinity or infinity
  end
  if v >= 0 then return positive(v, x) end
  local j, y, problem = positive(-v, x)
  local s, c = libm.sinpi(-v), libm.cospi(v)
  -- DLMF 10.4; a product with a factor 0 is 0, also of infinities.
  return (c == 0 and 0 or c * j) - (s == 0 and 0 or s * y), (s == 0 and 0 or s * j) + (c == 0 and 0 or c * y), problem
end

return bessel
