--- nn.SpatialSubtractiveNormalization, then nn.SpatialDivisiveNormalization.
-- Shapes, unchanged: x (C, H, W) or (N, C, H, W).
-- Source: Jarrett et al. (2009), "What is the Best Multi-Stage Architecture for Object Recognition?", ICCV, section 2.1.
-- @classmod nn.SpatialContrastiveNormalization
local torch, nn = require 'torch', require 'nn'

local SpatialContrastiveNormalization, parent = nn.declare {
  name = 'nn.SpatialContrastiveNormalization',
  compute = function(self, input) return self.normalizer:onTape(input) end,
  samples = { { 'SpatialContrastiveNormalization(2, torch.ones(3, 5), 0.8, 2)', { 2, 2, 5, 4 }, rows = true } },
}

--- Has the arguments of nn.SpatialDivisiveNormalization.
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

return SpatialContrastiveNormalization
