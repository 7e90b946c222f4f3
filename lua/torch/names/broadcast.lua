--- Common sizes by PyTorch's and NumPy's rule, for functions with their names: Torch7's ops pair tensors with equal numbers of elements.
-- @module torch.names.broadcast
local torch = require 'torch'
local expect = require 'torch.check.expect'
local sizesOf = require('torch.check.message').sizes

local broadcast = {}

-- Merges the sizes of x into a list, aligned at the last dimension; false if they don't fit. A size of 1 fits every size.
local function merge(sizes, x)
  local rank = math.max(#sizes, x:dim())
  local merged = {}
  for back = 0, rank - 1 do
    local m, n = sizes[#sizes - back] or 1, back < x:dim() and x:size(x:dim() - back) or 1
    if m ~= n and m ~= 1 and n ~= 1 then return false end
    merged[rank - back] = m == 1 and n or m
  end
  return merged
end

-- Tensors without dimensions have no elements: they broadcast like vectors of none.
local function withDimensions(tensors)
  local list = {}
  for i, x in ipairs(tensors) do list[i] = x:dim() == 0 and x.new():resize(0) or x end
  return list
end

-- Returns x with the sizes, as a view.
local function expanded(x, sizes)
  local missing = #sizes - x:dim()
  if missing > 0 then
    local own = {}
    for d = 1, #sizes do own[d] = d > missing and x:size(d - missing) or 1 end
    x = torch.reshape(x, own)
  end
  return torch.expand(x, torch.LongStorage(sizes))
end

--- Returns the common sizes of tensors.
-- @string op for errors
-- @string argument the name of the argument with the tensors
-- @tparam {torch.Tensor,...} tensors
-- @treturn {int,...}
-- @raise if they don't fit
function broadcast.sizes(op, argument, tensors)
  local sizes = {}
  for _, x in ipairs(tensors) do
    local merged = merge(sizes, x)
    if not merged then
      expect.shape(op, argument, '%s, expected sizes that broadcast with [%s]', sizesOf(x), table.concat(sizes, ', '))
    end
    sizes = merged
  end
  return sizes
end

--- Returns tensors in their common sizes, as views.
-- @string op for errors
-- @string argument the name of the argument with the tensors
-- @tparam {torch.Tensor,...} tensors
-- @treturn {torch.Tensor,...}
function broadcast.list(op, argument, tensors)
  tensors = withDimensions(tensors)
  local sizes, list = broadcast.sizes(op, argument, tensors), {}
  for i, x in ipairs(tensors) do list[i] = expanded(x, sizes) end
  return list
end

--- Returns two arguments, tensors or numbers, with the tensors in common sizes.
-- @string op for errors
-- @string argument the name of the second one
-- @param x
-- @param y
-- @return x and y
function broadcast.pair(op, argument, x, y)
  if not torch.isTensor(x) or not torch.isTensor(y) or x:isSameSizeAs(y) then return x, y end
  return unpack(broadcast.list(op, argument, { x, y }))
end

return broadcast
