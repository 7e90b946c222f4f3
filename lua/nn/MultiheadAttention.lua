--- Multi-head attention: for each query, each head averages the values, weighted by the similarity of query and keys.
-- softmax(Q K' / sqrt(d)) V for each head with d = size / heads elements; an affine map is applied to the concatenated heads. Q, K and V
-- are affine maps of the inputs.
-- Source: Vaswani et al. (2017), "Attention Is All You Need", NIPS, section 3.2.
-- Shapes: x (N, T, size), or {query (N, T, size), key (N, S, size), value (N, S, size) [, mask]} -> (N, T, size). The mask, (T, S) or (N,
-- T, S), has 1 for keys that a query must ignore;
-- a query that ignores all keys has the result 0 before the last map.
-- @classmod nn.MultiheadAttention
local torch, check = require 'torch', require 'torch.check'
local nn = require 'nn'
local sizesOf = require('torch.check.message').sizes
local refuse = require 'torch.check.refuse'
local attention = require 'nn.support.attention'

-- Returns map k of an input (1 queries, 2 keys, 3 values) for each head, (N, heads, T, size / heads).
local function project(self, x, k)
  local size, heads = self.size, self.heads
  local n, length = x:size(1), x:size(2)
  local bias = self.bias and torch.narrow(self.bias, 1, (k - 1) * size + 1, size)
  local flat = torch.view(torch.contiguous(x), n * length, size)
  local y = torch.linear(flat, torch.narrow(self.weight, 1, (k - 1) * size + 1, size), bias)
  return torch.permute(torch.view(y, n, length, heads, size / heads), 1, 3, 2, 4)
end

local function checkInput(self, x, name)
  if x:dim() ~= 3 or x:size(3) ~= self.size then
    refuse.shape(('nn.MultiheadAttention: %s: %s, expected (N, T, %d)'):format(name, sizesOf(x), self.size))
  end
end

-- Returns a mask with 0 for keys that a query must ignore, for all heads.
local function visible(mask)
  if not mask then return nil end
  local seen = torch.eq(mask, 0)
  return mask:dim() == 3 and seen:view(mask:size(1), 1, mask:size(2), mask:size(3)) or seen
end

local MultiheadAttention, parent = nn.declare {
  name = 'nn.MultiheadAttention', takes = 'any',
  parameters = { { 'weight' }, { 'bias' }, { 'outWeight' }, { 'outBias' } },
  compute = function(self, input)
    local query, key, value, mask = input, input, input, nil
    if type(input) == 'table' then query, key, value, mask = unpack(input) end
    checkInput(self, query, 'query')
    checkInput(self, key, 'key')
    checkInput(self, value, 'value')
    local n, length, size = query:size(1), query:size(2), self.size
    local q, k, v = project(self, query, 1), project(self, key, 2), project(self, value, 3)
    local dropout = self.train ~= false and self.dropout or 0
    local byHead = attention(q, k, v, { mask = visible(mask), causal = self.causal, dropout = dropout })
    local joined = torch.view(torch.contiguous(torch.permute(byHead, 1, 3, 2, 4)), n * length, size)
    return torch.view(torch.linear(joined, self.outWeight, self.outBias), n, length, size)
  end,
  prints = function(self) return ('(%d, %d heads)'):format(self.size, self.heads) end,
}
MultiheadAttention.__givesWay = true

local theirs = { weight = 'in_proj_weight', bias = 'in_proj_bias', outWeight = 'out_proj.weight', outBias = 'out_proj.bias' }

function MultiheadAttention:_stateName(field) return theirs[field] end

--- @tparam int size a multiple of heads
-- @tparam int heads
-- @tparam[opt] table options dropout (0) of the attention; bias (true); causal (false): queries ignore later keys
function MultiheadAttention:__init(size, heads, options)
  options = require('nn.support.options').read('nn.MultiheadAttention', options, { 'dropout', 'bias', 'causal' })
  check.int('nn.MultiheadAttention', 'size', size, { min = 1 })
  check.int('nn.MultiheadAttention', 'heads', heads, { min = 1 })
  if size % heads ~= 0 then check.raise(('nn.MultiheadAttention: size: %d, expected a multiple of the %d heads'):format(size, heads)) end
  parent.__init(self)
  self.size, self.heads, self.causal = size, heads, options.causal or false
  self.dropout = check.number('nn.MultiheadAttention', 'dropout', options.dropout or 0, { min = 0, max = 1 })
  self.train = true
  self:declare('weight', torch.Tensor(3 * size, size))
  if options.bias ~= false then self:declare('bias', torch.Tensor(3 * size)) end
  self:declare('outWeight', torch.Tensor(size, size))
  if options.bias ~= false then self:declare('outBias', torch.Tensor(size)) end
  self:reset()
end

--- Draws the weights by Xavier's uniform initialisation, and sets the biases to 0.
function MultiheadAttention:reset()
  nn.init.xavierUniform(self.weight)
  nn.init.xavierUniform(self.outWeight)
  for _, bias in pairs { self.bias, self.outBias } do nn.init.zeros(bias) end
end

return MultiheadAttention
