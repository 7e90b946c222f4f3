--- Scaled dot-product attention, with dropout of the weights if a probability is given.
-- @module nn.support.attention
-- @local
local torch = require 'torch'

--- @tparam torch.Tensor query (…, L, E)
-- @tparam torch.Tensor key (…, S, E)
-- @tparam torch.Tensor value (…, S, V)
-- @tparam table options mask, causal and scale as torch.scaledDotProductAttention has them; dropout
-- @treturn torch.Tensor (…, L, V)
return function(query, key, value, options)
  local mask, causal, scale = options.mask, options.causal or false, options.scale
  local dropout = options.dropout or 0
  if dropout == 0 then
    local done, result = pcall(torch.scaledDotProductAttention, query, key, value, mask, causal, scale)
    return done and result or error(result, 3)      -- a message without a line of this file
  end
  local weights = require 'torch.attention_weights'
  local join, split = weights.joiner(query, key)
  local p = weights.of(query, key, mask, causal, scale or 1 / math.sqrt(query:size(query:dim())))
  local kept = dropout == 1 and torch.mul(p, 0)
    or torch.cmul(p, p.new():resize(p:size()):bernoulli(1 - dropout):div(1 - dropout))
  return split(torch.matmul(join(kept), value))
end
