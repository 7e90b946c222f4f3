--- Sequence to sequence: a recurrent encoder, and a recurrent decoder that attends to its states.
-- Call `net(ids, options)`: ids (N, S); `options.mask` (N, S), 0 for padding at the ends; `options.targets` (N, T), what the decoder has
-- written, beginning with 1 (by default 1 alone). The results are logits (N, T, targetVocabSize) of the tokens after targets, and weights
-- of attention (N, T, S). `net:generate(ids, { mask =, maxNewTokens =, stopIds = })` takes the likeliest token each time. Weights are
-- additive, as Bahdanau's, whose decoder sees before it steps; or products, as Luong's ("general"), whose decoder sees after it.
-- Source: the paper of each, sections 3.1 (and A.1.2), and 3 and 3.1; names of parameters of the former as in PyTorch's tutorial of
-- translation (`EncoderRNN`, `AttnDecoderRNN`).
-- @module zoo.models.seq2seq
local torch, nn = require 'torch', require 'nn'

local Encoder = torch.class('zoo.RecurrentEncoder', 'nn.Module', {})
local Additive = torch.class('zoo.AdditiveDecoder', 'nn.Module', {})
local Product = torch.class('zoo.ProductDecoder', 'nn.Module', {})
local Seq2Seq = torch.class('zoo.Seq2Seq', 'nn.Module', {})

function Encoder:__init(o)
  self.embedding, self.dropout = nn.Embedding(o.vocabSize, o.hiddenSize), nn.Dropout(o.dropout)
  self.gru = nn.GRU(o.hiddenSize, o.hiddenSize, { batchFirst = true })
end

-- Returns states (N, S, size), and the last one of each sequence (1, N, size).
function Encoder:forward(ids, mask) return unpack(self.gru { self.dropout(self.embedding(ids)), mask = mask }) end

-- Returns weights of scores (N, T, S), without those of padding.
local function weightsOf(scores, mask)
  if mask then
    local isPadding = torch.expandAs(torch.unsqueeze(torch.eq(mask, 0), 2), scores)
    scores = torch.maskedFill(scores, isPadding, -math.huge)
  end
  return torch.softmax(scores, 3)
end

local function common(self, o)
  self.embedding, self.dropout = nn.Embedding(o.targetVocabSize or o.vocabSize, o.hiddenSize), nn.Dropout(o.dropout)
  self.out = nn.Linear(o.hiddenSize, o.targetVocabSize or o.vocabSize)
end

function Additive:__init(o)
  local size = o.hiddenSize
  common(self, o)
  self.attention = nn.ModuleDict { { 'Wa', nn.Linear(size, size) }, { 'Ua', nn.Linear(size, size) }, { 'Va', nn.Linear(size, 1) } }
  self.gru = nn.GRU(2 * size, size, { batchFirst = true })
end

-- Arguments: tokens (N, T), the state before them (1, N, size), states of the encoder. Returns logits, weights, the last state.
function Additive:forward(targets, hidden, states, mask)
  local x, parts = self.dropout(self.embedding(targets)), self.attention
  local keys, outputs, weights = parts.Ua(states), {}, {}
  for t = 1, targets:size(2) do
    local query = parts.Wa(torch.transpose(hidden, 1, 2))
    local scores = parts.Va(torch.tanh(torch.add(torch.expandAs(query, keys), keys)))
    weights[t] = weightsOf(torch.transpose(scores, 2, 3), mask)
    local seen = torch.bmm(weights[t], states)
    outputs[t], hidden = unpack(self.gru { torch.cat({ torch.narrow(x, 2, t, 1), seen }, 3), hidden })
  end
  return self.out(torch.cat(outputs, 2)), torch.cat(weights, 2), hidden
end

function Product:__init(o)
  local size = o.hiddenSize
  common(self, o)
  self.gru = nn.GRU(size, size, { batchFirst = true })
  self.attention = nn.ModuleDict { { 'Wa', nn.Linear(size, size, false) }, { 'Wc', nn.Linear(2 * size, size, false) } }
end

function Product:forward(targets, hidden, states, mask)
  local y
  y, hidden = unpack(self.gru { self.dropout(self.embedding(targets)), hidden })
  local weights = weightsOf(torch.bmm(y, torch.transpose(self.attention.Wa(states), 2, 3)), mask)
  y = torch.tanh(self.attention.Wc(torch.cat({ torch.bmm(weights, states), y }, 3)))
  return self.out(y), weights, hidden
end

function Seq2Seq:__init(o)
  self.encoder = Encoder.new(o)
  self.decoder = (o.attention == 'additive' and Additive or Product).new(o)
end

-- Returns what the decoder reads: {states, last state, mask}.
function Seq2Seq:encode(ids, mask)
  local states, last = self.encoder(ids, mask)
  return { states, last, mask }
end

-- `options.cache`, an nn.KeyValueCache, keeps the state after targets for the next call.
function Seq2Seq:decode(targets, memory, options)
  local states, last, mask = memory[1], memory[2], memory[3]
  local cache = options and options.cache
  local logits, weights, hidden = self.decoder(targets, cache and cache.state or last, states, mask)
  if cache then cache.state = hidden end
  return logits, weights
end

function Seq2Seq:forward(ids, options)
  local targets = options and options.targets or torch.ones(ids:size(1), 1):long()
  return self:decode(targets, self:encode(ids, options and options.mask))
end

function Seq2Seq:generate(ids, options) return require 'zoo.greedy'(self, ids, options) end

local small = { vocabSize = 7, targetVocabSize = 5, hiddenSize = 4 }

return require 'zoo.declare' {
  title = 'Sequence to sequence',
  paper = 'Bahdanau et al. (2015), "Neural Machine Translation by Jointly Learning to Align and Translate", ICLR',
  input = function() return { 50 } end, tokens = 'vocabSize',
  options = {
    { 'vocabSize', 'int', min = 1, default = 10000 }, { 'targetVocabSize', 'int', min = 1 },
    { 'hiddenSize', 'int', min = 1, default = 128 }, { 'dropout', 'number', min = 0, max = 1, default = 0.1 },
  },
  models = {
    seq2seq_bahdanau = { attention = 'additive' },
    seq2seq_luong = {
      attention = 'product', paper = 'Luong et al. (2015), "Effective Approaches to Attention-based Neural Machine Translation", EMNLP',
    },
  },
  make = function(o) return Seq2Seq.new(o) end,
  samples = { { 'seq2seq_bahdanau', small, { 2, 5 } }, { 'seq2seq_luong', small, { 2, 5 } } },
}
