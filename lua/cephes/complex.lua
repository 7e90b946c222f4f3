--- Functions of complex numbers; part of the package cephes. A number is a C struct with the fields r and i, made by `new_cmplx`.
-- f(z [, w]) stores the result in w, or in a new number, and returns it. Functions of two numbers have C's order, f(a, b [, c]).
--
-- Sources: Kahan (1987), "Branch cuts for complex elementary functions"; DLMF 4.21, 4.23, 4.35.
-- @module cephes.complex
local ffi = require 'ffi'
local exactProduct, exactSum = require('cephes.double_double').exactProduct, require('cephes.double_double').exactSum
local check, define, libm = require 'torch.check', require 'cephes.define', require 'cephes.libm'
local abs, atan2, cos, cosh, exp, huge, log = math.abs, math.atan2, math.cos, math.cosh, math.exp, math.huge, math.log
local sin, sinh, sqrt, tan, tanh = math.sin, math.sinh, math.sqrt, math.tan, math.tanh

local number = ffi.typeof 'struct { double r; double i; }'
local cephes = {}

--- Makes a complex number.
-- @number[opt=0] re
-- @number[opt=0] im
-- @treturn cdata with the fields r and i
function cephes.new_cmplx(re, im)
  for name, x in pairs { re = re, im = im } do
    if type(x) ~= 'number' then check.raise(('cephes.new_cmplx: %s: a %s, expected a number'):format(name, type(x))) end
  end
  return number(re or 0, im or 0)
end

local function verify(name, argument, z)
  if not ffi.istype(number, z) then
    check.raise(('cephes.%s: %s: a %s, expected a number made by cephes.new_cmplx'):format(name, argument, type(z)))
  end
end

-- The structs are passed by value to `compute`, as pairs.
local function unary(name, compute)
  local function f(z, w)
    verify(name, 'z', z)
    if w == nil then w = number() else verify(name, 'w', w) end
    w.r, w.i = compute(z.r, z.i)
    return w
  end
  define.plain[name] = f
  return f
end

local function binary(name, compute)
  local function f(a, b, c)
    verify(name, 'a', a)
    verify(name, 'b', b)
    if c == nil then c = number() else verify(name, 'c', c) end
    c.r, c.i = compute(a.r, a.i, b.r, b.i)
    return c
  end
  define.plain[name] = f
  return f
end

local function divide(ar, ai, br, bi)      -- b / a, Smith (1962)
  if abs(ar) >= abs(ai) then
    local ratio = ai / ar
    local scale = ar + ai * ratio
    return (br + bi * ratio) / scale, (bi - br * ratio) / scale
  end
  local ratio = ar / ai
  local scale = ar * ratio + ai
  return (br * ratio + bi) / scale, (bi * ratio - br) / scale
end

local function squareRoot(x, y)
  if x == 0 and y == 0 then return 0, y end
  local scale = 1
  if abs(x) > 1e300 or abs(y) > 1e300 then x, y, scale = x / 16, y / 16, 4 end
  if abs(x) < 1e-290 and abs(y) < 1e-290 then x, y, scale = x * 2 ^ 100, y * 2 ^ 100, 2 ^ -50 end
  local root = sqrt((abs(x) + libm.hypot(x, y)) / 2)
  local other = y / (2 * root)
  if x >= 0 then return root * scale, other * scale end
  return abs(other) * scale, (y < 0 or 1 / y < 0) and -root * scale or root * scale
end

local function exponential(x, y)
  if y == 0 then return exp(x), y end
  local half = exp(x / 2)
  return half * cos(y) * half, half * sin(y) * half
end

local function logarithm(x, y)
  local size = libm.hypot(x, y)
  if size > 0.5 and size < 2 then      -- near 1 the logarithm of the rounded size has few digits
    local most, mostLow = exactProduct(math.max(abs(x), abs(y)), math.max(abs(x), abs(y)))
    local least, leastLow = exactProduct(math.min(abs(x), abs(y)), math.min(abs(x), abs(y)))
    local high, low = exactSum(most - 1, least)
    return libm.log1p(high + (low + mostLow + leastLow)) / 2, atan2(y, x)
  end
  return size == huge and log(libm.hypot(x / 4, y / 4)) + log(4) or log(size), atan2(y, x)
end

local function sine(x, y) return sin(x) * cosh(y), cos(x) * sinh(y) end
local function cosine(x, y) return cos(x) * cosh(y), -sin(x) * sinh(y) end

local function tangent(x, y)
  local t, h, c = tan(x), tanh(y), cosh(y)
  local scale = 1 + (t * h) * (t * h)
  return t / scale / c / c, h * (1 + t * t) / scale
