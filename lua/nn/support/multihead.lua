--- Multi-head attention with given parameters: the common part of nn.MultiheadAttention and nn.functional.multiHeadAttentionForward.
-- @module nn.support.multihead
-- @local
local torch = require 'torch'
local attention, weights = require 'nn.support.attention', require 'torch.attention_weights'
local sizesOf = require('torch.check.message').sizes
local refuse = require 'torch.check.refuse'

local multihead = {}

local function sized(x, ...) return torch.view(x, torch.LongStorage { ... }) end

-- Returns an affine map of x (N, T, in) as (N, T, out).
local function mapped(x, weight, bias)
  local n, length = x:size(1), x:size(2)
  return sized(torch.linear(sized(torch.contiguous(x), n * length, x:size(3)), weight, bias), n, length, weight:size(1))
end

-- Returns queries, keys and values (N, T, size).
local function projected(query, key, value, p)
  local size = p.outWeight:size(2)
  local function part(x, k) return x and torch.narrow(x, 1, (k - 1) * size + 1, size) end
  if not p.weight then
    return mapped(query, p.queryWeight, part(p.bias, 1)), mapped(key, p.keyWeight, part(p.bias, 2)),
      mapped(value, p.valueWeight, part(p.bias, 3))
  end
  if rawequal(query, key) and rawequal(key, value) then      -- one product
    local all = mapped(query, p.weight, p.bias)
    return torch.narrow(all, 3, 1, size), torch.narrow(all, 3, size + 1, size), torch.narrow(all, 3, 2 * size + 1, size)
  end
  return mapped(query, part(p.weight, 1), part(p.bias, 1)), mapped(key, part(p.weight, 2), part(p.bias, 2)),
    mapped(value, part(p.weight, 3), part(p.bias, 3))
end

-- Returns x (N, T, size) by heads: (N, heads, T, size / heads).
local function byHeads(x, heads)
  return torch.transpose(sized(torch.contiguous(x), x:size(1), x:size(2), heads, x:size(3) / heads), 2, 3)
end

-- Returns x (N, heads, S, size / heads) with a learnt row of `size` elements at the end of each sequence.
local function withRow(x, row)
  if not row then return x end
  local n, heads, size = x:size(1), x:size(2), x:size(4)
  return torch.cat(x, torch.expand(sized(torch.contiguous(row), 1, heads, 1, size), n, heads, 1, size), 3)
end

local function withZeros(x) return torch.cat(x, x.new(x:size(1), x:size(2), 1, x:size(4)):zero(), 3) end

local function refuseMask(where, name, mask, expected)
  refuse.shape(('%s: %s: %s, expected %s'):format(where, name, sizesOf(mask), expected))
end

-- Returns a mask of queries and keys as (1 or N, 1 or heads, L, S).
local function ofScores(where, mask, sizes)
  local n, heads, length, keys = unpack(sizes)
  local dims = mask:dim()
  local fits = dims >= 2 and dims <= 4 and mask:size(dims - 1) == length and mask:size(dims) == keys
  mask = torch.contiguous(mask)
  if fits and dims == 2 then return sized(mask, 1, 1, length, keys) end
  if fits and dims == 3 and mask:size(1) == n * heads then return sized(mask, n, heads, length, keys) end
  if fits and dims == 3 and mask:size(1) == n then return sized(mask, n, 1, length, keys) end
  if fits and dims == 4 then return mask end
  local rows = ('%d, %d)'):format(length, keys)
  refuseMask(where, 'attnMask', mask, ('(%s, (%d, %s or (%d, %s'):format(rows, n, rows, n * heads, rows))
end

local function ofKeys(where, mask, n, keys)
  if mask:dim() == 1 then mask = torch.view(torch.contiguous(mask), 1, mask:size(1)) end
  if mask:dim() ~= 2 or mask:size(1) ~= n or mask:size(2) ~= keys then
    refuseMask(where, 'keyPaddingMask', mask, ('(%d, %d)'):format(n, keys))
  end
  return sized(torch.contiguous(mask), n, 1, 1, keys)
end

