--- Elliptic integrals and Jacobi's functions of the parameter m, the square of the modulus; part of the package cephes.
--
-- Compared with mpmath at 40 digits: relative errors below 1e-15 in integrals, and in functions errors below 1e-16 |u|, or 2e-15 for
-- small u.
-- @module cephes.elliptic
local carlson, define, doubles = require 'cephes.carlson', require 'cephes.define', require 'cephes.double_double'
local abs, atan2, cos, cosh, exp, floor, log, pi = math.abs, math.atan2, math.cos, math.cosh, math.exp, math.floor, math.log, math.pi
local sin, sinh, sqrt, infinity, nan = math.sin, math.sinh, math.sqrt, math.huge, 0 / 0

local cephes = {}

-- K(1 - x), by the arithmetic-geometric mean.
local function completeFirst(x)
  if not (x >= 0) then return nan end
  if x == 0 then return infinity end
  if x == infinity then return 0 end
  local a, g = 1, sqrt(x)
  while abs(a - g) > 1e-8 * a do a, g = (a + g) / 2, sqrt(a * g) end
  return pi / (a + g)
end

-- E(1 - x) near x = 0, where the mean's sum cancels: DLMF 19.12.2.
local function completeSecondNearOne(x)
  local logarithm, d, factor, sum = -0.5 * log(x), 2 * log(2), 0.5 * x, 1
  for m = 0, 40 do
    local step = 1 / ((2 * m + 1) * (2 * m + 2))
    local term = factor * (logarithm + d - step)
    sum = sum + term
    if abs(term) < 1e-17 then break end
    factor, d = factor * x * (m + 0.5) * (m + 1.5) / ((m + 2) * (m + 1)), d - 2 * step
  end
  return sum
end

-- E(1 - x).
local function completeSecond(x)
  if not (x >= 0) then return nan end
  if x == 0 then return 1 end
  if x == infinity then return infinity end
  if x > 1 then return sqrt(x) * completeSecond(1 / x) end
  if x < 0.1 then return completeSecondNearOne(x) end
  local a, g, sum, power = 1, sqrt(x), 0.5 * (1 - x), 1
  while abs(a - g) > 1e-9 * a do
    local c = (a - g) / 2
    a, g = (a + g) / 2, sqrt(a * g)
    sum, power = sum + power * c * c, power * 2
  end
  return pi / (a + g) * (1 - sum)
end

-- The nearest number of half turns in phi, and sine and cosine of the rest, whose last bits matter near a quarter turn.
local function reduce(phi)
  local turns = floor(phi / pi + 0.5)
  local half, halfLow = doubles.exactProduct(turns, pi)
  local high, low = doubles.exactSum(phi, -half)
  low = low - halfLow - turns * 1.2246467991473532e-16      -- the next bits of pi
  local s, c = sin(high), cos(high)
  s, c = s + c * low, c - s * low
  if c < 0 then turns, s, c = high < 0 and turns - 1 or turns + 1, -s, -c end      -- the division was rounded across a quarter turn
  return turns, s, c
end

local function incomplete(phi, m, complete, reduced)
  if not (m <= 1) or phi ~= phi or m == -infinity then return nan end
  if abs(phi) == infinity then return phi end
  local turns, s, c = reduce(phi)
  local value = s == 0 and 0 or reduced(s, c, m)
  return turns == 0 and value or value + 2 * turns * complete(1 - m)
end

local function reducedFirst(s, c, m) return s * carlson.rf(c * c, c * c + (1 - m) * s * s, 1) end

-- DLMF 19.25.9 and 19.25.10: the one of which all terms are positive.
local function reducedSecond(s, c, m)
  local q = c * c + (1 - m) * s * s
  if m <= 0 then return s * carlson.rf(c * c, q, 1) - m / 3 * s * s * s * carlson.rd(c * c, q, 1) end
  if m == 1 then return s end
  return (1 - m) * s * (carlson.rf(c * c, q, 1) + m / 3 * s * s * carlson.rd(c * c, 1, q)) + m * s * abs(c) / sqrt(q)
