--- 1 - cosine where the target is 1, max(0, cosine - margin) where it is -1; the mean over a batch.
-- Shapes: {a (F), b (F)} with a number or a tensor of one, or {a (N, F), b (N, F)} with N targets.
-- @classmod nn.CosineEmbeddingCriterion
local torch = require 'torch'
local nn = require 'nn'

local CosineEmbeddingCriterion, parent = torch.class('nn.CosineEmbeddingCriterion', 'nn.Criterion')
CosineEmbeddingCriterion.takes = 'table'

--- @tparam[opt=0] number margin
function CosineEmbeddingCriterion:__init(margin)
  parent.__init(self)
  self.margin = tonumber(margin) or 0
  self.gradInput = { torch.Tensor(), torch.Tensor() }
  self.sizeAverage = true
end

function CosineEmbeddingCriterion:compute(input, target)
  local cosine = nn.CosineDistance.compute(self, input)
  local count = cosine:nElement()
  if type(target) == 'number' then target = cosine.new(count):fill(target) end
  local apart = torch.viewAs(torch.eq(target:contiguous(), -1), cosine)
  local terms = torch.where(apart, torch.relu(torch.add(cosine, -self.margin)), torch.rsub(cosine, 1))
  local loss = torch.sum(terms)
  return self.sizeAverage and loss / count or loss
end

return CosineEmbeddingCriterion
