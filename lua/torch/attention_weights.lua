--- The weights of scaled dot-product attention by ops that have derivatives: what torch.scaledDotProductAttention computes in blocks.
-- @module torch.attention_weights
-- @local
local torch = require 'torch'

local weights = {}

--- Whether a mask is added to the scores; else its zeros exclude keys.
-- @tparam torch.Tensor mask
-- @treturn boolean
function weights.isAdded(mask) return mask:isFloatingPoint() end

--- Returns sizes with a dimension of size 1 at the end.
-- @tparam torch.Tensor x
-- @treturn table
function weights.beside(x)
  local sizes = x:size():totable()
  sizes[#sizes + 1] = 1
  return sizes
end

--- Returns two functions: the first one joins the rows of query heads that share a head of the key, the second one splits them again.
-- @tparam torch.Tensor query
-- @tparam torch.Tensor key
-- @treturn function
-- @treturn function
function weights.joiner(query, key)
  local dims = query:dim()
  local sharing = dims > 2 and query:size(dims - 2) / key:size(dims - 2) or 1
  if sharing == 1 or sharing ~= sharing then
    local function same(x) return x end
    return same, same
  end
  local function resized(x, heads, rows)
    local sizes = x:size():totable()
    sizes[dims - 2], sizes[dims - 1] = heads, rows
    return torch.reshape(x, torch.LongStorage(sizes))
  end
  local heads, rows = query:size(dims - 2), query:size(dims - 1)
  return function(x) return resized(x, heads / sharing, rows * sharing) end, function(x) return resized(x, heads, rows) end
end

-- The mask, which is added to the scores: large negative numbers, which keep derivatives finite, for excluded keys.
local function barriers(scores, mask, causal)
  local least = scores:type() == 'torch.HalfTensor' and -6e4 or -1e30
  local sum
  if mask then
    sum = weights.isAdded(mask) and torch.cmax(mask:typeAs(scores), least) or torch.mul(torch.eq(mask, 0):typeAs(scores), least)
  end
  if causal then
    local dims = scores:dim()
    local later = torch.triu(scores.new(scores:size(dims - 1), scores:size(dims)):fill(least), 1)
    sum = sum and torch.cmax(torch.add(sum, later), least) or later
  end
  return sum
end

--- Returns the weight of each key for each query, (…, L, S).
-- @tparam torch.Tensor query (…, L, E)
-- @tparam torch.Tensor key (…, S, E)
-- @tparam ?torch.Tensor mask as of torch.scaledDotProductAttention
-- @tparam boolean causal
-- @tparam number scale
-- @tparam ?torch.Tensor logsum (…, L): -inf for queries without keys, whose weights are then 0
-- @treturn torch.Tensor
function weights.of(query, key, mask, causal, scale, logsum)
  local join, split = weights.joiner(query, key)
  local scores = split(torch.mul(torch.matmul(join(query), torch.transpose(key, -2, -1)), scale))
  local barrier = barriers(scores, mask, causal)
  local p = torch.softmax(barrier and torch.add(scores, barrier) or scores)
  if not barrier or not logsum then return p end
  local anyKey = torch.ne(logsum, -math.huge):typeAs(p)
  return torch.cmul(p, anyKey:view(torch.LongStorage(weights.beside(logsum))))
end

return weights
