--- Multi-head attention: for each query, each head averages the values, weighted by the similarity of query and keys.
-- softmax(Q K' / sqrt(d)) V for each head with d = size / heads elements; an affine map is applied to the concatenated heads. Q, K and V
-- are affine maps of the inputs.
-- Source: Vaswani et al. (2017), "Attention Is All You Need", NIPS, section 3.2.
-- Shapes: x (N, T, size), or {query (N, T, size), key (N, S, kdim), value (N, S, vdim)} -> (N, T, size); (T, N, size) with batchFirst =
-- false; without N for a single sequence. Unlike PyTorch's, batchFirst is true by default. The input's table may have a fourth entry, a
-- mask with 1 for keys that a query must ignore, and options by name: attnMask (T, S), (N, T, S) or (N heads, T, S), of floats that are
-- added to the scores, or of another type with 1 for keys that a query must ignore; keyPaddingMask (N, S), likewise; isCausal: queries
-- ignore later keys; needWeights (false): the result is {y, weights (N, T, S)}; averageAttnWeights (true), false for weights (N, heads, T,
-- S); cache, an nn.KeyValueCache. A query that ignores all keys has the result 0 before the last map.
-- @classmod nn.MultiheadAttention
local torch, check = require 'torch', require 'torch.check'
local nn = require 'nn'
local sizesOf = require('torch.check.message').sizes
local refuse = require 'torch.check.refuse'
local multihead = require 'nn.support.multihead'

local names = { 'attnMask', 'keyPaddingMask', 'isCausal', 'needWeights', 'averageAttnWeights', 'cache' }

-- Returns an input as (N, T, size).
local function batched(self, x, name, size)
  if x:dim() ~= 3 and x:dim() ~= 2 or x:size(x:dim()) ~= size then
    local order = self.batchFirst == false and 'T, N' or 'N, T'
    refuse.shape(('nn.MultiheadAttention: %s: %s, expected (%s, %d)'):format(name, sizesOf(x), order, size))
  end
  if x:dim() == 2 then return torch.view(torch.contiguous(x), 1, x:size(1), size) end
  return self.batchFirst == false and torch.transpose(x, 1, 2) or x
end

-- Returns the options of an input's table.
local function optionsOf(input)
  local given = {}
  for name, value in pairs(input) do
    if type(name) == 'string' then given[name] = value end
  end
  return require('nn.support.options').read('nn.MultiheadAttention', given, names)
end

local MultiheadAttention, parent = nn.declare {
  name = 'nn.MultiheadAttention', takes = 'any',
  parameters = {
    { 'weight' }, { 'queryWeight' }, { 'keyWeight' }, { 'valueWeight' }, { 'bias' }, { 'keyRow' }, { 'valueRow' }, { 'outWeight' },
    { 'outBias' },
  },
  compute = function(self, input)
    local query, key, value, mask, options = input, nil, nil, nil, {}
    if type(input) == 'table' then
      query, key, value, mask = unpack(input, 1, 4)
      options = optionsOf(input)
    end
    local isSingle = query:dim() == 2
    local q = batched(self, query, 'query', self.size)
    local k = key and not rawequal(key, query) and batched(self, key, 'key', self.kdim or self.size) or q
    local v = value and not rawequal(value, key) and batched(self, value, 'value', self.vdim or self.size) or k
    local y, weights = self:_attend(q, k, v, {
      heads = self.heads, dropout = self.train ~= false and self.dropout or 0, addZeroAttn = self.addZeroAttn,
      attnMask = mask and torch.ne(mask, 0) or options.attnMask, keyPaddingMask = options.keyPaddingMask,
      isCausal = self.causal or options.isCausal, needWeights = options.needWeights, averageAttnWeights = options.averageAttnWeights,
      cache = options.cache,
    })
    if isSingle then
      y = torch.squeeze(y, 1)
      weights = weights and torch.squeeze(weights, 1)
    elseif self.batchFirst == false then
      y = torch.contiguous(torch.transpose(y, 1, 2))
    end
    return options.needWeights and { y, weights } or y
  end,
  prints = function(self) return ('(%d, %d heads)'):format(self.size, self.heads) end,
}
MultiheadAttention.__givesWay, MultiheadAttention._hasOptions = true, true

-- Returns the result and the weights, by the options of nn.support.multihead.
function MultiheadAttention:_attend(q, k, v, o) return multihead.attend('nn.MultiheadAttention', q, k, v, self, o) end

local theirs = {
  weight = 'in_proj_weight', bias = 'in_proj_bias', outWeight = 'out_proj.weight', outBias = 'out_proj.bias', queryWeight = 'q_proj_weight',
  keyWeight = 'k_proj_weight', valueWeight = 'v_proj_weight', keyRow = 'bias_k', valueRow = 'bias_v',
}

function MultiheadAttention:_stateName(field) return theirs[field] end

--- @tparam int size of queries and results, a multiple of heads
-- @tparam int heads
-- @tparam[opt=0] number dropout of the weights, in training
-- @tparam[opt=true] bool bias
-- @tparam[opt=false] bool addBiasKv a learnt row is a further key, another one its value
-- @tparam[opt=false] bool addZeroAttn zeros are a further key and its value
-- @tparam[opt] int kdim size of the keys, by default that of the queries
-- @tparam[opt] int vdim size of the values, likewise
-- @tparam[opt=true] bool batchFirst false: inputs and results are (T, N, size)
-- @tparam[opt=false] bool causal queries ignore later keys
function MultiheadAttention:__init(size, heads, dropout, bias, addBiasKv, addZeroAttn, kdim, vdim, batchFirst, causal)
  local name = 'nn.MultiheadAttention'
  check.int(name, 'size', size, { min = 1 })
  check.int(name, 'heads', heads, { min = 1 })
  if size % heads ~= 0 then check.raise(('%s: size: %d, expected a multiple of the %d heads'):format(name, size, heads)) end
  parent.__init(self)
  self.size, self.heads, self.causal, self.addZeroAttn = size, heads, causal or false, addZeroAttn or false
  self.dropout = check.number(name, 'dropout', dropout or 0, { min = 0, max = 1 })
  self.kdim, self.vdim = check.int(name, 'kdim', kdim or size, { min = 1 }), check.int(name, 'vdim', vdim or size, { min = 1 })
  self.batchFirst, self.train = batchFirst ~= false, true
  if self.kdim == size and self.vdim == size then
    self:declare('weight', torch.Tensor(3 * size, size))
  else
    self:declare('queryWeight', torch.Tensor(size, size))
    self:declare('keyWeight', torch.Tensor(size, self.kdim))
    self:declare('valueWeight', torch.Tensor(size, self.vdim))
  end
  if bias ~= false then self:declare('bias', torch.Tensor(3 * size)) end
  for _, row in ipairs(addBiasKv and { 'keyRow', 'valueRow' } or {}) do self:declare(row, torch.Tensor(1, 1, size)) end
  self:declare('outWeight', torch.Tensor(size, size))
  if bias ~= false then self:declare('outBias', torch.Tensor(size)) end
  self:reset()
end

--- Draws the weights by Xavier's uniform initialisation, those of addBiasKv from normal(0, 1 / sqrt(size)), and sets the biases to 0.
function MultiheadAttention:reset()
  for _, name in ipairs { 'weight', 'queryWeight', 'keyWeight', 'valueWeight', 'outWeight' } do
    if self[name] then nn.init.xavierUniform(self[name]) end
  end
  for _, name in ipairs { 'keyRow', 'valueRow' } do
    if self[name] then nn.init.normal(self[name], 0, 1 / math.sqrt(self.size)) end
  end
  for _, bias in pairs { self.bias, self.outBias } do nn.init.zeros(bias) end
end

return MultiheadAttention
