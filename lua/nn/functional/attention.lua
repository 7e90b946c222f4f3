--- Attention as functions, in nn.functional.
-- @module nn.functional.attention
local torch, check, signature = require 'torch', require 'torch.check', require 'nn.support.signature'
local sizesOf = require('torch.check.message').sizes
local refuse = require 'torch.check.refuse'

local attention = {}

--- softmax(scale query key' + mask) value: each query's mean of the values, weighted by its similarity to the keys.
-- A mask of floats is added to the scores, zeros of other types exclude keys. Heads of the query may be a multiple of those of key and
-- value, with or without enableGqa. Former names of options are mask (attnMask), causal (isCausal) and dropout (dropoutP). Source: Vaswani
-- et al. (2017), "Attention Is All You Need", NIPS.
-- @function scaledDotProductAttention
-- @tparam torch.Tensor query (…, L, E)
-- @tparam torch.Tensor key (…, S, E)
-- @tparam torch.Tensor value (…, S, V)
-- @tparam[opt] torch.Tensor attnMask that broadcasts to (…, L, S)
-- @tparam[opt=0] number dropoutP the probability with which a weight is set to zero
-- @tparam[opt=false] bool isCausal query i excludes keys behind i
-- @tparam[opt] number scale by default 1 / sqrt(E)
-- @tparam[opt=false] bool enableGqa
-- @treturn torch.Tensor (…, L, V)
attention.scaledDotProductAttention = signature('nn.functional.scaledDotProductAttention', {
  { 'query', 'tensor' }, { 'key', 'tensor' }, { 'value', 'tensor' }, { 'attnMask', 'tensor', optional = true },
  { 'dropoutP', 'number', min = 0, max = 1, default = 0 }, { 'isCausal', 'boolean', default = false },
  { 'scale', 'number', optional = true }, { 'enableGqa', 'boolean', default = false },
  { 'mask', 'tensor', optional = true }, { 'dropout', 'number', min = 0, max = 1, default = 0 }, { 'causal', 'boolean', default = false },
}, function(query, key, value, attnMask, dropoutP, isCausal, scale, _, mask, dropout, causal)
  return require 'nn.support.attention'(query, key, value,
    { mask = attnMask or mask, causal = isCausal or causal, scale = scale, dropout = math.max(dropoutP, dropout) })
end)

-- Returns an input of PyTorch's order, (T, N, E) or (T, E), as (N, T, E).
local function batched(where, name, x)
  if x:dim() ~= 2 and x:dim() ~= 3 then refuse.shape(('%s: %s: %s, expected (T, N, E) or (T, E)'):format(where, name, sizesOf(x))) end
  return x:dim() == 2 and torch.view(torch.contiguous(x), 1, x:size(1), x:size(2)) or torch.transpose(x, 1, 2)
end

--- What nn.MultiheadAttention computes, with the parameters as arguments: see there for the masks.
-- @function multiHeadAttentionForward
-- @tparam torch.Tensor query (L, N, E), or (L, E)
-- @tparam torch.Tensor key (S, N, E)
-- @tparam torch.Tensor value (S, N, E)
-- @tparam int embedDimToCheck E
-- @tparam int numHeads
-- @tparam ?torch.Tensor inProjWeight (3 E, E)
-- @tparam ?torch.Tensor inProjBias (3 E)
-- @tparam ?torch.Tensor biasK (1, 1, E): a further key, with biasV as its value
-- @tparam ?torch.Tensor biasV (1, 1, E)
-- @tparam ?bool addZeroAttn zeros are a further key and its value
-- @tparam ?number dropoutP of the weights, if training
-- @tparam torch.Tensor outProjWeight (E, E)
-- @tparam ?torch.Tensor outProjBias (E)
-- @tparam[opt=true] bool training
-- @tparam[opt] torch.Tensor keyPaddingMask (N, S)
-- @tparam[opt=true] bool needWeights
-- @tparam[opt] torch.Tensor attnMask (L, S) or (N numHeads, L, S)
-- @tparam[opt=false] bool useSeparateProjWeight the three following weights replace inProjWeight
-- @tparam[opt] torch.Tensor qProjWeight (E, E)
-- @tparam[opt] torch.Tensor kProjWeight (E, kdim)
-- @tparam[opt] torch.Tensor vProjWeight (E, vdim)
-- @tparam[opt] torch.Tensor staticK (N numHeads, S, E / numHeads): keys by heads, instead of those computed
-- @tparam[opt] torch.Tensor staticV likewise
-- @tparam[opt=true] bool averageAttnWeights the weights are the mean of the heads'
-- @tparam[opt=false] bool isCausal queries ignore later keys
-- @treturn torch.Tensor (L, N, E)
-- @treturn ?torch.Tensor weights (N, L, S), or (N, numHeads, L, S)
attention.multiHeadAttentionForward = signature('nn.functional.multiHeadAttentionForward', {
  { 'query', 'tensor' }, { 'key', 'tensor' }, { 'value', 'tensor' }, { 'embedDimToCheck', 'int', min = 1 }, { 'numHeads', 'int', min = 1 },
  { 'inProjWeight', 'tensor', optional = true }, { 'inProjBias', 'tensor', optional = true }, { 'biasK', 'tensor', optional = true },
  { 'biasV', 'tensor', optional = true }, { 'addZeroAttn', 'boolean', default = false },
  { 'dropoutP', 'number', min = 0, max = 1, default = 0 }, { 'outProjWeight', 'tensor' }, { 'outProjBias', 'tensor', optional = true },
  { 'training', 'boolean', default = true }, { 'keyPaddingMask', 'tensor', optional = true }, { 'needWeights', 'boolean', default = true },
  { 'attnMask', 'tensor', optional = true }, { 'useSeparateProjWeight', 'boolean', default = false },
  { 'qProjWeight', 'tensor', optional = true }, { 'kProjWeight', 'tensor', optional = true }, { 'vProjWeight', 'tensor', optional = true },
  { 'staticK', 'tensor', optional = true }, { 'staticV', 'tensor', optional = true },
  { 'averageAttnWeights', 'boolean', default = true }, { 'isCausal', 'boolean', default = false },
}, function(query, key, value, size, heads, inProjWeight, inProjBias, biasK, biasV, addZeroAttn, dropoutP, outProjWeight, outProjBias,
            training, keyPaddingMask, needWeights, attnMask, useSeparate, qProjWeight, kProjWeight, vProjWeight, staticK, staticV,
            averageAttnWeights, isCausal)
  local where = 'nn.functional.multiHeadAttentionForward'
  if size % heads ~= 0 or query:size(query:dim()) ~= size then
    refuse.shape(('%s: query: %s, expected (L, N, %d) with a multiple of the %d heads'):format(where, sizesOf(query), size, heads))
  end
  if useSeparate then check.tensor(where, 'qProjWeight', qProjWeight) else check.tensor(where, 'inProjWeight', inProjWeight) end
  local q, isSingle = batched(where, 'query', query), query:dim() == 2
  local k = rawequal(key, query) and q or batched(where, 'key', key)
  local v = rawequal(value, key) and k or batched(where, 'value', value)
  local y, weights = require 'nn.support.multihead'.attend(where, q, k, v, {
    weight = not useSeparate and inProjWeight or nil, queryWeight = qProjWeight, keyWeight = kProjWeight, valueWeight = vProjWeight,
    bias = inProjBias, keyRow = biasK, valueRow = biasV, outWeight = outProjWeight, outBias = outProjBias,
  }, {
    heads = heads, dropout = training and dropoutP or 0, addZeroAttn = addZeroAttn, keyPaddingMask = keyPaddingMask, attnMask = attnMask,
    isCausal = isCausal, needWeights = needWeights, averageAttnWeights = averageAttnWeights, staticK = staticK, staticV = staticV,
  })
  if isSingle then return torch.squeeze(y, 1), weights and torch.squeeze(weights, 1) end
  return torch.contiguous(torch.transpose(y, 1, 2)), weights
end)

-- Returns cosines and sines of the angles (T, dim / 2) as those of both elements of each pair, (T, dim).
local function angles(x, dim, base, positions, isInterleaved)
  local half = dim / 2
  local rates = torch.pow(torch.DoubleTensor(half):fill(base), torch.mul(torch.range(0, half - 1):double(), -2 / dim))
  local theta = torch.mm(positions:double():contiguous():view(-1, 1), rates:view(1, half))
  local length = theta:size(1)
  local both
  if isInterleaved then
    both = theta:view(length, half, 1):expand(length, half, 2):contiguous():view(length, dim)
  else
    both = torch.cat(theta, theta, 2)
  end
  local device = require 'autograd.on_device_of'
  return device(torch.cos(both):type(x:type()), x), device(torch.sin(both):type(x:type()), x)
end

-- Returns each pair (a, b) of x (…, dim) as (-b, a).
local function turned(x, dim, isInterleaved)
  local last = x:dim()
  if not isInterleaved then
    return torch.cat(torch.neg(torch.narrow(x, last, dim / 2 + 1, dim / 2)), torch.narrow(x, last, 1, dim / 2), last)
  end
  local sizes = x:size():totable()
  sizes[last], sizes[last + 1] = dim / 2, 2
  local pairs_ = torch.view(torch.contiguous(x), torch.LongStorage(sizes))
  local swapped = torch.cat(torch.neg(torch.narrow(pairs_, last + 1, 2, 1)), torch.narrow(pairs_, last + 1, 1, 1), last + 1)
  return torch.view(swapped, x:size())
end

--- Rotates pairs of elements by angles that grow with the position, so that products of queries and keys depend on their distance: the
-- pair i (from 0) at position t by t base^(-2 i / dim). Source: Su et al. (2021), "RoFormer: Enhanced Transformer with Rotary Position
-- Embedding", arXiv:2104.09864, equations 15 and 34.
-- @function rotaryEmbedding
-- @tparam torch.Tensor x (…, T, E)
-- @tparam[opt] torch.Tensor|int positions of the T rows, or that of the first row; by default 0, 1, ...
-- @tparam[opt=10000] number base
-- @tparam[opt=true] bool interleaved pairs are elements 2 i - 1 and 2 i, as in the paper; false: elements i and i + dim / 2
-- @tparam[opt] int dim how many elements, from the first on, are rotated: an even number, by default E
-- @treturn torch.Tensor
attention.rotaryEmbedding = signature('nn.functional.rotaryEmbedding', {
  { 'x', 'tensor' }, { 'positions', 'any', optional = true }, { 'base', 'number', default = 10000, min = 0 },
  { 'interleaved', 'boolean', default = true }, { 'dim', 'int', optional = true, min = 2 },
}, function(x, positions, base, interleaved, dim)
  local where, last = 'nn.functional.rotaryEmbedding', x:dim()
  local size = last >= 2 and x:size(last) or 0
  dim = dim or size
  if size < 2 or dim % 2 ~= 0 or dim > size then
    refuse.shape(('%s: x: %s, expected (…, T, E) with an even dim up to E'):format(where, sizesOf(x)))
  end
  local length = x:size(last - 1)
  if type(positions) == 'number' or positions == nil then
    local first = positions or 0
    positions = length > 0 and torch.range(first, first + length - 1) or torch.DoubleTensor()
  end
  check.tensor(where, 'positions', positions)
  if positions:nElement() ~= length then
    refuse.shape(('%s: positions: %s, expected %d, one for each row'):format(where, sizesOf(positions), length))
  end
  if x:nElement() == 0 then return x end
  local part = dim < size and torch.narrow(x, last, 1, dim) or x
  local cosines, sines = angles(x, dim, base, positions, interleaved)
  local all = part:size()
  local y = torch.add(torch.cmul(part, torch.expand(cosines, all)), torch.cmul(turned(part, dim, interleaved), torch.expand(sines, all)))
  return dim < size and torch.cat(y, torch.narrow(x, last, dim + 1, size - dim), last) or y
end)

return attention
