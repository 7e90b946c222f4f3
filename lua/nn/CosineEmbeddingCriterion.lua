--- 1 - cosine where the target is 1, max(0, cosine - margin) where it is -1; the mean over a batch.
-- Shapes: {a (F), b (F)} with a number or a tensor of one, or {a (N, F), b (N, F)} with N targets.
-- @classmod nn.CosineEmbeddingCriterion
local torch, nn = require 'torch', require 'nn'

local cosineOf = nn.CosineDistance.declaration.formula
local together, apart = 'rsub(%s, 1)', 'relu(add(%s, -margin))'
local each = ('where(viewAs(eq(contiguous(target), -1), %%s), %s, %s)'):format(apart, together)

-- Formulas by their terms, which are expressions of the cosine.
local formulas = setmetatable({}, { __index = function(known, terms)
  known[terms] = setmetatable({}, { __index = function(ofTerms, cosine)
    ofTerms[cosine] = ('mul(sum(%s), factor)'):format((terms:gsub('%%s', function() return cosine end)))
    return ofTerms[cosine]
  end })
  return known[terms]
end })

local CosineEmbeddingCriterion, parent = nn.declare {
  name = 'nn.CosineEmbeddingCriterion', parent = 'nn.Criterion', takes = 'table',
  formula = function(self, input, target)
    local cosine, eps = cosineOf(self, input)
    local terms = each
    if type(target) == 'number' then terms = target == -1 and apart or together end
    local isBatch = input[1]:dim() == 2
    return formulas[terms][cosine], eps, self.sizeAverage and isBatch and 1 / input[1]:size(1) or 1
  end,
  values = { 'eps', 'factor' },
  samples = {
    { 'CosineEmbeddingCriterion(0.1)', { { 4, 3 }, { 4, 3 } }, 'torch.DoubleTensor { 1, -1, -1, 1 }' },
    { 'CosineEmbeddingCriterion()', { { 3 }, { 3 } }, 1 },
  },
}

--- @tparam[opt=0] number margin
-- @tparam[opt=true] boolean sizeAverage whether terms are averaged over the batch
function CosineEmbeddingCriterion:__init(margin, sizeAverage)
  parent.__init(self)
  self.margin = tonumber(margin) or 0
  self.gradInput = { torch.Tensor(), torch.Tensor() }
  self.sizeAverage = sizeAverage ~= false
end

return CosineEmbeddingCriterion