end

local function inverseSine(x, y)
  local ar, ai = squareRoot(1 - x, -y)
  local br, bi = squareRoot(1 + x, y)
  return atan2(x, ar * br - ai * bi), libm.asinh(ar * bi - ai * br)
end

local function inverseCosine(x, y)
  local ar, ai = squareRoot(1 - x, -y)
  local br, bi = squareRoot(1 + x, y)
  return 2 * atan2(ar, br), libm.asinh(br * ai - bi * ar)
end

local function inverseTangent(x, y)
  local rest = abs(x) > abs(y) and (1 - x) * (1 + x) - y * y or (1 - y) * (1 + y) - x * x
  return atan2(2 * x, rest) / 2, libm.log1p(4 * y / (x * x + (y - 1) * (y - 1))) / 4
end

local function inverseCosh(x, y)
  local ar, ai = squareRoot(x - 1, y)
  local br, bi = squareRoot(x + 1, y)
  return libm.asinh(ar * br + ai * bi), 2 * atan2(ai, br)
end

-- f(i z) / i.
local function turned(f)
  return function(x, y)
    local re, im = f(-y, x)
    return im, -re
  end
end

local function power(ar, ai, zr, zi)
  if ar == 0 and ai == 0 then return (zr == 0 and zi == 0) and 1 or zr > 0 and 0 or huge, 0 end
  local re, im = logarithm(ar, ai)
  return exponential(zr * re - zi * im, zr * im + zi * re)
end

--- Absolute value, a number.
-- @tparam cdata z
-- @treturn number
function cephes.cabs(z)
  verify('cabs', 'z', z)
  return libm.hypot(z.r, z.i)
end

--- c = b + a.
-- @function cadd
cephes.cadd = binary('cadd', function(ar, ai, br, bi) return br + ar, bi + ai end)

--- c = b - a.
-- @function csub
cephes.csub = binary('csub', function(ar, ai, br, bi) return br - ar, bi - ai end)

--- c = b a.
-- @function cmul
cephes.cmul = binary('cmul', function(ar, ai, br, bi) return br * ar - bi * ai, br * ai + bi * ar end)

--- c = b / a.
-- @function cdiv
cephes.cdiv = binary('cdiv', divide)

--- b = a.
-- @function cmov
cephes.cmov = unary('cmov', function(x, y) return x, y end)

--- Negates a number in place.
-- @tparam cdata a
-- @treturn cdata a
function cephes.cneg(a)
  verify('cneg', 'a', a)
  a.r, a.i = -a.r, -a.i
  return a
end

--- Square root, with a real part from 0 on.
-- @function csqrt
cephes.csqrt = unary('csqrt', squareRoot)

--- Exponential function.
-- @function cexp
cephes.cexp = unary('cexp', exponential)

--- Natural logarithm, with an imaginary part in -pi..pi.
-- @function clog
cephes.clog = unary('clog', logarithm)

--- Power a^z: f(a, z [, w]).
-- @function cpow
cephes.cpow = binary('cpow', power)

--- Sine.
-- @function csin
cephes.csin = unary('csin', sine)

--- Cosine.
-- @function ccos
cephes.ccos = unary('ccos', cosine)

--- Tangent.
-- @function ctan
cephes.ctan = unary('ctan', tangent)

--- Cotangent.
-- @function ccot
cephes.ccot = unary('ccot', function(x, y)
  local re, im = tangent(x, y)
  return divide(re, im, 1, 0)
end)

--- Inverse sine.
-- @function casin
cephes.casin = unary('casin', inverseSine)

--- Inverse cosine.
-- @function cacos
cephes.cacos = unary('cacos', inverseCosine)

--- Inverse tangent.
-- @function catan
cephes.catan = unary('catan', inverseTangent)

--- Hyperbolic sine.
-- @function csinh
cephes.csinh = unary('csinh', turned(sine))

--- Hyperbolic cosine.
-- @function ccosh
cephes.ccosh = unary('ccosh', function(x, y) return cosine(-y, x) end)

--- Hyperbolic tangent.
-- @function ctanh
cephes.ctanh = unary('ctanh', turned(tangent))

--- Inverse hyperbolic sine.
-- @function casinh
cephes.casinh = unary('casinh', turned(inverseSine))

--- Inverse hyperbolic cosine, with a real part from 0 on.
-- @function cacosh
cephes.cacosh = unary('cacosh', inverseCosh)

--- Inverse hyperbolic tangent.
-- @function catanh
cephes.catanh = unary('catanh', turned(inverseTangent))

for _, name in ipairs { 'cabs', 'cneg' } do define.plain[name] = cephes[name] end

return cephes
