--- Euclidean distances between the input and learnt vectors, the columns of the weight.
-- y[j] = |x - w[j]|. Shapes: x (in) -> (out), or (N, in) -> (N, out).
-- @classmod nn.Euclidean
local torch = require 'torch'
local distances = require 'nn.support.distances'

local Euclidean, parent = distances.class('nn.Euclidean', function(module, x)
  return torch.view(torch.norm(distances.differences(x, module.weight), 2, 2), x:size(1), module.weight:size(2))
end)

--- @tparam int inputSize
-- @tparam int outputSize
function Euclidean:__init(inputSize, outputSize)
  parent.__init(self)
  self:declare('weight', torch.Tensor(inputSize, outputSize))
  self.fastBackward = true
  self:reset()
end

return Euclidean
