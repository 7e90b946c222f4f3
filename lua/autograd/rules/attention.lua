-- Derivatives of scaled dot-product attention.
local torch = require 'torch'
local C = require 'libmoontorch'
local rules = require 'autograd.rules'
local weights = require 'torch.attention_weights'

-- The gradients by query, key, value and mask, by differentiable ops; g by the result, gLogsum by the logarithms of sums, either nil.
local function composed(g, gLogsum, logsum, query, key, value, mask, causal, scale)
  scale = scale or 1 / math.sqrt(query:size(query:dim()))
  local join, split = weights.joiner(query, key)
  local p = weights.of(query, key, mask, causal, scale, logsum)
  local byScore = gLogsum and torch.cmul(p, gLogsum:view(torch.LongStorage(weights.beside(gLogsum))))
  local gValue
  if g then
    local shared = join(g)
    local through = torch.softmax_grad(split(torch.matmul(shared, torch.transpose(value, -2, -1))), p)
    byScore = byScore and torch.add(byScore, through) or through
    gValue = torch.matmul(torch.transpose(join(p), -2, -1), shared)
  end
  local scaled = join(torch.mul(byScore, scale))
  return split(torch.matmul(scaled, key)), torch.matmul(torch.transpose(scaled, -2, -1), join(query)), gValue,
    mask and weights.isAdded(mask) and torch.expand_grad(byScore, mask:size()) or nil
end

rules.scaledDotProductAttention = rules.saving('result[1], result[2], ...', function(g, result, logsum, query, key, value, mask, ...)
  if C.gradMode() or not g[1] or g[2] or (mask and C.tracked(mask)) then
    return composed(g[1], g[2], logsum, query, key, value, mask, ...)
  end
  return torch.scaledDotProductAttention_grad(g[1], query, key, value, result, logsum, mask, ...)
end)
rules.scaledDotProductAttention_grad = rules.none 'wherever the gradient is to be derived again, it is made of other ops'
