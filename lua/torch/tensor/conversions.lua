--- Methods of tensors that return and change their type: x:type(), x:type(name), x:float() and similar methods.
-- @module torch.tensor.conversions
local C = require 'libmoontorch'
local class = require 'torch.class'
local types = require 'torch.devices.types'

local to, methods = C.functions.to, {}

-- Returns the class name of a value that must be a tensor.
local function typeOf(method, argument, x)
  if not C.isTensor(x) then
    local hint = argument == 'self' and ' (called with . instead of : ?)' or ''
    error(('%s: %s: %s, expected a tensor%s'):format(method, argument, class.type(x), hint), 3)
  end
  return class.typename(x)
end

local function convert(x, own, name)
  if own == name then return x end
  return to(x, name)
end

--- Returns the name of the type, or the tensor in another type.
-- @tparam torch.Tensor x
-- @string[opt] name such as 'torch.FloatTensor'
-- @return the name; with an argument, x itself if it has this type, else a copy
function methods.type(x, name)
  local own = typeOf('type', 'self', x)
  if name == nil then return own end
  return convert(x, own, name)
end

--- Returns the tensor in the type of another one, and on its device.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor other
-- @treturn torch.Tensor x itself or a copy
function methods.typeAs(x, other)
  local own, wanted = typeOf('typeAs', 'self', x), typeOf('typeAs', 'tensor', other)
  if C.deviceKind(other) and x:device() ~= other:device() then return to(x, C.kindOf(other)) end
  return convert(x, own, wanted)
end

--- Returns the tensor in the default type.
-- @tparam torch.Tensor x
-- @treturn torch.Tensor x itself or a copy
function methods.real(x)
  return convert(x, typeOf('real', 'self', x), require 'torch'.getdefaulttensortype())
end

--- Returns whether the elements are floats.
-- @tparam torch.Tensor x
-- @treturn boolean
function methods.isFloatingPoint(x)
  typeOf('isFloatingPoint', 'self', x)
  return C.dtypes[types.position(C.dtypeOf(x))].kind == 'real'
end

--- Returns whether the elements are complex numbers.
-- @tparam torch.Tensor x
-- @treturn boolean
function methods.isComplex(x)
  typeOf('isComplex', 'self', x)
  return C.dtypes[types.position(C.dtypeOf(x))].kind == 'complex'
end

-- For internal use: returns x itself if it has the dtype, else a copy on the same device. (x:long() is Torch7's: it copies to the CPU from
-- a device whose types have separate names.)
function methods._as(x, dtype)
  typeOf('_as', 'self', x)
  if type(dtype) ~= 'string' then error(('_as: dtype: %s, expected a name such as Long'):format(class.type(dtype)), 2) end
  return C.dtypeOf(x) == dtype and x or to(x, dtype:lower())
end

for _, info in ipairs(C.dtypes) do
  local method, name = info.torch:lower(), 'torch.' .. info.torch .. 'Tensor'
  methods[method] = function(x) return convert(x, typeOf(method, 'self', x), name) end
end

--- Returns whether x has the sizes in a LongStorage.
-- @tparam torch.Tensor x
-- @tparam torch.LongStorage sizes
-- @treturn boolean
function methods.isSize(x, sizes)
  typeOf('isSize', 'self', x)
  if not C.isStorage(sizes) then error('isSize: sizes: ' .. class.type(sizes) .. ', expected a LongStorage', 2) end
  if x:dim() ~= #sizes then return false end
  for i = 1, #sizes do
    if x:size(i) ~= sizes[i] then return false end
  end
  return true
end

return methods
