--- nn.MSECriterion of images and the centres of larger target images.
-- Shapes: input (C, h, w) and target (C, H, W), or both with leading N; h <= H, w <= W.
-- @classmod nn.SpatialAutoCropMSECriterion
local nn, sizesOf = require 'nn', require('torch.check.message').sizes
local refuse = require 'torch.check.refuse'

local name = 'nn.SpatialAutoCropMSECriterion'

-- Returns the start of the centre along a dimension, and its size.
local function middle(input, target, dim)
  local size, whole = input:size(dim), target:size(dim)
  if size > whole then refuse.shape(name .. ': input: larger than target') end
  return 1 + math.floor((whole - size) / 2), size
end

local function expectPictures(input, target)
  local dims = input:dim()
  if not (dims == target:dim() and (dims == 3 or dims == 4)) then
    refuse.shape(name .. ': input: expected 3 or 4 dimensions, as in target')
  end
  for d = 1, dims - 2 do
    if input:size(d) ~= target:size(d) then
      refuse.shape(('%s: target: %s, expected as many planes as in %s'):format(name, sizesOf(target), sizesOf(input)))
    end
  end
  return dims
end

--- @tparam[opt=true] boolean sizeAverage
local SpatialAutoCropMSECriterion = nn.declare {
  name = name, parent = 'nn.MSECriterion',
  options = { { 'sizeAverage', 'boolean', default = true, field = 'sizeAverage' } },
  formula = function(self, input, target)
    local dims = expectPictures(input, target)
    local top, height = middle(input, target, dims - 1)
    local left, width = middle(input, target, dims)
    return 'mul(sum(square(csub(input, narrow(narrow(target, -2, top, height), -1, left, width)))), factor)', top, height, left, width,
      self.sizeAverage and 1 / input:nElement() or 1
  end,
  values = { 'top', 'height', 'left', 'width', 'factor' },
  samples = { { 'SpatialAutoCropMSECriterion()', { 2, 2, 3 }, { 2, 4, 4 } } },
}

return SpatialAutoCropMSECriterion
