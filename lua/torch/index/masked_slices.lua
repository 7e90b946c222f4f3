--- x[mask] and x[mask] = value if the mask has fewer dimensions than x: it selects slices along its dimensions, as in NumPy.
-- @module torch.index.masked_slices
local torch = require 'torch'
local check, messages = require 'torch.check', require 'torch.check.message'

local slices = {}

-- Returns the mask for each element of x, and the sizes of a slice.
local function spread(x, mask)
  check.tensor('index', 'self', x)
  check.tensor('index', 'key', mask)
  local count, sizes, ones, slice = mask:dim(), x:size():totable(), mask:size():totable(), {}
  local fits = count > 0 and count < #sizes
  for d = 1, #sizes do
    if d > count then
      ones[d], slice[#slice + 1] = 1, sizes[d]
    else
      fits = fits and ones[d] == sizes[d]
    end
  end
  if not fits then
    check.raise(('index: key: a mask of %s for %s: expected its own sizes, or the first of them'):format(
      messages.sizes(mask), messages.sizes(x)))
  end
  return torch.reshape(mask, ones):expandAs(x), slice
end

-- Returns the sizes of the selected slices.
local function chosen(mask, slice) return { mask:sum(), unpack(slice) } end

--- Returns the slices of x that a mask selects, concatenated in a new tensor.
-- @tparam torch.Tensor x
-- @tparam torch.ByteTensor|torch.BoolTensor mask of x's first sizes
-- @treturn torch.Tensor (selected, ...)
-- @raise if it has other sizes
function slices._maskedSlices(x, mask)
  local whole, slice = spread(x, mask)
  return torch.view(torch.maskedSelect(x, whole), chosen(mask, slice))
end

--- Writes a value to the slices of x that a mask selects: a number, a tensor with as many elements, or one that broadcasts to their sizes.
-- @tparam torch.Tensor x
-- @tparam torch.ByteTensor|torch.BoolTensor mask of x's first sizes
-- @tparam number|torch.Tensor value
-- @raise if the mask or the value has other sizes
function slices._setMaskedSlices(x, mask, value)
  local whole, slice = spread(x, mask)
  if not torch.isTensor(value) then return x:maskedFill(whole, value) end
  local sizes = chosen(mask, slice)
  local wanted = torch.LongStorage(sizes)
  local count = 1
  for _, size in ipairs(sizes) do count = count * size end
  if value:nElement() ~= count then
    local good, same = pcall(torch.expand, value, wanted)
    if not good then
      check.raise(('index: value: %s, expected %s'):format(messages.sizes(value), messages.listed(wanted)))
    end
    value = same
  end
  return x:maskedCopy(whole, value)
end

return slices