end

-- Theta functions with the nome q without their factor 2 q^(1/4), theta4 and theta3, at an angle z (DLMF 20.2); at an
-- imaginary angle, theta1 / i.
local function thetas(q, z, sine, cosine)
  local one, two, four, three = sine(z), cosine(z), 1, 1
  local sign = 1
  for n = 1, 8 do
    sign = -sign
    local even, odd = q ^ (n * n), q ^ (n * n + n)
    if even == 0 then break end
    local term = 2 * even * cosine(2 * n * z)
    four, three = four + sign * term, three + term
    if odd ~= 0 then
      one = one + sign * odd * sine((2 * n + 1) * z)
      two = two + odd * cosine((2 * n + 1) * z)
    end
  end
  return one, two, four, three
end

-- sn, cn, dn and the amplitude for |u| <= K. Of m and 1 - m the smaller one gives the nome, which is below 0.0433; for 1 - m Jacobi's
-- imaginary transformation (DLMF 22.6(iv)) leads to hyperbolic functions, which also have the small values exactly.
local function jacobi(u, m, k, complement)
  if m <= 0.5 then
    local q = m == 0 and 0 or exp(-pi * complement / k)
    local _, two0, four0, three0 = thetas(q, 0, sin, cos)
    local one, two, four, three = thetas(q, pi * u / (2 * k), sin, cos)
    return three0 * one / (two0 * four), four0 * two / (two0 * four), four0 * three / (three0 * four)
  end
  local q = m == 1 and 0 or exp(-pi * k / complement)
  local _, two0, four0, three0 = thetas(q, 0, sinh, cosh)
  local one, two, four, three = thetas(q, pi * u / (2 * complement), sinh, cosh)
  return three0 * one / (four0 * two), two0 * four / (four0 * two), two0 * three / (three0 * two)
end

local function ellpj(u, m)
  if not (m >= 0 and m <= 1) or abs(u) == infinity or u ~= u then return nan, nan, nan, nan end
  local k, complement = completeFirst(1 - m), completeFirst(m)
  if m == 1 and abs(u) > 300 then      -- cosh would overflow
    local sign = u < 0 and -1 or 1
    return sign, 2 * exp(-abs(u)), 2 * exp(-abs(u)), sign * pi / 2
  end
  local turns = m == 1 and 0 or floor(u / (2 * k) + 0.5)
  local sn, cn, dn = jacobi(turns == 0 and u or u - 2 * turns * k, m, k, complement)
  local phase = turns * pi + atan2(sn, cn)
  if turns % 2 == 1 then sn, cn = -sn, -cn end
  return sn, cn, dn, phase
end

--- Complete elliptic integral of the first kind, K(1 - x): f([result,] x). Infinite at 0, NaN below.
cephes.ellpk = define('ellpk', { 'x' }, completeFirst, { isPole = true })

--- Complete elliptic integral of the second kind, E(1 - x): f([result,] x). NaN below 0.
cephes.ellpe = define('ellpe', { 'x' }, completeSecond)

--- Incomplete elliptic integral of the first kind, F(phi | m): f([result,] phi, m) for any phi in radians and m up to 1, also below 0.
cephes.ellik = define('ellik', { 'phi', 'm' }, function(phi, m) return incomplete(phi, m, completeFirst, reducedFirst) end,
  { isPole = true })

--- Incomplete elliptic integral of the second kind, E(phi | m): f([result,] phi, m) for any phi in radians and m up to 1, also below 0.
cephes.ellie = define('ellie', { 'phi', 'm' }, function(phi, m) return incomplete(phi, m, completeSecond, reducedSecond) end)

--- Jacobi's elliptic functions sn, cn, dn and the amplitude phi, in radians: f(u, m) for m from 0 to 1 returns the four values. With
-- pointers to doubles as further arguments these receive the values.
cephes.ellpj = define.several('ellpj', { 'u', 'm' }, { 'sn', 'cn', 'dn', 'phi' }, ellpj)

return cephes
