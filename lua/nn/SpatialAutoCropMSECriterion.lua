--- nn.MSECriterion of pictures with the middle of larger ones.
-- Shapes: input (C, h, w) and target (C, H, W), or both with leading N; h <= H, w <= W.
-- @classmod nn.SpatialAutoCropMSECriterion
local torch = require 'torch'
require 'nn'

local SpatialAutoCropMSECriterion, parent = torch.class('nn.SpatialAutoCropMSECriterion', 'nn.MSECriterion')

--- @tparam[opt=true] boolean sizeAverage
function SpatialAutoCropMSECriterion:__init(sizeAverage)
  parent.__init(self, sizeAverage)
end

local function cropped(input, target, dim)
  local size, whole = input:size(dim), target:size(dim)
  assert(size <= whole, 'nn.SpatialAutoCropMSECriterion: input: larger than target')
  return target:narrow(dim, 1 + math.floor((whole - size) / 2), size)
end

function SpatialAutoCropMSECriterion:compute(input, target)
  local dims = input:dim()
  assert(dims == target:dim() and (dims == 3 or dims == 4),
    'nn.SpatialAutoCropMSECriterion: input: 3 or 4 dimensions, as in target, were expected')
  return parent.compute(self, input, cropped(input, cropped(input, target, dims - 1), dims))
end

return SpatialAutoCropMSECriterion
