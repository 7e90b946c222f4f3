--- A quantised tensor: integers of 8 bits, and the scale and zero point by which they represent numbers.
-- Views (`view`, `narrow`, `select`, `transpose`, `t`) share the integers, `q[i]` selects along dimension 1; `torch.save` writes it.
-- Negative dimensions count from the end.
-- @classmod quantize.Tensor
local torch = require 'torch'
local check, messages = require 'torch.check', require 'torch.check.message'
local scales = require 'quantize.scales'

local Tensor = torch.class('quantize.Tensor', {})

local function refuse(name, actual, expected)
  check.raise(('quantize.Tensor: %s: %s, expected %s'):format(name, messages.value(actual), expected))
end

local function create(integers, scale, zero, axis)
  local self = torch.factory 'quantize.Tensor' ()
  self.integers, self.scale, self.zero, self.axis = integers, scale, zero, axis
  return self
end

-- A dimension of a quantised tensor, counted from the start.
local function dimOf(self, method, name, dim) return check.dim('quantize.Tensor: ' .. method, name, self.integers, dim, true) end

-- Checks that scales or zero points are one number, or a tensor with one element for each of `count` slices, and returns them as a tensor.
local function perSlice(name, value, count, type)
  if value == nil then return nil end
  local list = torch.isTensor(value) and value or _G.type(value) == 'number' and torch.Tensor { value }
    or refuse(name, value, 'a number or a tensor')
  if list:nElement() ~= count then refuse(name, value, ('%d elements'):format(count)) end
  return list:reshape(count):type(type)
end

-- Checks that all elements of scales or zero points lie in a range.
local function expectRange(name, value, list, least, most, expected)
  if list and list:nElement() > 0 and not (list:min() >= least and list:max() <= most) then refuse(name, value, expected) end
end

--- @tparam torch.Tensor x floats
-- @tparam[opt] table options `axis`: one scale for each slice of this dimension; `symmetric`: integers with a sign, zero points 0 (default
-- false); `scale`, `zero`: numbers, or tensors with an element for each slice, instead of those of the range of x
-- @raise if x is no tensor of floats, or an option does not fit
function Tensor:__init(x, options)
  if not torch.isTensor(x) or not x:isFloatingPoint() then refuse('x', x, 'a tensor of floats') end
  options = check.options('quantize.Tensor', options, { 'axis', 'symmetric', 'scale', 'zero' })
  local axis = options.axis ~= nil and check.dim('quantize.Tensor', 'axis', x, options.axis) or nil
  local count = axis and x:size(axis) or 1
  local scale, zero = perSlice('scale', options.scale, count, 'torch.FloatTensor'),
    perSlice('zero', options.zero, count, 'torch.DoubleTensor')
  expectRange('scale', options.scale, scale, 1.4012984643248171e-45, 3.4028234663852886e38, 'finite numbers above 0')
  local first = options.symmetric and -128 or 0
  expectRange('zero', options.zero, zero, first, first + 255, ('whole numbers from %d to %d'):format(first, first + 255))
  if zero and not torch.equal(zero, torch.floor(zero)) then refuse('zero', options.zero, 'whole numbers') end
  zero = zero and zero:int()
  if not scale then
    local slices = axis and x:transpose(1, axis):contiguous() or x
    local found, centre = scales.ofWeight(slices, axis ~= nil, options.symmetric, 'quantize.Tensor: x')
    scale, zero = found, zero or centre and torch.add(centre, options.symmetric and 0 or 128)
  end
  self.scale, self.axis = scale, axis
  self.zero = zero or torch.zeros(count):int()
  self.integers = torch.quantize(x:detach(), scale, self.zero, axis, options.symmetric and 'torch.CharTensor' or 'torch.ByteTensor')
end

--- Returns the numbers.
-- @treturn torch.FloatTensor
function Tensor:dequantize() return torch.dequantize(self.integers, self.scale, self.zero, self.axis) end

--- Returns the sizes, or one of them.
-- @int[opt] dim
function Tensor:size(dim)
  if dim == nil then return self.integers:size() end
  return self.integers:size(dim)
end

--- Returns the number of dimensions.
function Tensor:dim() return self.integers:dim() end

--- Returns the number of elements.
function Tensor:nElement() return self.integers:nElement() end

--- Returns the bytes of integers, scales and zero points.
function Tensor:bytes() return self.integers:nElement() + 4 * (self.scale:nElement() + self.zero:nElement()) end

--- Returns a copy.
function Tensor:clone() return create(self.integers:clone(), self.scale:clone(), self.zero:clone(), self.axis) end

--- Returns a view of `length` slices of a dimension from `first` on.
-- @int dim
-- @int first
-- @int length
function Tensor:narrow(dim, first, length)
  dim = dimOf(self, 'narrow', 'dim', dim)
  local integers = self.integers:narrow(dim, first, length)
  if dim ~= self.axis then return create(integers, self.scale, self.zero, self.axis) end
  return create(integers, self.scale:narrow(1, first, length), self.zero:narrow(1, first, length), self.axis)
end

--- Returns a view of one slice of a dimension; of a vector, the number.
-- @int dim
-- @int index
function Tensor:select(dim, index)
  dim = dimOf(self, 'select', 'dim', dim)
  local integers = self.integers:select(dim, index)
  if not torch.isTensor(integers) then return self:narrow(dim, index, 1):dequantize()[1] end
  if dim == self.axis then return create(integers, self.scale:narrow(1, index, 1), self.zero:narrow(1, index, 1)) end
  return create(integers, self.scale, self.zero, self.axis and self.axis > dim and self.axis - 1 or self.axis)
end

--- Returns a view with two dimensions exchanged.
-- @int first
-- @int second
function Tensor:transpose(first, second)
  first, second = dimOf(self, 'transpose', 'first', first), dimOf(self, 'transpose', 'second', second)
  local axis = self.axis == first and second or self.axis == second and first or self.axis
  return create(self.integers:transpose(first, second), self.scale, self.zero, axis)
end

--- Returns the transposed matrix, a view.
function Tensor:t() return self:transpose(1, 2) end

--- Returns a view with other sizes. With an axis, the dimension `axis` and all before keep their sizes.
-- @int ... the sizes
-- @raise if the slices of the axis would change
function Tensor:view(...)
  local integers = self.integers:view(...)
  for d = 1, self.axis or 0 do
    if integers:dim() < d or integers:size(d) ~= self.integers:size(d) then
      check.raise(('quantize.Tensor: view: %s, expected the sizes up to dimension %d, which has the scales'):format(
        messages.value(integers), self.axis))
    end
  end
  return create(integers, self.scale, self.zero, self.axis)
end

function Tensor.__index(self, key)
  if type(key) == 'number' then return Tensor.select(self, 1, key) end
  return Tensor[key]
end

function Tensor:__tostring()
  local function text(list) return list:nElement() == 1 and ('%g'):format(list[1]) or ('%d of them'):format(list:nElement()) end
  return ('%s[quantize.Tensor: %s, scale %s, zero point %s%s]'):format(tostring(self:dequantize()), self.integers:type(),
    text(self.scale), text(self.zero), self.axis and (', along dimension %d'):format(self.axis) or '')
end

return Tensor
