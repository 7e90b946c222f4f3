--- Borders around tensors along one dimension, differentiable to any order; negative widths crop.
-- @module nn.support.border
local torch = require 'torch'
local onDeviceOf = require 'autograd.on_device_of'
local slicesOf = require 'autograd.slices'
local refuse = require 'torch.check.refuse'

local border = {}

local function crop(x, dim, before, after)
  local first, length = 1 + math.max(-before, 0), x:size(dim) + math.min(before, 0) + math.min(after, 0)
  if length == x:size(dim) then return x end
  return slicesOf(x, dim, first, length)
end

--- Zeros before and after.
-- @tparam torch.Tensor x
-- @tparam int dim
-- @tparam int before how many, negative to crop
-- @tparam int after likewise
-- @raise if nothing would be left
function border.zero(x, dim, before, after)
  if before == 0 and after == 0 then return x end
  if x:size(dim) + before + after < 1 then refuse.shape('input is too small') end
  x = crop(x, dim, before, after)
  before, after = math.max(before, 0), math.max(after, 0)
  if before == 0 and after == 0 then return x end
  local size = x:size()
  size[dim] = size[dim] + before + after
  return torch.narrow_grad(x, size, dim, before + 1)
end

-- Returns the slices `source(i, n)` for i from 1 - before on; i counts the slices of x.
local function pick(x, dim, before, after, source)
  if before == 0 and after == 0 then return x end
  local n = x:size(dim)
  if n + before + after < 1 then refuse.shape('input is too small') end
  local positions = torch.LongTensor(n + before + after)
  local p = positions:data()
  for i = 0, positions:nElement() - 1 do p[i] = source(i + 1 - before, n) end
  return torch.index(x, dim, onDeviceOf(positions, x))
end

--- Repeats the first and last slices.
function border.replicate(x, dim, before, after)
  return pick(x, dim, before, after, function(i, n) return math.max(1, math.min(n, i)) end)
end

--- Mirrors the slices at the first and last ones.
-- @raise if a border is as wide as x or wider
function border.reflect(x, dim, before, after)
  local n = x:size(dim)
  if before >= n or after >= n then
    refuse.shape(('padding should be less than the corresponding size of the input, got %d and %d for a size of %d'):format(before, after,
      n))
  end
  return pick(x, dim, before, after, function(i)
    if i < 1 then return 2 - i end
    return i > n and 2 * n - i or i
  end)
end

return border
