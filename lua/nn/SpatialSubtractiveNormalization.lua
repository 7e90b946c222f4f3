--- Subtracts the weighted mean of all planes around each position; at borders, the mean is over elements inside the image.
-- Shapes, unchanged: x (C, H, W) or (N, C, H, W).
-- Source: Jarrett et al. (2009), "What is the Best Multi-Stage Architecture for Object Recognition?", ICCV, section 2.1.
-- @classmod nn.SpatialSubtractiveNormalization
local torch, nn = require 'torch', require 'nn'
local neighbourhood = require 'nn.support.neighbourhood'

local SpatialSubtractiveNormalization, parent = nn.declare {
  name = 'nn.SpatialSubtractiveNormalization',
  compute = function(self, input)
    local batch = neighbourhood.batchOf(self, input)
    local means = torch.cdiv(self.meanestimator:onTape(batch), neighbourhood.coverage(self, batch))
    local output = torch.csub(batch, means)
    return input:dim() == 3 and torch.squeeze(output, 1) or output
  end,
  samples = {
    { 'SpatialSubtractiveNormalization(2, torch.ones(3, 3))', { 2, 2, 5, 4 }, rows = true },
    { 'SpatialSubtractiveNormalization(2, torch.Tensor { 1, 2, 1 })', { 2, 2, 5, 4 }, rows = true },
  },
}

--- @tparam[opt=1] int nInputPlane channels of the input
-- @tparam[opt] torch.Tensor kernel weights, by default 9 x 9 ones; odd sizes; with one dimension, it is applied to columns, then rows; it
--   is normalised in place
function SpatialSubtractiveNormalization:__init(nInputPlane, kernel)
  parent.__init(self)
  self.nInputPlane = nInputPlane or 1
  self.kernel = neighbourhood.normalised('SpatialSubtractiveNormalization', self.nInputPlane, kernel or torch.Tensor(9, 9):fill(1))
  self.meanestimator = neighbourhood.estimator(self.nInputPlane, self.kernel)
  self.coef = torch.Tensor()
end

return SpatialSubtractiveNormalization
