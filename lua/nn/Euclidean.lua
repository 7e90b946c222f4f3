--- Euclidean distances between the input and learnt vectors, the columns of the weight.
-- y[j] = |x - w[j]|. Shapes: x (in) -> (out), or (N, in) -> (N, out).
-- @classmod nn.Euclidean
local torch = require 'torch'
local distances = require 'nn.support.distances'

--- @tparam int inputSize
-- @tparam int outputSize
local Euclidean = distances.class({
  name = 'nn.Euclidean',
  parameters = { { 'weight', function(options) return options.inputSize, options.outputSize end } },
  samples = { { 'Euclidean(3, 2)', { 4, 3 }, rows = true }, { 'Euclidean(3, 2)', { 2, 3 }, of = 'two rows' } },
}, function(module, x)
  return torch.view(torch.norm(distances.differences(x, module.weight), 2, 2), x:size(1), module.weight:size(2))
end)

--- Torch7's switch between two methods for the same gradient. It has no effect in Moontorch.
Euclidean.fastBackward = true

return Euclidean
