--- Attention of networks for texts: heads, masks, caches.
-- @module zoo.attention
local torch, nn = require 'torch', require 'nn'

local attention = {}

--- Returns (N, T, heads * size) as (N, heads, T, size).
-- @tparam torch.Tensor x
-- @int heads
-- @treturn torch.Tensor
function attention.split(x, heads)
  local size = x:size(3) / heads
  return torch.transpose(torch.view(torch.contiguous(x), x:size(1), x:size(2), heads, size), 2, 3)
end

--- Returns what the queries find, (N, T, heads * size).
-- @tparam torch.Tensor query (N, heads, T, size)
-- @tparam torch.Tensor key (N, heads, S, size); the heads of the queries may be a multiple of these
-- @tparam torch.Tensor value likewise
-- @tparam table o `mask` (N, S) of whole numbers, 0 for positions that nobody sees; `isCausal`: the queries are the last positions, and
-- don't see later ones, but always themselves, so that padding has numbers, too; `dropout` of the weights; `scale`
-- @treturn torch.Tensor
function attention.attend(query, key, value, o)
  local count, length = query:size(3), key:size(3)
  local mask, isCausal = o.mask and torch.view(torch.ne(o.mask, 0), o.mask:size(1), 1, 1, -1), o.isCausal and count > 1
  if isCausal and (mask or length > count) then
    local seen = torch.tril(torch.ones(length, length, 'double')):narrow(1, length - count + 1, count)
    local causal = torch.view(torch.contiguous(torch.ne(seen, 0)), 1, 1, count, length)
    if mask then
      local own = torch.ne(torch.eye(length):narrow(1, length - count + 1, count), 0):view(1, 1, count, length)
      local function all(x) return x:expand(mask:size(1), 1, count, length) end
      mask = torch.cmax(torch.cmul(all(mask), all(causal)), all(own))
    else
      mask = causal
    end
    isCausal = false
  end
  local y = nn.functional.scaledDotProductAttention(query, key, value, mask or nil, o.dropout or 0, isCausal, o.scale)
  y = torch.contiguous(torch.transpose(y, 2, 3))
  return torch.view(y, y:size(1), y:size(2), y:size(3) * y:size(4))
end

--- Appends keys and values to those of a layer in a cache.
-- @tparam ?nn.KeyValueCache cache
-- @int layer
-- @tparam torch.Tensor key (N, heads, T, size)
-- @tparam torch.Tensor value
-- @treturn torch.Tensor keys of all positions
-- @treturn torch.Tensor values
function attention.remember(cache, layer, key, value)
  if not cache then return key, value end
  return cache:layer(layer):append(torch.contiguous(key), torch.contiguous(value))
end

--- Returns the number of positions in a cache.
-- @tparam ?nn.KeyValueCache cache
-- @treturn int
function attention.past(cache) return cache and cache.layers[1] and cache.layers[1].length or 0 end

--- Takes rows of a cache, in any order, some of them repeatedly.
-- @tparam nn.KeyValueCache cache
-- @tparam torch.LongTensor rows
function attention.reorder(cache, rows)
  for _, layer in ipairs(cache.layers) do
    layer.keys, layer.values = layer.keys:index(1, rows), layer.values:index(1, rows)
  end
end

return attention
