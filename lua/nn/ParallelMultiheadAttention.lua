--- nn.MultiheadAttention whose heads are spread over the ranks of a group: each rank computes the queries, keys, values and results of its
-- heads, and one sum over the ranks ends the layer. Inputs, options of calls and the result, the same on all ranks, are those of
-- nn.MultiheadAttention.
-- Source: Shoeybi et al. (2019), "Megatron-LM: Training Multi-Billion Parameter Language Models Using Model Parallelism", section 3.
-- @classmod nn.ParallelMultiheadAttention
local torch, nn = require 'torch', require 'nn'
local sharded, multihead = require 'nn.support.sharded', require 'nn.support.multihead'
local functional = require('torch.distributed').functional

local where = 'nn.ParallelMultiheadAttention'

local ParallelMultiheadAttention = torch.class(where, 'nn.MultiheadAttention')
ParallelMultiheadAttention.__givesWay, ParallelMultiheadAttention._hasOptions = true, true

-- The parameters that are spread: the dimension of heads, and the number of its blocks (queries, keys and values).
local parts = {
  { 'weight', 1, 3 }, { 'queryWeight', 1 }, { 'keyWeight', 1 }, { 'valueWeight', 1 }, { 'bias', 1, 3 }, { 'keyRow', 3 }, { 'valueRow', 3 },
  { 'outWeight', 2 },
}
local settings = { 'size', 'heads', 'causal', 'addZeroAttn', 'dropout', 'kdim', 'vdim', 'batchFirst', 'train' }

local function take(self, layer, group)
  nn.Module.__init(self)
  for _, name in ipairs(settings) do self[name] = layer[name] end
  group = sharded.begin(self, layer, group)
  sharded.divides(where, 'heads', self.heads, group)
  for _, part in ipairs(parts) do sharded.declarePart(self, part[1], layer[part[1]], part[2], group, part[3]) end
  sharded.declare(self, 'outBias', layer.outBias)
  return self
end

--- Draws an nn.MultiheadAttention on the first rank of the group, and takes this rank's heads. All ranks of the group call it. The
-- arguments up to `causal` are those of nn.MultiheadAttention.
-- @tparam int size of queries and results, a multiple of heads
-- @tparam int heads a multiple of the number of ranks
-- @tparam[opt=0] number dropout of the weights, in training
-- @tparam[opt=true] bool bias
-- @tparam[opt=false] bool addBiasKv a learnt row is a further key, another one its value
-- @tparam[opt=false] bool addZeroAttn zeros are a further key and its value
-- @tparam[opt] int kdim size of the keys, by default that of the queries
-- @tparam[opt] int vdim size of the values, likewise
-- @tparam[opt=true] bool batchFirst false: inputs and results are (T, N, size)
-- @tparam[opt=false] bool causal queries ignore later keys
-- @tparam[opt] Group group of torch.distributed.newGroup; all ranks by default
function ParallelMultiheadAttention:__init(size, heads, dropout, bias, addBiasKv, addZeroAttn, kdim, vdim, batchFirst, causal, group)
  take(self, nn.MultiheadAttention(size, heads, dropout, bias, addBiasKv, addZeroAttn, kdim, vdim, batchFirst, causal), group)
end

--- Returns a layer with the heads of an nn.MultiheadAttention that belong to this rank. All ranks of the group call it, and get those of
-- its first rank.
-- @function from
-- @tparam nn.MultiheadAttention layer
-- @tparam[opt] table options `group`
-- @treturn nn.ParallelMultiheadAttention
ParallelMultiheadAttention.from = sharded.from(where, 'nn.MultiheadAttention', take, { 'group' })

-- Returns this rank's heads of a mask that has a matrix for each head of each sequence.
local function ownHeads(mask, n, heads, group)
  if not (mask and mask:dim() == 3 and mask:size(1) == n * heads and heads > 1) then return mask end
  local own = heads / group:size()
  return mask:contiguous():view(n, heads, mask:size(2), mask:size(3)):narrow(2, group:rank() * own + 1, own)
end

function ParallelMultiheadAttention:_attend(q, k, v, o)
  local group = sharded.group(self)
  local options, p = { group = group }, {}
  for _, part in ipairs(parts) do p[part[1]] = self[part[1]] end
  local query = functional.copyToRegion(q, options)
  local key = rawequal(k, q) and query or functional.copyToRegion(k, options)
  local value = rawequal(v, k) and key or functional.copyToRegion(v, options)
  o.attnMask = ownHeads(o.attnMask, q:size(1), self.heads, group)
  o.heads = self.heads / group:size()
  local y, weights = multihead.attend(where, query, key, value, p, o)
  y = functional.reduceFromRegion(y, options)
  if self.outBias then y = torch.add(y, self.outBias:view(1, 1, -1):expandAs(y)) end
  if weights and o.averageAttnWeights == false then
    weights = functional.gatherFromRegion(weights, 2, options)
  elseif weights then
    weights = torch.div(functional.reduceFromRegion(weights, options), group:size())
  end
  return y, weights
end

--- Returns an nn.MultiheadAttention with the heads of all ranks, which all call it.
-- @treturn nn.MultiheadAttention
function ParallelMultiheadAttention:gathered()
  local group = sharded.group(self)
  local layer = nn.utils.skipInit(nn.MultiheadAttention, self.size, self.heads, self.dropout, self.bias ~= nil, self.keyRow ~= nil,
    self.addZeroAttn, self.kdim, self.vdim, self.batchFirst, self.causal):type(self:type())
  layer.train = self.train
  for _, part in ipairs(parts) do
    if self[part[1]] then sharded.collect(layer[part[1]], self[part[1]], group, part[2], part[3]) end
  end
  if self.outBias then sharded.collect(layer.outBias, self.outBias, group) end
  return layer
end

function ParallelMultiheadAttention:__tostring__()
  return ('%s(%d, %d heads, 1 of %d parts)'):format(where, self.size, self.heads, #self.ranks)
end

return require('nn.support.options').install(ParallelMultiheadAttention)
