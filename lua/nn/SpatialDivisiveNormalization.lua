--- Divides x by the weighted standard deviation from zero of all planes around each position; small deviations are replaced.
-- y = x / d, d = sqrt(sum of k x^2) / c, where c is the sum of the weights k inside the image: 1 except at borders. Source: Jarrett et al.
-- (2009), "What is the Best Multi-Stage Architecture for Object Recognition?", ICCV, section 2.1.
-- Shapes, unchanged: x (C, H, W) or (N, C, H, W).
-- @classmod nn.SpatialDivisiveNormalization
local torch = require 'torch'
local nn, neighbourhood = require 'nn', require 'nn.support.neighbourhood'

local SpatialDivisiveNormalization, parent = nn.declare {
  name = 'nn.SpatialDivisiveNormalization',
  compute = function(self, input)
    local batch = neighbourhood.batchOf(self, input)
    local deviations = torch.cdiv(self.stdestimator:onTape(batch), neighbourhood.coverage(self, batch))
    local output = torch.cdiv(batch, self.thresholder:onTape(deviations))
    return input:dim() == 3 and torch.squeeze(output, 1) or output
  end,
  samples = { { 'SpatialDivisiveNormalization(2, torch.ones(3, 3))', { 2, 2, 5, 4 }, rows = true } },
}

--- @tparam[opt=1] int nInputPlane channels of the input
-- @tparam[opt] torch.Tensor kernel weights, by default 9 x 9 ones; odd sizes; with one dimension, it is applied to columns, then rows; it
--   is normalised in place
-- @tparam[opt=1e-4] number threshold deviations up to this are replaced
-- @tparam[opt=threshold] number thresval their replacement
function SpatialDivisiveNormalization:__init(nInputPlane, kernel, threshold, thresval)
  parent.__init(self)
  self.nInputPlane = nInputPlane or 1
  self.kernel = neighbourhood.normalised('SpatialDivisiveNormalization', self.nInputPlane, kernel or torch.Tensor(9, 9):fill(1))
  self.threshold = threshold or 1e-4
  self.thresval = thresval or threshold or 1e-4
  self.meanestimator = neighbourhood.estimator(self.nInputPlane, self.kernel)
  self.stdestimator = nn.Sequential():add(nn.Square()):add(self.meanestimator):add(nn.Sqrt())
  self.thresholder = nn.Threshold(self.threshold, self.thresval)
  self.coef = torch.Tensor()
end

return SpatialDivisiveNormalization
