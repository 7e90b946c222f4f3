--- Elementary functions; part of the package cephes.
--
-- Those of C's mathematical library, with its accuracy (1 or 2 bits); those of degrees reduce their arguments exactly.
-- @module cephes.elementary
local torch = require 'torch'
local check, define = require 'torch.check', require 'cephes.define'
local doubles, libm = require 'cephes.double_double', require 'cephes.libm'
local abs, exp, floor, huge, pi, sin = math.abs, math.exp, math.floor, math.huge, math.pi, math.sin

local cephes = {}

-- The angle in -90..90 with the same sine, exactly.
local function acute(x)
  x = math.fmod(x, 360)
  if abs(x) > 180 then x = x - (x > 0 and 360 or -360) end
  if abs(x) > 90 then x = (x > 0 and 180 or -180) - x end
  return x
end

local function sindg(x) return libm.sinpi(acute(x) / 180) end

local function cosdg(x)
  local r = math.fmod(abs(x), 360)
  return libm.sinpi((r < 180 and 90 - r or r - 270) / 180)
end

local function expx2(x, sign)
  local high, low = doubles.exactProduct(x, x)
  if not (high < 1e4) then low = 0 end
  if sign < 0 then high, low = -high, -low end
  local value = exp(high)
  return value == huge and value or value * (1 + low)
end

local function cosm1(x)
  local half = sin(x / 2)
  return -2 * half * half
end

local split = define.several('frexp', { 'x' }, { 'mantissa', 'exponent' }, math.frexp)
local never, singular = { neverZero = true }, { isPole = true }

--- Exponential function: f([result,] x).
cephes.exp = define('exp', { 'x' }, exp, never)

--- 2^x: f([result,] x).
cephes.exp2 = define('exp2', { 'x' }, libm.exp2, never)

--- 10^x: f([result,] x).
cephes.exp10 = define('exp10', { 'x' }, function(x) return 10 ^ x end, never)

--- exp(x) - 1: f([result,] x).
cephes.expm1 = define('expm1', { 'x' }, libm.expm1)

--- exp(x^2) for sign >= 0, exp(-x^2) below: f([result,] x, sign).
cephes.expx2 = define('expx2', { 'x', 'sign' }, expx2, never)

--- Natural logarithm: f([result,] x).
cephes.log = define('log', { 'x' }, math.log, singular)

--- Logarithm to base 2: f([result,] x).
cephes.log2 = define('log2', { 'x' }, libm.log2, singular)

--- Logarithm to base 10: f([result,] x).
cephes.log10 = define('log10', { 'x' }, math.log10, singular)

--- log(1 + x): f([result,] x).
cephes.log1p = define('log1p', { 'x' }, libm.log1p, singular)

--- x^y: f([result,] x, y).
cephes.pow = define('pow', { 'x', 'y' }, function(x, y) return x ^ y end)

--- x^n for whole n, NaN for others: f([result,] x, n).
cephes.powi = define('powi', { 'x', 'n' }, function(x, n) return floor(n) == n and x ^ n or 0 / 0 end)

--- Square root: f([result,] x).
cephes.sqrt = define('sqrt', { 'x' }, math.sqrt)

--- Cube root: f([result,] x).
cephes.cbrt = define('cbrt', { 'x' }, libm.cbrt)

--- Sine: f([result,] x), radians.
cephes.sin = define('sin', { 'x' }, sin)

--- Cosine: f([result,] x), radians.
cephes.cos = define('cos', { 'x' }, math.cos)

--- Tangent: f([result,] x), radians.
cephes.tan = define('tan', { 'x' }, math.tan)

--- Cotangent: f([result,] x), radians.
cephes.cot = define('cot', { 'x' }, function(x) return 1 / math.tan(x) end, singular)

--- Inverse sine: f([result,] x).
cephes.asin = define('asin', { 'x' }, math.asin)

--- Inverse cosine: f([result,] x).
cephes.acos = define('acos', { 'x' }, math.acos)

--- Inverse tangent: f([result,] x).
cephes.atan = define('atan', { 'x' }, math.atan)

--- Angle of the point (x, y), in -pi..pi: f([result,] y, x).
cephes.atan2 = define('atan2', { 'y', 'x' }, math.atan2)

