--- What the layers of nn.Transformer share: the parts of a layer, and stacks of copies of a layer.
-- @module nn.support.transformer
-- @local
local torch, nn = require 'torch', require 'nn'
local check = require 'torch.check'

local transformer = {}

local activations = { relu = torch.relu, gelu = torch.gelu }

-- Returns nn.LayerNorm without its bias, if `bias` is false.
local function norm(size, eps, bias)
  local layer = nn.LayerNorm(size, eps)
  if bias == false then layer.bias, layer.gradBias = nil, nil end
  return layer
end

transformer.norm = norm

--- The arguments of decoders, for nn.support.signature.
transformer.decoderArguments = {
  { 'tgt', 'tensor' }, { 'memory', 'tensor' }, { 'tgtMask', 'tensor', optional = true }, { 'memoryMask', 'tensor', optional = true },
  { 'tgtKeyPaddingMask', 'tensor', optional = true }, { 'memoryKeyPaddingMask', 'tensor', optional = true },
  { 'tgtIsCausal', 'boolean', default = false }, { 'memoryIsCausal', 'boolean', default = false }, { 'cache', 'any', optional = true },
}

--- Creates the parts of a layer: attention, the two linear maps, normalisation and dropout.
-- @tparam nn.Module self
-- @tparam table o options: dModel, nhead, dimFeedforward, dropout, activation, layerNormEps, batchFirst, normFirst, bias
-- @tparam {string,...} attentions names of the fields for attention, each of which has a norm and a dropout
function transformer.parts(self, o, attentions)
  local name = torch.type(self)
  local size = check.int(name, 'dModel', o.dModel, { min = 1 })
  local heads = check.int(name, 'nhead', o.nhead, { min = 1 })
  local inner = check.int(name, 'dimFeedforward', o.dimFeedforward or 2048, { min = 1 })
  local dropout = check.number(name, 'dropout', o.dropout or 0.1, { min = 0, max = 1 })
  local eps = check.number(name, 'layerNormEps', o.layerNormEps or 1e-5, { min = 0 })
  if type(o.activation) ~= 'function' then check.choice(name, 'activation', o.activation or 'relu', { 'relu', 'gelu' }) end
  self.batchFirst, self.normFirst, self.activation = o.batchFirst or false, o.normFirst or false, o.activation or 'relu'
  for _, field in ipairs(attentions) do
    self[field] = nn.MultiheadAttention(size, heads, { dropout = dropout, bias = o.bias ~= false, batchFirst = self.batchFirst })
  end
  self.linear1 = nn.Linear(size, inner, o.bias ~= false)
  self.linear2 = nn.Linear(inner, size, o.bias ~= false)
  for i = 1, #attentions + 1 do self['norm' .. i] = norm(size, eps, o.bias) end
  self.dropout = nn.Dropout(dropout)
  for i = 1, #attentions + 1 do self['dropout' .. i] = nn.Dropout(dropout) end
end

--- Returns x with the results of a layer's blocks added: after normalisation of their inputs, or before that of the sums.
-- @tparam nn.Module self
-- @tparam torch.Tensor x
-- @tparam {function,...} blocks of x
-- @treturn torch.Tensor
function transformer.residual(self, x, blocks)
  for i, block in ipairs(blocks) do
    local normal, dropout = self['norm' .. i], self['dropout' .. i]
    if self.normFirst then
      x = torch.add(x, dropout(block(normal(x))))
    else
      x = normal(torch.add(x, dropout(block(x))))
    end
  end
  return x
end

--- Returns the two linear maps of x, with the activation and dropout between them.
function transformer.feedForward(self, x)
  local f = activations[self.activation] or self.activation
  return self.linear2(self.dropout(f(self.linear1(x))))
end

--- Creates the copies of a layer in the field `layers`, and the final norm.
-- @tparam nn.Module self
-- @string argument name of the layer in messages
-- @tparam nn.Module layer
-- @int count
-- @tparam ?nn.Module final
function transformer.copies(self, argument, layer, count, final)
  local name = torch.type(self)
  check.instance(name, argument, layer, 'a module')
  check.int(name, 'numLayers', count, { min = 1 })
  local list = {}
  for i = 1, count do list[i] = layer:clone() end
  self.layers = nn.ModuleList(list)
  if final then self.norm = check.instance(name, 'norm', final, 'a module') end
end

--- Runs the copies, and the final norm.
-- @tparam nn.Module self
-- @tparam torch.Tensor x
-- @tparam ?nn.KeyValueCache cache
-- @tparam function call of (layer, x, its cache)
-- @treturn torch.Tensor
function transformer.run(self, x, cache, call)
  for i, layer in self.layers:iter() do x = call(layer, x, cache and cache:layer(i)) end
  return self.norm and self.norm(x) or x
end

return transformer
