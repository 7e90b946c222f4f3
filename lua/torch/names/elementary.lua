--- NumPy's elementwise functions over torch's: roots, parts, neighbours of floats, angles without jumps.
-- @module torch.names.elementary
local ffi = require 'ffi'
local torch, check = require 'torch', require 'torch.check'
local asFloats = require 'torch.names.as_floats'
local broadcast = require 'torch.names.broadcast'

local elementary = {}

--- Returns the cube root of each element, of negative ones too.
-- @tparam torch.Tensor x
-- @treturn torch.Tensor
function elementary.cbrt(x)
  x = asFloats(check.tensor('cbrt', 'x', x))
  local magnitude = torch.abs(x)
  local y = torch.pow(magnitude, 1 / 3)
  -- One step of Newton's method removes the error of the rounded exponent.
  local square = torch.square(y)
  local step = torch.cdiv(torch.csub(torch.cmul(square, y), magnitude), torch.mul(square, 3))
  local isFinite = torch.cmul(torch.isfinite(step), torch.gt(y, 0))
  return torch.cmul(torch.csub(y, torch.where(isFinite, step, 0)), torch.sign(x))
end

--- Returns the whole number below each quotient, and the remainder, which has the divisor's sign.
-- @tparam torch.Tensor|number x
-- @tparam torch.Tensor|number y one of them is a tensor; sizes broadcast
-- @treturn torch.Tensor
-- @treturn torch.Tensor
function elementary.divmod(x, y)
  if type(x) == 'number' then x = check.tensor('divmod', 'y', y).new(1):fill(x) end
  check.tensor('divmod', 'x', x)
  x, y = check.call(broadcast.pair, 'divmod', 'y', x, y)
  return check.call(torch.floorDivide, x, y), check.call(torch.remainder, x, y)
end

--- Returns the fractional and the whole part of each element, both with its sign.
-- @tparam torch.Tensor x
-- @treturn torch.Tensor
-- @treturn torch.Tensor
function elementary.modf(x)
  x = asFloats(check.tensor('modf', 'x', x))
  local whole = torch.trunc(x)
  return torch.copysign(torch.where(torch.isinf(x), 0, torch.csub(x, whole)), x), whole
end

-- Applies a function to the parts of complex numbers.
local function eachPart(f, x, ...) return torch.complex(f(torch.real(x), ...), f(torch.imag(x), ...)) end

--- Returns each element rounded to the nearest whole number, halves to the even one.
-- @tparam torch.Tensor x, of complex numbers both parts
-- @treturn torch.Tensor of x's type
function elementary.rint(x)
  check.tensor('rint', 'x', x)
  if x:isComplex() then return eachPart(elementary.rint, x) end
  if not x:isFloatingPoint() then return torch.clone(x) end
  local isHalf = torch.eq(torch.abs(torch.csub(x, torch.trunc(x))), 0.5)
  return torch.where(isHalf, torch.mul(torch.round(torch.mul(x, 0.5)), 2), torch.round(x))
end

--- Returns each element rounded to a number of decimals, halves to the even digit.
-- @tparam torch.Tensor x, of complex numbers both parts
-- @int[opt=0] decimals negative ones round to tens, hundreds, ...
-- @treturn torch.Tensor of x's type
function elementary.around(x, decimals)
  check.tensor('around', 'x', x)
  decimals = check.int('around', 'decimals', decimals or 0)
  if x:isComplex() then return eachPart(elementary.around, x, decimals) end
  if decimals == 0 or not x:isFloatingPoint() and decimals > 0 then return elementary.rint(x) end
  local scale, floats = 10 ^ math.abs(decimals), asFloats(x)
  local y = decimals > 0 and torch.div(elementary.rint(torch.mul(floats, scale)), scale)
    or torch.mul(elementary.rint(torch.div(floats, scale)), scale)
  return y:typeAs(x)
end

-- Floats as integers of the same order: type -> the C type, and its bit of the sign.
local layouts = { Double = { 'int64_t', 63 }, Float = { 'int32_t', 31 }, Half = { 'int16_t', 15 } }

