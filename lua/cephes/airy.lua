--- Airy functions and their derivatives, for the package cephes.
--
-- Maclaurin's series with 106 bits, since terms cancel, and asymptotic expansions from xi = 2/3 |x|^(3/2) = 18 on, where their smallest
-- term is below the last bit (DLMF 9.4, 9.7). xi has 106 bits, too, so that no digit of large arguments is lost.
-- @module cephes.airy
local doubles = require 'cephes.double_double'
local abs, cos, exp, sin, sqrt, pi, infinity, nan = math.abs, math.cos, math.exp, math.sin, math.sqrt, math.pi, math.huge, 0 / 0
local add, multiply, divide, exactProduct = doubles.add, doubles.multiply, doubles.divide, doubles.exactProduct

-- Ai(0), -Ai'(0) and sqrt(3).
local ai, aiLow, slope, slopeLow = 0.3550280538878172, 2.05233632436212e-17, 0.2588194037928068, -2.522243111610832e-17
local root, rootLow = 1.7320508075688772, 1.0035084221806903e-16

-- The sums of x^3k / ((first + 2) (first + 3) (first + 5) ...): f with first = 0 from 1 on, g / x with first = 1; and those of their terms
-- times 3k + first.
local function sums(cubeHigh, cubeLow, first)
  local termHigh, termLow, sumHigh, sumLow, slopeHigh, slopeSumLow = 1, 0, 1, 0, first, 0
  for k = 3, 600, 3 do
    local n = k + first
    termHigh, termLow = multiply(termHigh, termLow, cubeHigh, cubeLow)
    termHigh, termLow = divide(termHigh, termLow, n * (n - 1), 0)
    sumHigh, sumLow = add(sumHigh, sumLow, termHigh, termLow)
    slopeHigh, slopeSumLow = add(slopeHigh, slopeSumLow, multiply(termHigh, termLow, n, 0))
    if abs(termHigh) * n < 1e-33 * abs(sumHigh) then break end
  end
  return sumHigh, sumLow, slopeHigh, slopeSumLow
end

local function series(x)
  local squareHigh, squareLow = exactProduct(x, x)
  local cubeHigh, cubeLow = multiply(squareHigh, squareLow, x, 0)
  local f, fLow, fSlope, fSlopeLow = sums(cubeHigh, cubeLow, 0)
  local g, gLow, gSlope, gSlopeLow = sums(cubeHigh, cubeLow, 1)
  g, gLow = multiply(g, gLow, x, 0)
  if x ~= 0 then fSlope, fSlopeLow = divide(fSlope, fSlopeLow, x, 0) end
  f, fLow = multiply(f, fLow, ai, aiLow)
  g, gLow = multiply(g, gLow, slope, slopeLow)
  fSlope, fSlopeLow = multiply(fSlope, fSlopeLow, ai, aiLow)
  gSlope, gSlopeLow = multiply(gSlope, gSlopeLow, slope, slopeLow)
  local b, bLow = add(f, fLow, g, gLow)
  local bSlope, bSlopeLow = add(fSlope, fSlopeLow, gSlope, gSlopeLow)
  return (add(f, fLow, -g, -gLow)), (add(fSlope, fSlopeLow, -gSlope, -gSlopeLow)), (multiply(b, bLow, root, rootLow)),
    (multiply(bSlope, bSlopeLow, root, rootLow))
end

-- The sums of u_k s^k / xi^k and v_k s^k / xi^k (DLMF 9.7.2) over even and odd k.
local function asymptoticSums(xi, sign)
  local u, uEven, uOdd, vEven, vOdd = 1, 1, 0, 1, 0
  for k = 1, 60 do
    local following = u * (6 * k - 5) * (6 * k - 3) * (6 * k - 1) / (216 * k * (2 * k - 1) * xi)
    if following < 1e-18 or following > u then break end
    u = following
    local v = u * (6 * k + 1) / (1 - 6 * k)
    local s = (k % 4 < 2 or sign > 0) and 1 or -1
    if k % 2 == 1 then uOdd, vOdd = uOdd + s * u, vOdd + s * v else uEven, vEven = uEven + s * u, vEven + s * v end
  end
  return uEven, uOdd, vEven, vOdd
end

--- Ai, Ai', Bi and Bi' at x.
-- @number x
-- @treturn number
-- @treturn number
-- @treturn number
-- @treturn number
return function(x)
  if x ~= x then return nan, nan, nan, nan end
  if x == infinity then return 0, -0, infinity, infinity end
  if x == -infinity then return 0, nan, 0, nan end
  local size = abs(x)
  if size < 9 then return series(x) end
  local high, low = doubles.sqrt(size, 0)
  local xi, xiLow = multiply(high, low, size, 0)
  xi, xiLow = divide(2 * xi, 2 * xiLow, 3, 0)
  local fourth = sqrt(high)
  if x > 0 then
    local uEven, uOdd, vEven, vOdd = asymptoticSums(xi, 1)
    local half = exp(xi / 2)
    local decay, growth = (1 - xiLow) / half / half / (2 * sqrt(pi)), (1 + xiLow) * half / sqrt(pi)
    return decay * (uEven - uOdd) / fourth, -decay * (vEven - vOdd) * fourth, growth * (uEven + uOdd) / fourth * half,
      growth * (vEven + vOdd) * fourth * half
  end
  if size > 1e10 then return nan, nan, nan, nan, 'total loss of precision' end
  local uEven, uOdd, vEven, vOdd = asymptoticSums(xi, -1)
  local s, c = sin(xi), cos(xi)
  s, c = s + c * xiLow, c - s * xiLow
  local sine, cosine = (s - c) / sqrt(2), (c + s) / sqrt(2)      -- of xi - pi / 4
  local scale = 1 / sqrt(pi)
  return scale / fourth * (cosine * uEven + sine * uOdd), scale * fourth * (sine * vEven - cosine * vOdd),
    scale / fourth * (cosine * uOdd - sine * uEven), scale * fourth * (cosine * vEven + sine * vOdd)
end
