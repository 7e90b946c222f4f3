--- NumPy's questions about whole arrays: whether they are equal, share memory, are scalars; their sizes.
-- @module torch.names.comparing
local torch, check = require 'torch', require 'torch.check'
local broadcast = require 'torch.names.broadcast'

local comparing = {}

local function tensorOf(where, name, value)
  if type(value) == 'number' then return torch.Tensor { value } end
  return check.tensor(where, name, value)
end

local function allEqual(a, b, equalNan)
  if a:nElement() == 0 then return true end
  local same = torch.eq(a, b)
  if equalNan then same = torch.cmax(same, torch.cmul(torch.ne(a, a), torch.ne(b, b))) end
  return torch.all(same)
end

--- Returns whether two tensors have the same sizes and elements.
-- @tparam torch.Tensor a
-- @tparam torch.Tensor b
-- @bool[opt=false] equalNan whether NaN equals NaN
-- @treturn boolean
function comparing.arrayEqual(a, b, equalNan)
  a, b = tensorOf('arrayEqual', 'a', a):detach(), tensorOf('arrayEqual', 'b', b):detach()
  check.flag('arrayEqual', 'equalNan', equalNan)
  return a:isSameSizeAs(b) and allEqual(a, b, equalNan)
end

--- Returns whether the elements of two tensors are equal after their sizes are broadcast; false where they don't fit.
-- @tparam torch.Tensor|number a
-- @tparam torch.Tensor|number b
-- @treturn boolean
function comparing.arrayEquiv(a, b)
  a, b = tensorOf('arrayEquiv', 'a', a):detach(), tensorOf('arrayEquiv', 'b', b):detach()
  local good, pair = pcall(broadcast.list, 'arrayEquiv', 'b', { a, b })
  return good and allEqual(pair[1], pair[2], false)
end

-- Returns the first and the last position of a tensor in its storage.
local function extent(x)
  local first = x:storageOffset()
  local last = first
  for d = 1, x:dim() do last = last + (x:size(d) - 1) * x:stride(d) end
  return first, last
end

--- Returns whether the memory of two tensors may overlap: they have one storage, and their ranges in it meet.
-- @tparam torch.Tensor a
-- @tparam torch.Tensor b
-- @treturn boolean
function comparing.mayShareMemory(a, b)
  check.tensor('mayShareMemory', 'a', a)
  check.tensor('mayShareMemory', 'b', b)
  if a:nElement() == 0 or b:nElement() == 0 then return false end
  if torch.pointer(a:storage()) ~= torch.pointer(b:storage()) then return false end
  local firstA, lastA = extent(a)
  local firstB, lastB = extent(b)
  return firstA <= lastB and firstB <= lastA
end

-- Returns a tensor of the positions of x's elements in its storage.
local function placesOf(x)
  local places = torch.LongTensor(1):fill(x:storageOffset()):view(torch.LongStorage(x:dim()):fill(1))
  for d = 1, x:dim() do
    local own = torch.LongStorage(x:dim()):fill(1)
    own[d] = x:size(d)
    local steps = torch.mul(torch.range(0, x:size(d) - 1):long(), x:stride(d)):view(own)
    local list = broadcast.list('sharesMemory', 'a', { places, steps })
    places = torch.add(list[1], list[2])
  end
  return places:view(-1)
end

--- Returns whether two tensors have an element at one place in memory.
-- @tparam torch.Tensor a
-- @tparam torch.Tensor b
-- @treturn boolean
function comparing.sharesMemory(a, b)
  check.tensor('sharesMemory', 'a', a)
  check.tensor('sharesMemory', 'b', b)
  if not comparing.mayShareMemory(a, b) then return false end
  return torch.any(torch.isin(placesOf(a), placesOf(b)))
end

--- Returns whether a value is a number, boolean or string: one element.
-- @param value
-- @treturn boolean
function comparing.isscalar(value)
  return type(value) == 'number' or type(value) == 'boolean' or type(value) == 'string' or type(value) == 'cdata'
end

--- Returns the number of dimensions of a tensor, 0 for a number.
-- @tparam torch.Tensor|number x
-- @treturn int
function comparing.ndim(x)
  if type(x) == 'number' then return 0 end
  return check.tensor('ndim', 'x', x):dim()
end

--- Returns the sizes of a tensor.
-- @tparam torch.Tensor x
-- @treturn torch.LongStorage
function comparing.shape(x) return check.tensor('shape', 'x', x):size() end

--- Returns x itself if all its elements are finite.
-- @tparam torch.Tensor x
-- @treturn torch.Tensor
-- @raise if one is NaN or infinite
function comparing.asarrayChkfinite(x)
  check.tensor('asarrayChkfinite', 'x', x)
  if x:nElement() > 0 and not torch.all(torch.isfinite(x:detach())) then
    check.raise 'asarrayChkfinite: x: NaN or infinity, expected finite numbers'
  end
  return x
end

--- Returns whether a value has elements: a tensor with dimensions, a storage or a table.
-- @param value
-- @treturn boolean
function comparing.iterable(value)
  if torch.isTensor(value) then return value:dim() > 0 end
  return torch.isStorage(value) or type(value) == 'table'
end

return comparing
