--- Whisper: an encoder of 30 seconds of sound and a decoder that writes what is said.
-- Call `net(x, options)`: x (N, numMelBins, 2 maxSourcePositions), which `net:features(sounds)` makes of samples at 16 kHz;
-- `options.targets` (N, T), what the decoder has written, the tokenizer's numbers plus 1 (by default 1 alone). The result are logits
-- (N, T, vocabSize) of the tokens after targets. `net:encode(x)` and `net:decode(targets, memory, { cache = })` are the halves; with an
-- nn.KeyValueCache, targets are those after the cached ones. `net:generate(x, { prompt = ids, maxNewTokens =, stopIds = })` writes a text
-- for each sound, the likeliest token each time.
-- Source: the paper below, figure 1 and section 2.2; names of parameters as in transformers' WhisperForConditionalGeneration.
-- @module zoo.models.whisper
local torch, nn, attention = require 'torch', require 'nn', require 'zoo.attention'
local stack = require 'zoo.whisper_stack'

local Whisper = torch.class('zoo.Whisper', 'nn.Module', {})

function Whisper:__init(o)
  local size = o.dModel
  local positions = nn.Embedding(o.maxSourcePositions, size)
  positions.weight:detach():copy(stack.sinusoids(o.maxSourcePositions, size))
  local encoder = nn.ModuleDict {
    { 'conv1', nn.Conv1d(o.numMelBins, size, 3, { padding = 1 }) },
    { 'conv2', nn.Conv1d(size, size, 3, { stride = 2, padding = 1 }) },
    { 'embed_positions', positions }, { 'layers', stack.layers(o, o.encoderLayers, o.encoderAttentionHeads, o.encoderFfnDim, false) },
    { 'layer_norm', nn.LayerNorm(size, 1e-5) },
  }
  local decoder = nn.ModuleDict {
    { 'embed_tokens', nn.Embedding(o.vocabSize, size) }, { 'embed_positions', nn.Embedding(o.maxTargetPositions, size) },
    { 'layers', stack.layers(o, o.decoderLayers, o.decoderAttentionHeads, o.decoderFfnDim, true) },
    { 'layer_norm', nn.LayerNorm(size, 1e-5) },
  }
  for _, name in ipairs { 'embed_tokens', 'embed_positions' } do nn.init.normal(decoder[name].weight, 0, 0.02) end
  self.model = nn.ModuleDict { { 'encoder', encoder }, { 'decoder', decoder } }
  self.dropout = nn.Dropout(o.dropout)
  self.mels, self.frames, self.maxPositions = o.numMelBins, 2 * o.maxSourcePositions, o.maxTargetPositions
end

function Whisper:features(sounds) return require 'zoo.log_mel'(sounds, self.mels, self.frames) end

function Whisper:encode(x)
  local parts = self.model.encoder
  x = torch.transpose(torch.gelu(parts.conv2(torch.gelu(parts.conv1(x)))), 2, 3)
  x = self.dropout(torch.add(x, torch.expandAs(torch.unsqueeze(parts.embed_positions.weight, 1), x)))
  for _, layer in parts.layers:iter() do x = layer(x) end
  return parts.layer_norm(x)
end

function Whisper:decode(targets, memory, options)
  local parts, cache = self.model.decoder, options and options.cache
  local first, count = attention.past(cache), targets:size(2)
  local positions = parts.embed_positions(torch.range(first + 1, first + count):long())
  local x = parts.embed_tokens(targets)
  x = self.dropout(torch.add(x, torch.expandAs(torch.unsqueeze(positions, 1), x)))
  local number = 0
  for _, layer in parts.layers:iter() do
    number = number + 1
    x = layer(x, memory, cache, number)
  end
  return nn.functional.linear(parts.layer_norm(x), parts.embed_tokens.weight)      -- which are the weights of logits, too
end

function Whisper:forward(x, options)
  return self:decode(options and options.targets or torch.ones(x:size(1), 1):long(), self:encode(x))
end

function Whisper:generate(x, options) return require 'zoo.greedy'(self, x, options) end

local function size(dModel, layers, heads, vocabSize, numMelBins)
  return {
    dModel = dModel, encoderLayers = layers, decoderLayers = layers, encoderAttentionHeads = heads, decoderAttentionHeads = heads,
    encoderFfnDim = 4 * dModel, decoderFfnDim = 4 * dModel, vocabSize = vocabSize, numMelBins = numMelBins,
  }
end

local turbo = size(1280, 32, 20, 51866, 128)
turbo.decoderLayers = 4

local options = {
  { 'vocabSize', 'int', min = 1, default = 51865 }, { 'numMelBins', 'int', min = 1, default = 80 },
  { 'maxSourcePositions', 'int', min = 1, default = 1500 }, { 'maxTargetPositions', 'int', min = 1, default = 448 },
  { 'dropout', 'number', min = 0, max = 1, default = 0 }, { 'attentionDropout', 'number', min = 0, max = 1, default = 0 },
}
for _, name in ipairs {
  'dModel', 'encoderLayers', 'decoderLayers', 'encoderAttentionHeads', 'decoderAttentionHeads', 'encoderFfnDim', 'decoderFfnDim',
} do
  options[#options + 1] = { name, 'int', min = 1 }
end

return require 'zoo.declare' {
  title = 'Whisper',
  paper = 'Radford et al. (2023), "Robust Speech Recognition via Large-Scale Weak Supervision", ICML',
  input = function(o) return { o.numMelBins, 2 * o.maxSourcePositions } end,
  normalisation = 'logarithms of power over mel frequencies: net:features(sounds)',
  options = options,
  models = {
    ['whisper-tiny'] = size(384, 4, 6), ['whisper-tiny.en'] = size(384, 4, 6, 51864), ['whisper-base'] = size(512, 6, 8),
    ['whisper-base.en'] = size(512, 6, 8, 51864), ['whisper-small'] = size(768, 12, 12), ['whisper-small.en'] = size(768, 12, 12, 51864),
    ['whisper-medium'] = size(1024, 24, 16), ['whisper-medium.en'] = size(1024, 24, 16, 51864), ['whisper-large-v2'] = size(1280, 32, 20),
    ['whisper-large-v3'] = size(1280, 32, 20, 51866, 128), ['whisper-large-v3-turbo'] = turbo,
  },
  make = function(o) return Whisper.new(o) end,
  ignores = { '^proj_out%.weight$' },
  samples = {
    { 'whisper-tiny', {
      vocabSize = 9, numMelBins = 3, maxSourcePositions = 4, maxTargetPositions = 6, dModel = 8, encoderLayers = 2, decoderLayers = 2,
      encoderAttentionHeads = 2, decoderAttentionHeads = 2, encoderFfnDim = 12, decoderFfnDim = 10,
    }, { 2, 3, 8 } },
  },
}
