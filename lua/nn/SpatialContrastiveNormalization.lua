--- nn.SpatialSubtractiveNormalization, then nn.SpatialDivisiveNormalization.
-- Shapes, kept: x (C, H, W) or (N, C, H, W).
-- @classmod nn.SpatialContrastiveNormalization
local torch = require 'torch'
local nn = require 'nn'

local SpatialContrastiveNormalization, parent = torch.class('nn.SpatialContrastiveNormalization', 'nn.Module')

--- The arguments of nn.SpatialDivisiveNormalization.
function SpatialContrastiveNormalization:__init(nInputPlane, kernel, threshold, thresval)
  parent.__init(self)
  self.nInputPlane = nInputPlane or 1
  self.kernel = kernel or torch.Tensor(9, 9):fill(1)
  self.threshold = threshold or 1e-4
  self.thresval = thresval or threshold or 1e-4
  self.normalizer = nn.Sequential()
    :add(nn.SpatialSubtractiveNormalization(self.nInputPlane, self.kernel))
    :add(nn.SpatialDivisiveNormalization(self.nInputPlane, self.kernel, self.threshold, self.thresval))
end

function SpatialContrastiveNormalization:compute(input)
  return self.normalizer:onTape(input)
end

return SpatialContrastiveNormalization