--- Returns the next float after each element of x towards y. Not on the tape.
-- @tparam torch.Tensor x DoubleTensor, FloatTensor or HalfTensor; integers are taken as floats
-- @tparam torch.Tensor|number y sizes broadcast
-- @treturn torch.Tensor
function elementary.nextafter(x, y)
  check.tensor('nextafter', 'x', x)
  x = asFloats(x):detach()
  if type(y) == 'number' then y = x.new(1):fill(y) end
  y = check.tensor('nextafter', 'y', y):detach():typeAs(x)
  local pair = check.call(broadcast.list, 'nextafter', 'y', { x, y })
  local layout = layouts[x:type():match '%.(%a+)Tensor$']
  if not layout or x:device() ~= 'cpu' then
    check.raise(('nextafter: x: %s, expected a DoubleTensor, FloatTensor or HalfTensor'):format(x:type()), 'dtype')
  end
  local result, target = torch.clone(pair[1]):contiguous(), pair[2]
  local n = result:nElement()
  if n == 0 then return result end
  local up = torch.gt(target, result):contiguous()
  local isSame = torch.eq(target, result):contiguous()
  local isZero = torch.eq(result, 0):contiguous()
  local isNan = torch.cmax(torch.isnan(target), torch.isnan(result))
  local pointer = ffi.cast(layout[1] .. ' *', ffi.cast('void *', result:data()))
  local rises, stays, zero = up:data(), isSame:data(), isZero:data()
  for i = 0, n - 1 do
    if stays[i] == 0 then
      local bits = pointer[i]
      if zero[i] == 1 then
        -- The smallest magnitude with the sign of the direction.
        pointer[i] = rises[i] == 1 and 1 or ffi.cast(layout[1], 2LL ^ layout[2] + 1)
      elseif (bits >= 0) == (rises[i] == 1) then
        pointer[i] = bits + 1
      else
        pointer[i] = bits - 1
      end
    end
  end
  return torch.where(torch.reshape(isNan, result:size()), 0 / 0, torch.where(isSame, target, result))
end

--- Returns the distance from each element to the next float away from 0, with its sign.
-- @tparam torch.Tensor x
-- @treturn torch.Tensor
function elementary.spacing(x)
  x = asFloats(check.tensor('spacing', 'x', x)):detach()
  local magnitude = torch.abs(x)
  local step = torch.csub(elementary.nextafter(magnitude, math.huge), magnitude)
  return torch.where(torch.isinf(x), 0 / 0, torch.copysign(step, x))
end

--- Returns the number of ones among the bits of each magnitude.
-- @tparam torch.Tensor x integers
-- @treturn torch.Tensor bytes
-- @raise for floats
function elementary.bitwiseCount(x)
  check.tensor('bitwiseCount', 'x', x)
  if x:isFloatingPoint() then check.raise(('bitwiseCount: x: %s, expected integers'):format(x:type()), 'dtype') end
  local rest = torch.abs(x:long())
  local count = torch.bitwiseAnd(rest, 1)
  for _ = 1, 8 * x:elementSize() - 1 do
    rest = torch.rshift(rest, 1)
    count = torch.add(count, torch.bitwiseAnd(rest, 1))
  end
  return count:byte()
end

--- Returns angles without jumps: where neighbours differ by more than half a period, whole periods are added behind.
-- @tparam torch.Tensor x
-- @int[opt=-1] dim
-- @number[opt=2 pi] period
-- @number[opt=period / 2] discont smaller jumps stay
-- @treturn torch.Tensor of x's sizes
function elementary.unwrap(x, dim, period, discont)
  x = asFloats(check.tensor('unwrap', 'x', x))
  dim = check.dim('unwrap', 'dim', x, dim or -1)
  period = check.number('unwrap', 'period', period or 2 * math.pi)
  discont = check.number('unwrap', 'discont', discont or period / 2)
  local n = x:size(dim)
  if n < 2 then return torch.clone(x) end
  local jump = torch.diff(x, 1, dim):detach()
  local near = torch.add(torch.remainder(torch.add(jump, period / 2), period), -period / 2)
  near = torch.where(torch.cmul(torch.eq(near, -period / 2), torch.gt(jump, 0)), period / 2, near)
  local correction = torch.where(torch.lt(torch.abs(jump), math.max(discont, period / 2)), 0, torch.csub(near, jump))
  local rest = torch.add(torch.narrow(x, dim, 2, n - 1), torch.cumsum(correction, dim))
  return torch.cat(torch.narrow(x, dim, 1, 1), rest, dim)
end

return elementary