--- Hyperbolic sine: f([result,] x).
cephes.sinh = define('sinh', { 'x' }, math.sinh)

--- Hyperbolic cosine: f([result,] x).
cephes.cosh = define('cosh', { 'x' }, math.cosh)

--- Hyperbolic tangent: f([result,] x).
cephes.tanh = define('tanh', { 'x' }, math.tanh)

--- Inverse hyperbolic sine: f([result,] x).
cephes.asinh = define('asinh', { 'x' }, libm.asinh)

--- Inverse hyperbolic cosine: f([result,] x).
cephes.acosh = define('acosh', { 'x' }, libm.acosh)

--- Inverse hyperbolic tangent: f([result,] x).
cephes.atanh = define('atanh', { 'x' }, libm.atanh, singular)

--- Sine of an angle in degrees: f([result,] x).
cephes.sindg = define('sindg', { 'x' }, sindg)

--- Cosine of an angle in degrees: f([result,] x).
cephes.cosdg = define('cosdg', { 'x' }, cosdg)

--- Tangent of an angle in degrees: f([result,] x).
cephes.tandg = define('tandg', { 'x' }, function(x) return sindg(x) / cosdg(x) end, singular)

--- Cotangent of an angle in degrees: f([result,] x).
cephes.cotdg = define('cotdg', { 'x' }, function(x) return cosdg(x) / sindg(x) end, singular)

--- cos(x) - 1: f([result,] x).
cephes.cosm1 = define('cosm1', { 'x' }, cosm1)

--- Radians of degrees, minutes and seconds: f([result,] d, m, s).
cephes.radian = define('radian', { 'd', 'm', 's' }, function(d, m, s) return ((d * 60 + m) * 60 + s) * pi / 648000 end)

--- Sine and cosine of an angle in degrees: f(x) returns both. As in C, with pointers to doubles as further arguments these receive the
-- values; a flag after them is ignored.
cephes.sincos = define.several('sincos', { 'x' }, { 's', 'c' }, function(x) return sindg(x), cosdg(x) end)

--- sqrt(x^2 + y^2): f([result,] x, y).
cephes.hypot = define('hypot', { 'x', 'y' }, libm.hypot)

--- The smallest whole number that is not below x: f([result,] x).
cephes.ceil = define('ceil', { 'x' }, math.ceil)

--- The largest whole number that is not above x: f([result,] x).
cephes.floor = define('floor', { 'x' }, floor)

--- The nearest whole number, of two the even one: f([result,] x).
cephes.round = define('round', { 'x' }, libm.rint)

--- Absolute value: f([result,] x).
cephes.fabs = define('fabs', { 'x' }, abs)

--- Mantissa, from 0.5 to 1, and exponent of a power of 2: f(x) returns both. With a pointer to an int as a further argument only the
-- mantissa, and the exponent there.
function cephes.frexp(...)
  local x, pointer = ...
  if select('#', ...) ~= 2 or type(pointer) ~= 'cdata' then return split(...) end
  if not define.isPointer(pointer, 'int') then check.raise 'cephes.frexp: exponent: another value, expected a pointer to an int' end
  local mantissa, exponent = split(check.number('cephes.frexp', 'x', x))
  pointer[0] = exponent
  return mantissa
end

--- x 2^n: f([result,] x, n).
cephes.ldexp = define('ldexp', { 'x', 'n' }, function(x, n) return math.ldexp(x, math.max(-3000, math.min(3000, n))) end)

--- 1 for negative numbers, also -0, 0 for others: f([result,] x).
cephes.signbit = define('signbit', { 'x' }, function(x) return (x < 0 or x == 0 and 1 / x < 0) and 1 or 0 end)

--- A random number from 1 to 2, of torch's generator. As in C, a pointer to a double as an argument receives it.
function cephes.drand(...)
  local value = 1 + torch.uniform()
  if select('#', ...) == 0 then return value end
  if not define.isPointer((...)) then check.raise(('cephes.drand: a: a %s, expected a pointer to a double'):format(torch.type((...)))) end
  local pointer = ...
  pointer[0] = value
  return 0
end

return cephes
