--- Mean of x where the target is 1, and of max(0, margin - x) where it is -1.
-- The target is a tensor of the input's size, or a number for all.
-- @classmod nn.HingeEmbeddingCriterion
local torch = require 'torch'
require 'nn'

local HingeEmbeddingCriterion, parent = torch.class('nn.HingeEmbeddingCriterion', 'nn.Criterion')

--- @tparam[opt=1] number margin
function HingeEmbeddingCriterion:__init(margin)
  parent.__init(self)
  self.margin = margin or 1
  self.sizeAverage = true
end

function HingeEmbeddingCriterion:compute(input, target)
  local apart = torch.where(torch.gt(input, self.margin), 0, torch.rsub(input, self.margin))
  local terms
  if type(target) == 'number' then
    terms = target == -1 and apart or input
  else
    if target:nElement() ~= input:nElement() then
      error(('nn.HingeEmbeddingCriterion: target: %d elements, expected %d'):format(target:nElement(), input:nElement()), 0)
    end
    terms = torch.where(torch.viewAs(torch.eq(target, -1), input), apart, input)
  end
  local loss = torch.sum(terms)
  return (self.sizeAverage == nil or self.sizeAverage) and loss / input:nElement() or loss
end

return HingeEmbeddingCriterion
