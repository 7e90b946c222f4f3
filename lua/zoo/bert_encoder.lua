--- BERT's encoder of texts, the part that networks for tasks and sentences share.
-- Call `net(ids, options)`: ids (N, T), the tokenizer's numbers plus 1; `options.mask` (N, T), 0 for padding; `options.types` (N, T), 1
-- for the first sentence (the default), 2 for the other. The results are vectors (N, T, hiddenSize), and, if the encoder has a pooler, one
-- of the whole (N, hiddenSize).
-- Source: Devlin et al. (2019), "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding", NAACL, section 3; names
-- of parameters as in transformers' BertModel.
-- @module zoo.bert_encoder
local torch, nn, attention = require 'torch', require 'nn', require 'zoo.attention'

local encoder = {}
local Attention = torch.class('zoo.BertAttention', 'nn.Module', {})
local Layer = torch.class('zoo.BertLayer', 'nn.Module', {})
local Bert = torch.class('zoo.Bert', 'nn.Module', encoder)

-- A linear map, whose result is added to another input and normalised.
local function output(o, inputs)
  return nn.ModuleDict { { 'dense', nn.Linear(inputs, o.hiddenSize) }, { 'LayerNorm', nn.LayerNorm(o.hiddenSize, o.layerNormEps) } }
end

local stateNames = { result = 'output' }      -- `output` is a field of every module
Attention._stateNames, Layer._stateNames = stateNames, stateNames

-- Adds what `part` makes of y to x.
local function added(self, part, y, x) return part.LayerNorm(torch.add(self.dropout(part.dense(y)), x)) end

function Attention:__init(o)
  local size = o.hiddenSize
  self.heads, self.probability = o.numAttentionHeads, o.attentionProbsDropoutProb
  self.self = nn.ModuleDict { { 'query', nn.Linear(size, size) }, { 'key', nn.Linear(size, size) }, { 'value', nn.Linear(size, size) } }
  self.result = output(o, size)
  self.dropout = nn.Dropout(o.hiddenDropoutProb)
end

function Attention:forward(x, mask)
  local function heads(name) return attention.split(self.self[name](x), self.heads) end
  local dropout = self.train ~= false and self.probability or 0
  local y = attention.attend(heads 'query', heads 'key', heads 'value', { mask = mask, dropout = dropout })
  return added(self, self.result, y, x)
end

function Layer:__init(o)
  self.attention = Attention.new(o)
  self.intermediate = nn.ModuleDict { { 'dense', nn.Linear(o.hiddenSize, o.intermediateSize) } }
  self.result = output(o, o.intermediateSize)
  self.dropout = nn.Dropout(o.hiddenDropoutProb)
end

function Layer:forward(x, mask)
  x = self.attention(x, mask)
  return added(self, self.result, torch.gelu(self.intermediate.dense(x)), x)
end

-- `noPooler`: without the map to a vector of the whole.
function Bert:__init(o, noPooler)
  local size = o.hiddenSize
  self.embeddings = nn.ModuleDict {
    { 'word_embeddings', nn.Embedding(o.vocabSize, size) }, { 'position_embeddings', nn.Embedding(o.maxPositionEmbeddings, size) },
    { 'token_type_embeddings', nn.Embedding(o.typeVocabSize, size) }, { 'LayerNorm', nn.LayerNorm(size, o.layerNormEps) },
  }
  self.encoder = nn.ModuleDict { { 'layer', nn.ModuleList() } }
  for _ = 1, o.numHiddenLayers do self.encoder.layer:append(Layer.new(o)) end
  if not noPooler then self.pooler = nn.ModuleDict { { 'dense', nn.Linear(size, size) } } end
  self.dropout = nn.Dropout(o.hiddenDropoutProb)
end

function Bert:forward(ids, options)
  local parts, count = self.embeddings, ids:size(2)
  local types = options and options.types or torch.ones(ids:size(1), count):long()
  local positions = parts.position_embeddings(torch.range(1, count):long()):view(1, count, -1)
  local x = torch.add(parts.word_embeddings(ids), parts.token_type_embeddings(types))
  x = self.dropout(parts.LayerNorm(torch.add(x, positions:expandAs(x))))
  for _, layer in self.encoder.layer:iter() do x = layer(x, options and options.mask) end
  if not self.pooler then return x end
  return x, torch.tanh(self.pooler.dense(x:select(2, 1)))
end

--- Draws the weights of linear maps and embeddings, as in section A.2 of the paper.
-- @tparam nn.Module net
-- @treturn nn.Module net
function encoder.initialise(net)
  for _, module in ipairs(net:listModules()) do
    if torch.isTypeOf(module, 'nn.Linear') or torch.isTypeOf(module, 'nn.Embedding') then
      nn.init.normal(module.weight, 0, 0.02)
      if module.bias then nn.init.zeros(module.bias) end
    end
  end
  return net
end

--- The options of an encoder, with the sizes of bert-base-uncased, for declarations of families.
-- @treturn table a new list
function encoder.options()
  return {
    { 'vocabSize', 'int', min = 1, default = 30522 }, { 'hiddenSize', 'int', min = 1, default = 768 },
    { 'numHiddenLayers', 'int', min = 1, default = 12 }, { 'numAttentionHeads', 'int', min = 1, default = 12 },
    { 'intermediateSize', 'int', min = 1, default = 3072 }, { 'maxPositionEmbeddings', 'int', min = 1, default = 512 },
    { 'typeVocabSize', 'int', min = 1, default = 2 }, { 'layerNormEps', 'number', min = 0, default = 1e-12 },
    { 'hiddenDropoutProb', 'number', min = 0, max = 1, default = 0.1 },
    { 'attentionProbsDropoutProb', 'number', min = 0, max = 1, default = 0.1 },
  }
end

return encoder
