--- Functions of C's mathematical library that Lua lacks, and sines and cosines of multiples of pi.
-- @module cephes.libm
local ffi = require 'ffi'

ffi.cdef [[
  double mt_expm1(double) asm("expm1");
  double mt_log1p(double) asm("log1p");
  double mt_tgamma(double) asm("tgamma");
  double mt_lgamma(double) asm("lgamma");
  double mt_cbrt(double) asm("cbrt");
  double mt_rint(double) asm("rint");
  double mt_exp2(double) asm("exp2");
  double mt_log2(double) asm("log2");
  double mt_asinh(double) asm("asinh");
  double mt_acosh(double) asm("acosh");
  double mt_atanh(double) asm("atanh");
  double mt_hypot(double, double) asm("hypot");
]]
local C = ffi.C
local abs, floor, sin, pi = math.abs, math.floor, math.sin, math.pi

local libm = {}

--- exp(x) - 1.
-- @number x
function libm.expm1(x) return C.mt_expm1(x) end

--- log(1 + x).
-- @number x
function libm.log1p(x) return C.mt_log1p(x) end

--- Cube root.
-- @number x
function libm.cbrt(x) return C.mt_cbrt(x) end

--- 2^x.
-- @number x
function libm.exp2(x) return C.mt_exp2(x) end

--- Logarithm to base 2.
-- @number x
function libm.log2(x) return C.mt_log2(x) end

--- Inverse hyperbolic sine.
-- @number x
function libm.asinh(x) return C.mt_asinh(x) end

--- Inverse hyperbolic cosine.
-- @number x
function libm.acosh(x) return C.mt_acosh(x) end

--- Inverse hyperbolic tangent.
-- @number x
function libm.atanh(x) return C.mt_atanh(x) end

--- sqrt(x^2 + y^2).
-- @number x
-- @number y
function libm.hypot(x, y) return C.mt_hypot(x, y) end

--- The nearest whole number, of two the even one.
-- @number x
function libm.rint(x) return C.mt_rint(x) end

--- Gamma function; NaN at its poles.
-- @number x
function libm.gamma(x)
  if x <= 0 and floor(x) == x then return 0 / 0 end
  return C.mt_tgamma(x)
end

--- 1 / gamma(x), 0 at the poles.
-- @number x
function libm.inverseGamma(x)
  if x <= 0 and floor(x) == x then return 0 end
  return 1 / C.mt_tgamma(x)
end

--- Logarithm of |gamma(x)|.
-- @number x
-- @treturn number
-- @treturn number sign of gamma(x)
function libm.logGamma(x)
  return C.mt_lgamma(x), x < 0 and floor(x) % 2 == 1 and -1 or 1
end

--- y^v / gamma(v + 1), for y > 0; for large v without the overflow of either, by Stirling's series.
-- @number y
-- @number v above -1, or no whole number
-- @treturn number
function libm.powerOverGamma(y, v)
  if v < 100 then return y ^ v * libm.inverseGamma(v + 1) end
  local square = v * v
  local correction = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / square) / square) / square) / v
  return math.exp(v * (1 + math.log(y / v)) - correction) / math.sqrt(2 * pi * v)
end

--- sin(pi x), 0 at whole numbers.
-- @number x
function libm.sinpi(x)
  if x < 0 then return -libm.sinpi(-x) end
  local r = x % 2
  if r > 1 then return -libm.sinpi(r - 1) end
  if r > 0.5 then r = 1 - r end
  return sin(pi * r)
end

--- cos(pi x).
-- @number x
function libm.cospi(x)
  return libm.sinpi(0.5 - abs(x) % 2)
end

return libm
