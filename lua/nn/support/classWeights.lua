--- Weights of classes: a loss whose weights are all 0 is 0 whatever the net does, which nobody wants.
-- @module nn.support.classWeights
local torch, C = require 'torch', require 'libmoontorch'

-- Weights -> the version in which one of them was found not to be 0.
local known = setmetatable({}, { __mode = 'k' })

--- Raises an error where all weights are 0. Weights that have not changed are looked at once.
-- @string where the criterion
-- @tparam ?torch.Tensor weights
return function(where, weights)
  if not torch.isTensor(weights) or known[weights] == C.versionOf(weights) or weights:nElement() == 0 then return end
  if torch.all(torch.eq(weights:detach(), 0)) then
    error(('%s: weights: all are 0, expected one at least that is not'):format(where), 0)
  end
  known[weights] = C.versionOf(weights)
end
