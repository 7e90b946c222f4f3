--- Attention with four linear maps, by transformers' names: q_proj, k_proj, v_proj, out_proj.
-- @module zoo.projected_attention
local torch, nn, attention = require 'torch', require 'nn', require 'zoo.attention'

local Attention = torch.class('zoo.ProjectedAttention', 'nn.Module', {})

--- Makes a layer.
-- @int size of vectors
-- @int heads
-- @tparam[opt] table o `dropout` of the weights (0); `keyBias`: false for keys without biases
function Attention:__init(size, heads, o)
  self.heads, self.probability = heads, o and o.dropout or 0
  self.k_proj = nn.Linear(size, size, not o or o.keyBias ~= false)
  self.v_proj, self.q_proj, self.out_proj = nn.Linear(size, size), nn.Linear(size, size), nn.Linear(size, size)
end

--- Computes what each vector finds among them, or in `memory`.
-- @tparam torch.Tensor x (N, T, size)
-- @tparam table o `isCausal`; `mask` (N, S) of keys, 0 for padding; `memory` (N, S, size); `cache` and `layer`: an nn.KeyValueCache, and
-- the place of this layer in it; keys and values of `memory` are computed once
-- @treturn torch.Tensor (N, T, size)
function Attention:forward(x, o)
  local function heads(y) return attention.split(y, self.heads) end
  local dropout = self.train ~= false and self.probability or 0
  local function attend(keys, values)
    return attention.attend(heads(self.q_proj(x)), keys, values, { mask = o.mask, isCausal = o.isCausal, dropout = dropout })
  end
  local kept, source = o.memory and o.cache and o.cache.layers[o.layer], o.memory or x
  if kept then return self.out_proj(attend(kept.keys:narrow(3, 1, kept.length), kept.values:narrow(3, 1, kept.length))) end
  return self.out_proj(attend(attention.remember(o.cache, o.layer, heads(self.k_proj(source)), heads(self.v_proj(source)))))
end

return Attention
