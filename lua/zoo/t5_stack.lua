--- Encoders and decoders of T5: attention with biases by distance, and linear maps, each after a normalisation.
-- Source: Raffel et al. (2020), "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer", JMLR 21, section 2.1.
-- @module zoo.t5_stack
local torch, nn, attention = require 'torch', require 'nn', require 'zoo.attention'

local Attention = torch.class('zoo.T5Attention', 'nn.Module', {})
local Layer = torch.class('zoo.T5Layer', 'nn.Module', {})
local Stack = torch.class('zoo.T5Stack', 'nn.Module', {})

local function linear(inputs, outputs, deviation)
  local layer = nn.Linear(inputs, outputs, false)
  nn.init.normal(layer.weight, 0, deviation)
  return layer
end

-- Arguments: options, whether the layer has the stack's table of biases.
function Attention:__init(o, hasBias)
  local size = o.numHeads * o.dKv
  self.heads, self.probability = o.numHeads, o.dropoutRate
  self.q = linear(o.dModel, size, (o.dModel * o.dKv) ^ -0.5)
  self.k, self.v = linear(o.dModel, size, o.dModel ^ -0.5), linear(o.dModel, size, o.dModel ^ -0.5)
  self.o = linear(size, o.dModel, size ^ -0.5)
  if hasBias then
    self.relative_attention_bias = nn.Embedding(o.relativeAttentionNumBuckets, o.numHeads)
    nn.init.normal(self.relative_attention_bias.weight, 0, o.dModel ^ -0.5)
  end
end

-- Logits aren't divided by the root of the size: the first weights of `q` are.
-- Arguments: inputs of queries, of keys, a list of numbers to add to the logits, a cache of this attention or nil, and whether keys in it
-- are complete: those of the encoder.
function Attention:forward(x, memory, biases, cache, isComplete)
  local query = attention.split(self.q(x), self.heads)
  local key, value
  if isComplete and cache and cache.length > 0 then
    key, value = cache:all()
  else
    key, value = attention.split(self.k(memory), self.heads), attention.split(self.v(memory), self.heads)
    if cache then key, value = cache:append(torch.contiguous(key), torch.contiguous(value)) end
  end
  local logits = torch.matmul(query, torch.transpose(key, 3, 4))
  for _, bias in ipairs(biases) do logits = torch.add(logits, torch.expandAs(bias, logits)) end
  local weights = nn.functional.dropout(torch.softmax(logits, 4), { p = self.probability, training = self.train ~= false })
  local y = torch.contiguous(torch.transpose(torch.matmul(weights, value), 2, 3))
  return self.o(torch.view(y, y:size(1), y:size(2), y:size(3) * y:size(4)))
end

-- A part of a block, and the normalisation before it.
function Layer:__init(o, name, part)
  self.name = name
  self[name], self.layer_norm, self.dropout = part, nn.RMSNorm(o.dModel, o.layerNormEpsilon), nn.Dropout(o.dropoutRate)
end

function Layer:forward(x, memory, biases, cache)
  local normal = self.layer_norm(x)
  local y
  if self.name == 'DenseReluDense' then
    local parts = self.DenseReluDense
    local hidden = parts.wi and torch.relu(parts.wi(normal)) or
      torch.cmul(nn.functional.gelu(parts.wi_0(normal), 'tanh'), parts.wi_1(normal))
    y = parts.wo(self.dropout(hidden))
  else
    y = self[self.name](normal, memory or normal, biases, cache, memory ~= nil)
  end
  return torch.add(x, self.dropout(y))
end

local function dense(o)
  local hidden, parts = o.dFf, {}
  for i, name in ipairs(o.feedForwardProj == 'gated-gelu' and { 'wi_0', 'wi_1' } or { 'wi' }) do
    parts[i] = { name, linear(o.dModel, hidden, o.dModel ^ -0.5) }
  end
  parts[#parts + 1] = { 'wo', linear(hidden, o.dModel, hidden ^ -0.5) }
  return nn.ModuleDict(parts)
end

function Stack:__init(o, count, isDecoder)
  self.isDecoder, self.buckets, self.farthest = isDecoder, o.relativeAttentionNumBuckets, o.relativeAttentionMaxDistance
  self.block = nn.ModuleList()
  for i = 1, count do
    local layers = nn.ModuleList { Layer.new(o, 'SelfAttention', Attention.new(o, i == 1)) }
    if isDecoder then layers:append(Layer.new(o, 'EncDecAttention', Attention.new(o, false))) end
    layers:append(Layer.new(o, 'DenseReluDense', dense(o)))
    self.block:append(nn.ModuleDict { { 'layer', layers } })
  end
  self.final_layer_norm, self.dropout = nn.RMSNorm(o.dModel, o.layerNormEpsilon), nn.Dropout(o.dropoutRate)
end

-- Returns the bucket of a distance from a query to a key: one each for near ones, wider ones on a logarithmic scale for others.
local function bucketOf(distance, isDecoder, count, farthest)
  local first = 1
  if not isDecoder then
    count = count / 2
    if distance > 0 then first = first + count end
    distance = math.abs(distance)
  else
    distance = math.max(-distance, 0)
  end
  local exact = math.floor(count / 2)
  if distance < exact then return first + distance end
  local place = exact + math.floor(math.log(distance / exact) / math.log(farthest / exact) * (count - exact))
  return first + math.min(place, count - 1)
end

-- Returns biases (1, heads, count, length), of the last positions as queries.
function Stack:biases(length, count)
  local byDistance = {}
  for i = 1, 2 * length - 1 do byDistance[i] = bucketOf(i - length, self.isDecoder, self.buckets, self.farthest) end
  local all, rows = torch.LongTensor(byDistance), {}
  for i = length - count + 1, length do rows[#rows + 1] = all:narrow(1, length - i + 1, length) end
  local buckets = torch.stack(rows, 1)
  local values = self.block[1].layer[1].SelfAttention.relative_attention_bias(buckets)
  return torch.unsqueeze(torch.permute(values, 3, 1, 2), 1)
end

-- Returns numbers to add to logits, of a mask that broadcasts to them.
local function biasOf(mask, x)
  if mask:dim() == 2 then mask = torch.view(torch.contiguous(mask), mask:size(1), 1, 1, mask:size(2)) end
  return torch.zeros(mask:size()):typeAs(x):maskedFill(torch.eq(mask, 0), -math.huge)
end

-- Arguments: vectors (N, T, size), those of the encoder, masks of both, and a cache of earlier positions.
function Stack:forward(x, memory, mask, memoryMask, cache)
  local count = x:size(2)
  local length = attention.past(cache) + count
  local own, others = { self:biases(length, count) }, memoryMask and { biasOf(memoryMask, x) } or {}
  if self.isDecoder and count > 1 then
    local seen = torch.tril(torch.ones(length, length)):narrow(1, length - count + 1, count)
    own[2] = biasOf(seen:contiguous():view(1, 1, count, length), x)
  end
  if mask then own[#own + 1] = biasOf(mask, x) end
  x = self.dropout(x)
  local attentions = 0
  for _, block in self.block:iter() do
    for _, layer in block.layer:iter() do
      local isCross = layer.name == 'EncDecAttention'
      attentions = attentions + (layer.name == 'DenseReluDense' and 0 or 1)
      local layerCache = cache and layer.name ~= 'DenseReluDense' and cache:layer(attentions) or nil
      x = layer(x, isCross and memory or nil, isCross and others or own, layerCache)
    end
  end
  return self.final_layer_norm(x)
end

return { Stack = Stack, linear = linear }
