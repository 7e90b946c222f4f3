--- Resizing and sampling of images as functions, in nn.functional. Inputs are (N, C, …), with 1 to 3 dimensions after the channels.
-- @module nn.functional.resampling
local torch, check, signature = require 'torch', require 'torch.check', require 'nn.support.signature'

local resampling = {}

local modes = { 'nearest', 'linear', 'bilinear', 'bicubic', 'trilinear', 'area', 'nearest-exact' }
local scale = {
  { 'input', 'tensor' }, { 'size', 'sizes', min = 1, optional = true }, { 'scaleFactor', 'numbers', min = 0, optional = true },
  { 'mode', 'choice', choices = modes, default = 'nearest' }, { 'alignCorners', 'boolean', default = false },
}

--- Resizes the last dimensions.
-- @function interpolate
-- @tparam torch.Tensor input (N, C, L), (N, C, H, W) or (N, C, T, H, W)
-- @tparam[opt] int|{int,...} size of the result, for all dimensions or each
-- @tparam[opt] number|{number,...} scaleFactor instead: sizes are multiplied by it, and rounded down
-- @tparam[opt='nearest'] string mode 'nearest', 'nearest-exact', 'area' (means of bins), 'linear' (for sequences), 'bilinear' or 'bicubic'
--   (for images), 'trilinear' (for volumes)
-- @tparam[opt=false] boolean alignCorners whether the first and last elements keep their positions, instead of their edges
-- @tparam[opt=false] boolean recomputeScaleFactor whether positions come from the rounded sizes instead of scaleFactor
-- @tparam[opt=false] boolean antialias 'bilinear' and 'bicubic': widen the filter if the image shrinks
-- @treturn torch.Tensor
resampling.interpolate = signature('nn.functional.interpolate', {
  scale[1], scale[2], scale[3], scale[4], scale[5], { 'recomputeScaleFactor', 'boolean', default = false },
  { 'antialias', 'boolean', default = false },
}, function(...) return require 'nn.support.interpolate'('nn.functional.interpolate', ...) end)

--- `interpolate` without its last two arguments.
-- @function upsample
-- @tparam torch.Tensor input
-- @tparam[opt] int|{int,...} size
-- @tparam[opt] number|{number,...} scaleFactor
-- @tparam[opt='nearest'] string mode
-- @tparam[opt=false] boolean alignCorners
-- @treturn torch.Tensor
resampling.upsample = signature('nn.functional.upsample', scale, function(...)
  return require 'nn.support.interpolate'('nn.functional.upsample', ...)
end)

--- Values of images or volumes at any positions. An entry of the grid is x, y (and z), from -1, the left or upper edge, to 1.
-- @function gridSample
-- @tparam torch.Tensor input (N, C, H, W) or (N, C, T, H, W)
-- @tparam torch.Tensor grid (N, …, 2) or (N, …, 3), of the input's type
-- @tparam[opt='bilinear'] string mode 'bilinear', 'nearest' or, for images, 'bicubic'
-- @tparam[opt='zeros'] string paddingMode values beyond the edges: 'zeros', 'border' (the nearest element) or 'reflection'
-- @tparam[opt=false] boolean alignCorners whether -1 and 1 are the centres of the outermost elements, instead of their edges
-- @treturn torch.Tensor (N, C, …)
resampling.gridSample = signature('nn.functional.gridSample', {
  { 'input', 'tensor' }, { 'grid', 'tensor' }, { 'mode', 'choice', choices = { 'bilinear', 'nearest', 'bicubic' }, default = 'bilinear' },
  { 'paddingMode', 'choice', choices = { 'zeros', 'border', 'reflection' }, default = 'zeros' },
  { 'alignCorners', 'boolean', default = false },
}, function(...) return require 'nn.support.sample_grid'('nn.functional.gridSample', ...) end)

-- Returns n positions from -1 to 1.
local function axis(n, alignCorners)
  local at = torch.DoubleTensor(n):zero()
  for i = 1, n do at[i] = (2 * i - n - 1) / math.max(alignCorners and n - 1 or n, 1) end
  return at
end

--- A grid for `gridSample`, of affine maps of the result's positions.
-- @function affineGrid
-- @tparam torch.Tensor theta (N, 2, 3), or (N, 3, 4) for volumes
-- @tparam {int,...} size of the result, (N, C, H, W) or (N, C, T, H, W)
-- @tparam[opt=false] boolean alignCorners
-- @treturn torch.Tensor (N, H, W, 2) or (N, T, H, W, 3)
resampling.affineGrid = signature('nn.functional.affineGrid', {
  { 'theta', 'tensor' }, { 'size', 'sizes', min = 1 }, { 'alignCorners', 'boolean', default = false },
}, function(theta, size, alignCorners)
  local dims = #size - 2
  if dims ~= 2 and dims ~= 3 then check.raise(('nn.functional.affineGrid: size: %d sizes, expected 4 or 5'):format(#size)) end
  if theta:dim() ~= 3 or theta:size(1) ~= size[1] or theta:size(2) ~= dims or theta:size(3) ~= dims + 1 then
    check.raise(('nn.functional.affineGrid: theta: %s, expected [%d, %d, %d]'):format(require('torch.check.message').sizes(theta), size[1],
      dims, dims + 1))
  end
  local inner = { unpack(size, 3) }
  local shape = { unpack(inner) }
  shape[dims + 1] = dims + 1
  local base = torch.DoubleTensor(torch.LongStorage(shape)):fill(1)
  for i = 1, dims do
    local single = {}
    for d = 1, dims do single[d] = d == i and inner[i] or 1 end
    local at = axis(inner[i], alignCorners):view(torch.LongStorage(single))
    local column = base:select(dims + 1, dims + 1 - i)
    column:copy(at:expandAs(column))
  end
  local points = base:nElement() / (dims + 1)
  base = require 'autograd.on_device_of'(base:view(1, points, dims + 1):expand(size[1], points, dims + 1):type(theta:type()), theta)
  local grid = torch.bmm(base:contiguous(), torch.transpose(theta, 2, 3))
  shape[dims + 1] = dims
  return torch.reshape(grid, { size[1], unpack(shape) })
end)

return resampling
