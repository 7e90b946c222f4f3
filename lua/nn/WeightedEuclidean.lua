--- Euclidean distances between the input and learnt vectors, the columns of the weight, with a learnt scale for each coordinate.
-- y[j] = sqrt(sum over i of (diagCov[i][j] (x[i] - w[i][j]))^2). Shapes: x (in) -> (out), or (N, in) -> (N, out).
-- @classmod nn.WeightedEuclidean
local torch = require 'torch'
local distances = require 'nn.support.distances'

local function sizes(options) return options.inputSize, options.outputSize end

--- @tparam int inputSize
-- @tparam int outputSize
local WeightedEuclidean = distances.class({
  name = 'nn.WeightedEuclidean',
  parameters = { { 'weight', sizes }, { 'diagCov', sizes } },
  samples = { { 'WeightedEuclidean(3, 2)', { 4, 3 }, rows = true } },
}, function(module, x)
  local scales, differences = module.diagCov, distances.differences(x, module.weight)
  local scaled = torch.cmul(differences, torch.view(scales, 1, scales:size(1), scales:size(2)))
  return torch.view(torch.norm(scaled, 2, 2), x:size(1), scales:size(2))
end)

--- Torch7's switch between two methods for the same gradient. It has no effect in Moontorch.
WeightedEuclidean.fastBackward = true

local reset = WeightedEuclidean.reset

--- Draws the weight like nn.Euclidean, and sets the scales to 1.
function WeightedEuclidean:reset(stdv)
  reset(self, stdv)
  torch.noGrad(self.diagCov.fill, self.diagCov, 1)
end

return WeightedEuclidean
