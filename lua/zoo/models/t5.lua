--- T5: an encoder of a text and a decoder that writes another, with biases of attention by distance instead of positions.
-- Call `net(ids, options)`: ids (N, S), the tokenizer's numbers plus 1; `options.targets` (N, T), what the decoder has written: 1,
-- the number of padding, and further tokens (by default 1 alone); `options.mask` (N, S), 0 for padding. The result are logits
-- (N, T, vocabSize) of the tokens after targets. `net:encode(ids, mask)` and `net:decode(targets, memory, mask, cache)` are the halves;
-- with an nn.KeyValueCache targets are those after the ones of earlier calls. `zoo.generate` writes texts.
-- Source: the paper below, section 2.1; names of parameters as in transformers' T5ForConditionalGeneration.
-- @module zoo.models.t5
local torch, nn, stack = require 'torch', require 'nn', require 'zoo.t5_stack'

local T5 = torch.class('zoo.T5', 'nn.Module', {})

function T5:__init(o)
  self.shared = nn.Embedding(o.vocabSize, o.dModel)
  self.encoder, self.decoder = stack.Stack.new(o, o.numLayers, false), stack.Stack.new(o, o.numDecoderLayers or o.numLayers, true)
  self.dropout = nn.Dropout(o.dropoutRate)
  if not o.tieWordEmbeddings then self.lm_head = stack.linear(o.dModel, o.vocabSize, 1) end
end

T5.writesAfterReading = true

function T5:encode(ids, mask) return self.dropout(self.encoder(self.shared(ids), nil, mask)) end

function T5:decode(targets, memory, mask, cache)
  local y = self.dropout(self.decoder(self.shared(targets), memory, nil, mask, cache))
  if self.lm_head then return self.lm_head(y) end
  return nn.functional.linear(torch.mul(y, y:size(3) ^ -0.5), self.shared.weight)
end

function T5:forward(ids, options)
  local mask = options and options.mask
  local targets = options and options.targets or torch.ones(ids:size(1), 1):long()
  return self:decode(targets, self:encode(ids, mask), mask)
end

local function size(dModel, dFf, layers, heads) return { dModel = dModel, dFf = dFf, numLayers = layers, numHeads = heads } end

-- Version 1.1 has gated linear maps, and other weights for logits than for embeddings.
local function gated(options)
  options.feedForwardProj, options.tieWordEmbeddings = 'gated-gelu', false
  return options
end

return require 'zoo.declare' {
  title = 'T5',
  paper = 'Raffel et al. (2020), "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer", JMLR 21',
  input = function() return { 512 } end, tokens = 'vocabSize',
  options = {
    { 'vocabSize', 'int', min = 1, default = 32128 }, { 'dModel', 'int', min = 1, default = 512 }, { 'dKv', 'int', min = 1, default = 64 },
    { 'dFf', 'int', min = 1, default = 2048 }, { 'numLayers', 'int', min = 1, default = 6 }, { 'numDecoderLayers', 'int', min = 1 },
    { 'numHeads', 'int', min = 1, default = 8 }, { 'relativeAttentionNumBuckets', 'int', min = 4, default = 32 },
    { 'relativeAttentionMaxDistance', 'int', min = 2, default = 128 }, { 'dropoutRate', 'number', min = 0, max = 1, default = 0.1 },
    { 'layerNormEpsilon', 'number', min = 0, default = 1e-6 }, { 'tieWordEmbeddings', 'boolean', default = true },
    { 'feedForwardProj', 'choice', choices = { 'relu', 'gated-gelu' }, default = 'relu' },
  },
  models = {
    ['t5-small'] = {}, ['t5-base'] = size(768, 3072, 12, 12), ['t5-large'] = size(1024, 4096, 24, 16),
    ['t5-v1_1-small'] = gated(size(512, 1024, 8, 6)), ['t5-v1_1-base'] = gated(size(768, 2048, 12, 12)),
    ['t5-v1_1-large'] = gated(size(1024, 2816, 24, 16)),
  },
  make = function(o) return T5.new(o) end,
  ignores = {
    '^encoder%.embed_tokens%.weight$', '^decoder%.embed_tokens%.weight$', '^lm_head%.weight$',
    'EncDecAttention%.relative_attention_bias',
  },
  samples = {
    { 't5-small', { vocabSize = 9, dModel = 8, dKv = 3, dFf = 12, numLayers = 2, numHeads = 2 }, { 2, 5 } },
    { 't5-v1_1-small', { vocabSize = 9, dModel = 8, dKv = 3, dFf = 12, numLayers = 1, numDecoderLayers = 2, numHeads = 2 }, { 2, 5 } },
  },
}
