--- The L1 distance d of two vectors where the target is 1, max(0, margin - d) where it is -1: {a, b} with a number.
-- @classmod nn.L1HingeEmbeddingCriterion
local torch = require 'torch'
require 'nn'

local L1HingeEmbeddingCriterion, parent = torch.class('nn.L1HingeEmbeddingCriterion', 'nn.Criterion')
L1HingeEmbeddingCriterion.takes = 'table'

--- @tparam[opt=1] number margin
function L1HingeEmbeddingCriterion:__init(margin)
  parent.__init(self)
  self.margin = tonumber(margin) or 1
  self.gradInput = { torch.Tensor(), torch.Tensor() }
end

function L1HingeEmbeddingCriterion:compute(input, target)
  local distance = torch.sum(torch.abs(torch.csub(input[1], input[2])), 1)
  for _ = 2, distance:dim() do distance = torch.sum(torch.select(distance, 1, 1), 1) end
  if type(target) ~= 'number' then target = target[1] end
  if target == 1 then return distance end
  return torch.relu(torch.rsub(distance, self.margin))
end

return L1HingeEmbeddingCriterion
