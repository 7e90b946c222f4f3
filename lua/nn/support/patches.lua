--- Patches of images as columns, and their sums at their places.
-- @module nn.support.patches
local torch, refuse = require 'torch', require 'torch.check.refuse'
local border, onDeviceOf = require 'nn.support.border', require 'autograd.on_device_of'

local patches = {}

-- Returns the numbers of patches along a padded axis of `size` elements.
local function counts(where, size, kernel, dilation, padding, stride)
  local rows = {}
  for i = 1, 2 do
    rows[i] = math.floor((size[i] + 2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1) / stride[i]) + 1
    if rows[i] < 1 then
      refuse.shape(('%s: size: %d x %d, expected room for a patch of %d x %d'):format(where, size[1], size[2], kernel[1], kernel[2]))
    end
  end
  return rows
end

-- Returns the positions in a padded plane of the elements of all patches, from 1: for each element of a patch, those of the patches.
local function positions(width, rows, kernel, dilation, stride)
  local list, k = {}, 0
  for i = 0, kernel[1] - 1 do
    for j = 0, kernel[2] - 1 do
      for y = 0, rows[1] - 1 do
        local first = (i * dilation[1] + y * stride[1]) * width + j * dilation[2] + 1
        for x = 0, rows[2] - 1 do
          k = k + 1
          list[k] = first + x * stride[2]
        end
      end
    end
  end
  return torch.LongTensor(list)
end

--- (N, C, H, W) or (C, H, W) -> (N, C kH kW, patches) or (C kH kW, patches).
function patches.unfold(where, input, kernel, dilation, padding, stride)
  local dims = input:dim()
  if dims ~= 3 and dims ~= 4 then refuse.shape(('%s: input: %d dimensions, expected 3 or 4'):format(where, dims)) end
  local rows = counts(where, { input:size(dims - 1), input:size(dims) }, kernel, dilation, padding, stride)
  local x = border.pad(where, input, { padding[2], padding[2], padding[1], padding[1] }, 'constant')
  local batch, channels, height, width = dims == 4 and input:size(1) or 1, input:size(dims - 2), x:size(dims - 1), x:size(dims)
  local list = onDeviceOf(positions(width, rows, kernel, dilation, stride), x)
  local columns = torch.index(torch.reshape(x, { batch * channels, height * width }), 2, list)
  local shape = { batch, channels * kernel[1] * kernel[2], rows[1] * rows[2] }
  return torch.reshape(columns, dims == 4 and shape or { shape[2], shape[3] })
end

--- The reverse: (N, C kH kW, patches) -> (N, C, H, W); where patches overlap, their elements are added.
function patches.fold(where, input, size, kernel, dilation, padding, stride)
  local dims = input:dim()
  if dims ~= 2 and dims ~= 3 then refuse.shape(('%s: input: %d dimensions, expected 2 or 3'):format(where, dims)) end
  local rows, area = counts(where, size, kernel, dilation, padding, stride), kernel[1] * kernel[2]
  if input:size(dims) ~= rows[1] * rows[2] or input:size(dims - 1) % area ~= 0 then
    refuse.shape(('%s: input: %d rows of %d patches, expected a multiple of %d, of %d'):format(where, input:size(dims - 1),
      input:size(dims), area, rows[1] * rows[2]))
  end
  local batch, channels = dims == 3 and input:size(1) or 1, input:size(dims - 1) / area
  local height, width = size[1] + 2 * padding[1], size[2] + 2 * padding[2]
  local list = onDeviceOf(positions(width, rows, kernel, dilation, stride), input)
  local columns = torch.reshape(input, { batch * channels, area * rows[1] * rows[2] })
  local planes = torch.index_grad(columns, torch.LongStorage { batch * channels, height * width }, 2, list)
  local shape = { batch, channels, height, width }
  local images = torch.reshape(planes, dims == 3 and shape or { unpack(shape, 2) })
  return border.pad(where, images, { -padding[2], -padding[2], -padding[1], -padding[1] }, 'constant')
end

return patches
