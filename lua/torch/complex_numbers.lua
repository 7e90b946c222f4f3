--- Arithmetic of LuaJIT's complex numbers, which are values: operations return new ones.
-- @module torch.complex_numbers
local ffi = require 'ffi'

local type, istype = type, ffi.istype
local sqrt, exp, log, sin, cos, atan2, abs = math.sqrt, math.exp, math.log, math.sin, math.cos, math.atan2, math.abs
local complex, complexFloat = ffi.typeof 'complex', ffi.typeof 'complex float'

-- Returns the parts of an operand, nil if it is no number.
local function parts(z)
  if type(z) == 'number' then return z, 0 end
  if istype(complex, z) or istype(complexFloat, z) then return z.re, z.im end
  if type(z) == 'cdata' then
    local number = tonumber(z)      -- of a 64-bit integer
    if number then return number, 0 end
  end
end

-- Operations of a number and a tensor where an op takes the tensor first.
local exchanged = {
  __add = function(number, x) return x + number end,
  __sub = function(number, x) return require('torch').rsub(x, number) end,
  __div = function(number, x) return require('torch').cinv(x) * number end,      -- as of real numbers
}

-- Returns an operation of tensors, dense or sparse, if one of the operands is a tensor.
local function ofTensors(name, a, b)
  local C, class = require 'libmoontorch', require 'torch.class'
  if C.isTensor(b) and exchanged[name] and not C.isTensor(a) then return exchanged[name](a, b) end
  if C.isTensor(a) or C.isTensor(b) then return C.operators[name](a, b) end
  local other = parts(a) == nil and a or b
  local record = class.recordOf(other)
  local hook = record and class.find(record, name .. '__')
  if hook then return (hook(a, b)) end
  error(('complex: operand: %s, expected a number'):format(class.type(other)), 3)
end

local function magnitude(x, y)
  x, y = abs(x), abs(y)
  if x < y then x, y = y, x end
  if x == 0 or x == math.huge then return x end
  local ratio = y / x
  return x * sqrt(1 + ratio * ratio)
end

-- By Smith's method, as the elements of tensors (engine/core/complex.h).
local function quotient(a, b, c, d)
  if abs(c) >= abs(d) then
    local ratio = c == 0 and 0 or d / c
    local divisor = c == 0 and 0 or c + d * ratio
    return complex((a + b * ratio) / divisor, (b - a * ratio) / divisor)
  end
  local ratio = c / d
  local divisor = d + c * ratio
  return complex((b + a * ratio) / divisor, (b * ratio - a) / divisor)
end

local methods = {}

--- Returns the magnitude.
function methods.abs(z) return magnitude(z.re, z.im) end
--- Returns the angle in radians, in -pi..pi.
function methods.angle(z) return atan2(z.im, z.re) end
--- Returns the conjugate.
function methods.conj(z) return complex(z.re, -z.im) end
--- Returns the real part.
function methods.real(z) return z.re end
--- Returns the imaginary part.
function methods.imag(z) return z.im end

--- The functions of the metatable of complex numbers; `__index` has the methods.
local operators = { __index = methods }

function operators.__add(x, y)
  local a, b = parts(x)
  local c, d = parts(y)
  if not (a and c) then return ofTensors('__add', x, y) end
  return complex(a + c, b + d)
end

function operators.__sub(x, y)
  local a, b = parts(x)
  local c, d = parts(y)
  if not (a and c) then return ofTensors('__sub', x, y) end
  return complex(a - c, b - d)
end

function operators.__mul(x, y)
  local a, b = parts(x)
  local c, d = parts(y)
  if not (a and c) then return ofTensors('__mul', x, y) end
  return complex(a * c - b * d, a * d + b * c)
end

function operators.__div(x, y)
  local a, b = parts(x)
  local c, d = parts(y)
  if not (a and c) then return ofTensors('__div', x, y) end
  return quotient(a, b, c, d)
end

function operators.__unm(z) return complex(-z.re, -z.im) end

function operators.__pow(x, y)
  local a, b = parts(x)
  local c, d = parts(y)
  if not (a and c) then return ofTensors('__pow', x, y) end
  if d == 0 and c % 1 == 0 and abs(c) <= 64 then      -- by products, exact for whole numbers
    local re, im, n = 1, 0, abs(c)
    while n > 0 do
      if n % 2 == 1 then re, im = re * a - im * b, re * b + im * a end
      a, b = a * a - b * b, 2 * a * b
      n = (n - n % 2) / 2
    end
    if c < 0 then return quotient(1, 0, re, im) end
    return complex(re, im)
  end
  if a == 0 and b == 0 then return complex(0, 0) end
  local r, angle = log(magnitude(a, b)), atan2(b, a)
  local scale, turned = exp(c * r - d * angle), d * r + c * angle
  return complex(scale * cos(turned), scale * sin(turned))
end

function operators.__eq(x, y)
  local a, b = parts(x)
  local c, d = parts(y)
  return a ~= nil and a == c and b == d
end

return operators
