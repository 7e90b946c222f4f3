--- Borders around tensors, differentiable to any order; negative widths crop.
-- @module nn.support.border
local torch = require 'torch'
local onDeviceOf = require 'autograd.on_device_of'
local slicesOf = require 'autograd.slices'
local refuse = require 'torch.check.refuse'
local elements = require 'torch.names.element_count'
local C = require 'libmoontorch'

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
  local size = x:size():totable()      -- captures record writes to storages
  size[dim] = size[dim] + before + after
  return torch.narrow_grad(x, size, dim, before + 1)
end

-- Returns the slices `source(i, n)` for i from 1 - before on; i counts the slices of x.
local function pick(x, dim, before, after, source)
  if before == 0 and after == 0 then return x end
  local n = x:size(dim)
  if n + before + after < 1 then refuse.shape('input is too small') end
  local positions = {}
  for i = 1, n + before + after do positions[i] = source(i - before, n) end
  return torch.index(x, dim, onDeviceOf(torch.LongTensor(positions), x))
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

--- Continues with the slices from the other end, after a crop.
-- @raise if a border is wider than x
function border.circular(x, dim, before, after)
  if x:size(dim) + math.min(before, 0) + math.min(after, 0) < 1 then refuse.shape('input is too small') end
  x = crop(x, dim, before, after)
  before, after = math.max(before, 0), math.max(after, 0)
  local size = x:size(dim)
  if before > size or after > size then
    refuse.shape(('padding: %d and %d, expected at most the size of dimension %d, %d'):format(before, after, dim, size))
  end
  return pick(x, dim, before, after, function(i, n) return (i - 1) % n + 1 end)
end

-- Adds `value` to the border of x, which is zero.
local function filled(x, widths, value)
  local values = x.new():resize(x:size()):fill(value)
  local inner = values
  for i = 1, #widths, 2 do
    local dim, before, after = x:dim() - (i - 1) / 2, math.max(widths[i], 0), math.max(widths[i + 1], 0)
    inner = inner:narrow(dim, before + 1, x:size(dim) - before - after)
  end
  inner:zero()
  return torch.add(x, values)
end

-- Borders of a value along all dimensions at once, whose gradient is a view. (A capture has an op for each dimension, which may serve any
-- size, and which ONNX has.) 8 x 64 x 56 x 56 floats take a third of the time, with a value that isn't 0 an eighth.
local function surround(x, widths, value)
  local sizes, first = x:size():totable(), 1
  for i = 1, #widths, 2 do
    local dim = x:dim() - (i - 1) / 2
    x = crop(x, dim, widths[i], widths[i + 1])
    sizes[dim] = x:size(dim) + math.max(widths[i], 0) + math.max(widths[i + 1], 0)
  end
  if x:nElement() == elements(sizes) then return x end
  local strides, ones, stride = {}, {}, 1
  for dim = #sizes, 1, -1 do
    strides[dim], ones[dim], stride = stride, 1, stride * sizes[dim]
    local before = widths[2 * (#sizes - dim) + 1]
    if before then first = first + math.max(before, 0) * strides[dim] end
  end
  local base = torch.expand(x.new():resize(ones):fill(value), sizes)
  return torch.strided_scatter(base, x, x:size():totable(), strides, first)
end

local modes = { constant = 'zero', reflect = 'reflect', replicate = 'replicate', circular = 'circular' }

--- Borders along several dimensions.
-- @string where prefix of messages
-- @tparam torch.Tensor x
-- @tparam {int,...} widths before and after the last dimension, then those of the one before it, and so on; negative ones crop
-- @string mode constant, reflect, replicate or circular
-- @tparam[opt=0] number value of a constant border
-- @treturn torch.Tensor x itself, if all widths are 0
-- @raise if there are more widths than dimensions, or a border is too wide for the mode
function border.pad(where, x, widths, mode, value)
  local dims = x:dim()
  if #widths % 2 ~= 0 or #widths > 2 * dims then
    refuse.shape(('%s: pad: %d widths, expected two for each of at most %d dimensions'):format(where, #widths, dims))
  end
  local extend, result = border[modes[mode]], x
  local atOnce = mode == 'constant' and not C.capturing() and x:nElement() > 0 and not x:isChannelsLast()
  for i = 1, #widths, 2 do
    local dim = dims - (i - 1) / 2
    local before, after = widths[i], widths[i + 1]
    if x:size(dim) + before + after < 1 and (before ~= 0 or after ~= 0) then
      refuse.shape(('%s: pad: %d and %d for dimension %d of size %d, expected a positive size of the result'):format(where, before, after,
        dim, x:size(dim)))
    end
    if not atOnce then
      local done
      done, result = pcall(extend, result, dim, before, after)
      if not done then refuse.shape(('%s: %s'):format(where, result)) end
    end
  end
  if atOnce then return surround(x, widths, value or 0) end
  if mode == 'constant' and value and value ~= 0 and result:nElement() > 0 then return filled(result, widths, value) end
  return result
end

return border
