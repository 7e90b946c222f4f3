--- Weights of classes: if all are 0, the loss is always 0, which is surely a mistake.
-- @module nn.support.classWeights
local torch, C = require 'torch', require 'libmoontorch'

-- Weights -> the version that had a weight other than 0.
local known = setmetatable({}, { __mode = 'k' })

--- Raises an error if all weights are 0. Weights are checked again only after a change.
-- @string where the criterion
-- @tparam ?torch.Tensor weights
return function(where, weights)
  if not torch.isTensor(weights) or known[weights] == C.versionOf(weights) or weights:nElement() == 0 then return end
  if torch.all(torch.eq(weights:detach(), 0)) then
    error(('%s: weights: all are 0, expected one at least that is not'):format(where), 0)
  end
  known[weights] = C.versionOf(weights)
end