-- Returns a mask of floats that are added, or of bytes that are 0 for keys that are ignored; nil if there is none. In masks, floats are
-- added, and other types have 1 for keys that are ignored. `seen` masks are 0 for these.
local function combined(masks, seen, like, sizes)
  local isAdded = false
  for _, mask in ipairs(masks) do isAdded = isAdded or mask:isFloatingPoint() end
  local sum
  local function add(mask, isSeen)
    local own
    if isAdded and mask:isFloatingPoint() then
      own = mask:typeAs(like)
    elseif isAdded then
      local hidden = isSeen and torch.eq(mask, 0) or torch.ne(mask, 0)
      own = like.new(mask:size()):zero():maskedFill(hidden, -math.huge)
    else
      own = isSeen and torch.ne(mask, 0) or torch.eq(mask, 0)
    end
    if not sum then
      sum = own
    else
      local all = torch.LongStorage(sizes)
      sum = (isAdded and torch.add or torch.cmul)(torch.expand(sum, all), torch.expand(own, all))
    end
  end
  for _, mask in ipairs(masks) do add(mask, false) end
  for _, mask in ipairs(seen) do add(mask, true) end
  return sum
end

-- Returns the mask of L queries at the end of `keys` keys: 1 for those that are not behind the query.
local function causalMask(length, keys)
  return torch.tril(torch.ones(length, keys), keys - length):byte():view(1, 1, length, keys)
end

-- Returns x (…, S) with S + count keys, which no query ignores.
local function extended(mask, count, isSeen)
  if count == 0 then return mask end
  local sizes = mask:size():totable()
  sizes[4] = count
  return torch.cat(mask, mask.new():resize(torch.LongStorage(sizes)):fill(isSeen and 1 or 0), 4)
end

-- Returns the result by heads and the weights: what `attention` computes in blocks, with its matrix of weights.
local function weighted(q, k, v, mask, causal, dropout)
  local p
  if mask and not weights.isAdded(mask) then
    local any = torch.gt(torch.sum(mask:double(), 4), 0)
    local none = q.new(any:size()):zero():maskedFill(torch.eq(any, 0), -math.huge)
    p = weights.of(q, k, mask, causal, 1 / math.sqrt(q:size(4)), none:view(none:size(1), none:size(2), none:size(3)))
  else
    p = weights.of(q, k, mask, causal, 1 / math.sqrt(q:size(4)))
  end
  if dropout > 0 then p = require('nn.functional').dropout(p, dropout) end
  return torch.matmul(p, v), p
end

--- Returns the result and, if wanted, the weights.
-- @string where prefix of messages
-- @tparam torch.Tensor query (N, L, E)
-- @tparam torch.Tensor key (N, S, kdim)
-- @tparam torch.Tensor value (N, S, vdim)
-- @tparam table p parameters: weight, or queryWeight, keyWeight and valueWeight; bias, keyRow, valueRow, outWeight, outBias
-- @tparam table o options: heads, dropout, addZeroAttn, keyPaddingMask, attnMask, isCausal, needWeights, averageAttnWeights, cache,
-- staticK, staticV
-- @treturn torch.Tensor (N, L, E)
-- @treturn ?torch.Tensor (N, L, S), or (N, heads, L, S)
function multihead.attend(where, query, key, value, p, o)
  local heads = o.heads
  local q, k, v = projected(query, key, value, p)
  q, k, v = byHeads(q, heads), byHeads(k, heads), byHeads(v, heads)
  local n, length, size = q:size(1), q:size(3), q:size(4)
  if o.staticK then k = sized(torch.contiguous(o.staticK), n, heads, o.staticK:size(2), size) end
  if o.staticV then v = sized(torch.contiguous(o.staticV), n, heads, o.staticV:size(2), size) end
  if o.cache then k, v = o.cache:append(k, v) end
  local keys = k:size(3)
  k, v = withRow(k, p.keyRow), withRow(v, p.valueRow)
  if o.addZeroAttn then k, v = withZeros(k), withZeros(v) end
  local further = k:size(3) - keys
  local masks, seen, causal = {}, {}, o.isCausal or false
  if o.attnMask then masks[#masks + 1] = extended(ofScores(where, o.attnMask, { n, heads, length, keys }), further) end
  if o.keyPaddingMask then masks[#masks + 1] = extended(ofKeys(where, o.keyPaddingMask, n, keys), further) end
  if causal and (further > 0 or keys ~= length) then
    seen[1], causal = extended(causalMask(length, keys), further, true), false
  end
  local mask = combined(masks, seen, q, { n, heads, length, k:size(3) })
  local result, p_
  if o.needWeights then
    result, p_ = weighted(q, k, v, mask, causal, o.dropout)
    if o.averageAttnWeights ~= false then p_ = torch.squeeze(torch.mean(p_, 2), 2) end
  else
    result = attention(q, k, v, { mask = mask, causal = causal, dropout = o.dropout })
  end
  local joined = sized(torch.contiguous(torch.transpose(result, 2, 3)), n * length, heads * size)
  return sized(torch.linear(joined, p.outWeight, p.outBias), n, length, p.outWeight:size(1)), p_
end

return multihead
