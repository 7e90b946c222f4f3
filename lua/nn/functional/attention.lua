--- Attention as a function, in nn.functional.
-- @module nn.functional.attention
local torch, check = require 'torch', require 'torch.check'

local attention = {}

--- softmax(scale query key' + mask) value: each query's mean of the values, weighted by its similarity to the keys.
-- Option mask: a tensor that broadcasts to (…, L, S); floats are added to the scores, zeros of other types exclude keys. Option causal
-- (false): query i excludes keys behind i. Option scale (1 / sqrt(E)). Option dropout (0): the probability with which a weight is set to
-- zero. Heads of the query may be a multiple of those of key and value. Source: Vaswani et al. (2017), "Attention Is All You Need", NIPS.
-- @tparam torch.Tensor query (…, L, E)
-- @tparam torch.Tensor key (…, S, E)
-- @tparam torch.Tensor value (…, S, V)
-- @tparam[opt] table options mask, causal, scale, dropout
-- @treturn torch.Tensor (…, L, V)
function attention.scaledDotProductAttention(query, key, value, options)
  for i, name in ipairs { 'query', 'key', 'value' } do
    local x = select(i, query, key, value)
    if not torch.isTensor(x) then
      error(('nn.functional.scaledDotProductAttention: %s: a %s, expected a tensor'):format(name, torch.type(x)), 2)
    end
  end
  options = check.table('nn.functional.scaledDotProductAttention', 'options', options or {})
  local dropout = check.number('nn.functional.scaledDotProductAttention', 'dropout', options.dropout or 0, { min = 0, max = 1 })
  return require 'nn.support.attention'(query, key, value,
    { mask = options.mask, causal = options.causal, scale = options.scale, dropout = dropout })
end

return attention
