--- GPT-2: a decoder that predicts the next token of a text, and its networks for classes.
-- Call `net(ids, options)`: ids (N, T), the tokenizer's numbers plus 1; `options.cache`, an nn.KeyValueCache with the positions before;
-- `options.mask` (N, all positions), 0 for padding; `options.positions` (N, T), from 1, if a text starts later. The result are logits
-- (N, T, vocabSize). With the option `head` they are those of classes of the text (N, numLabels), from its last token without padding,
-- or of classes of tokens (N, T, numLabels).
-- Source: the paper below, section 2.3; names of parameters as in transformers' GPT2LMHeadModel, whose lm_head is wte, and GPT2For...
-- @module zoo.models.gpt2
local torch, nn, attention = require 'torch', require 'nn', require 'zoo.attention'

local Conv1D = torch.class('zoo.Conv1D', 'nn.Module', {})
local Block = torch.class('zoo.Gpt2Block', 'nn.Module', {})
local Gpt2 = torch.class('zoo.Gpt2', 'nn.Module', {})

Gpt2.predictsNext = true

-- A linear map whose weight is (inputs, outputs).
function Conv1D:__init(inputs, outputs)
  self.weight = nn.Parameter(torch.Tensor(inputs, outputs):normal(0, 0.02), false)
  self.bias = nn.Parameter(torch.zeros(outputs), false)
end

function Conv1D:forward(x) return nn.functional.linear(x, torch.transpose(self.weight, 1, 2), self.bias) end

function Block:__init(o, layer)
  local size = o.nEmbd
  self.layer, self.heads, self.attnPdrop = layer, o.nHead, o.attnPdrop
  self.ln_1 = nn.LayerNorm(size, o.layerNormEpsilon)
  self.attn = nn.ModuleDict { { 'c_attn', Conv1D.new(size, 3 * size) }, { 'c_proj', Conv1D.new(size, size) } }
  self.ln_2 = nn.LayerNorm(size, o.layerNormEpsilon)
  self.mlp = nn.ModuleDict { { 'c_fc', Conv1D.new(size, 4 * size) }, { 'c_proj', Conv1D.new(4 * size, size) } }
  self.dropout = nn.Dropout(o.residPdrop)
end

function Block:forward(x, options)
  local size = x:size(3)
  local qkv = self.attn.c_attn(self.ln_1(x))
  local function part(i) return attention.split(qkv:narrow(3, (i - 1) * size + 1, size), self.heads) end
  local keys, values = attention.remember(options.cache, self.layer, part(2), part(3))
  local dropout = self.train ~= false and self.attnPdrop or 0
  local y = attention.attend(part(1), keys, values, { isCausal = true, mask = options.mask, dropout = dropout })
  x = torch.add(x, self.dropout(self.attn.c_proj(y)))
  y = nn.functional.gelu(self.mlp.c_fc(self.ln_2(x)), 'tanh')
  return torch.add(x, self.dropout(self.mlp.c_proj(y)))
end

-- What each head adds to the decoder, and what it makes of vectors of tokens.
local heads = {
  sequenceClassification = {
    make = function(self, o) self.score = nn.Linear(o.nEmbd, o.numLabels, false) end,
    forward = function(self, x, options)
      local logits = self.score(x)
      local n, count, labels = logits:size(1), logits:size(2), logits:size(3)
      if not options.mask then return logits:select(2, count) end
      local last = torch.cmul(options.mask:long(), torch.range(1, count):long():view(1, -1):expand(n, count)):max(2)
      return torch.gather(logits, 2, last:view(n, 1, 1):expand(n, 1, labels)):select(2, 1)
    end,
  },
  tokenClassification = {
    make = function(self, o) self.dropout, self.classifier = nn.Dropout(0.1), nn.Linear(o.nEmbd, o.numLabels) end,
    forward = function(self, x) return self.classifier(self.dropout(x)) end,
  },
}

function Gpt2:__init(o)
  self.transformer = nn.ModuleDict {
    { 'wte', nn.Embedding(o.vocabSize, o.nEmbd) }, { 'wpe', nn.Embedding(o.nPositions, o.nEmbd) }, { 'drop', nn.Dropout(o.embdPdrop) },
    { 'h', nn.ModuleList() }, { 'ln_f', nn.LayerNorm(o.nEmbd, o.layerNormEpsilon) },
  }
  self.maxPositions = o.nPositions
  if o.head then
    self.head, self.predictsNext = o.head, false
    heads[o.head].make(self, o)
  end
  for i = 1, o.nLayer do self.transformer.h:append(Block.new(o, i)) end
  for _, name in ipairs { 'wte', 'wpe' } do nn.init.normal(self.transformer[name].weight, 0, 0.02) end
end

function Gpt2:forward(ids, options)
  local parts, first = self.transformer, attention.past(options and options.cache)
  local positions = options and options.positions or
    torch.contiguous(torch.range(first + 1, first + ids:size(2)):long():view(1, -1):expand(ids:size(1), ids:size(2)))
  local x = parts.drop(torch.add(parts.wte(ids), parts.wpe(positions)))
  for _, block in parts.h:iter() do x = block(x, options or {}) end
  x = parts.ln_f(x)
  if self.head then return heads[self.head].forward(self, x, options or {}) end
  return nn.functional.linear(x, parts.wte.weight)
end

local function size(nLayer, nHead, nEmbd) return { nLayer = nLayer, nHead = nHead, nEmbd = nEmbd } end

local function sample(head)
  return { 'gpt2', { vocabSize = 11, nPositions = 7, nEmbd = 8, nLayer = 2, nHead = 2, head = head, numLabels = 3 }, { 2, 5 } }
end

return require 'zoo.declare' {
  title = 'GPT-2',
  paper = 'Radford et al. (2019), "Language Models are Unsupervised Multitask Learners", OpenAI',
  input = function(o) return { o.nPositions } end, tokens = 'vocabSize',
  options = {
    { 'vocabSize', 'int', min = 1, default = 50257 }, { 'nPositions', 'int', min = 1, default = 1024 },
    { 'nEmbd', 'int', min = 1, default = 768 }, { 'nLayer', 'int', min = 1, default = 12 }, { 'nHead', 'int', min = 1, default = 12 },
    { 'layerNormEpsilon', 'number', min = 0, default = 1e-5 }, { 'embdPdrop', 'number', min = 0, max = 1, default = 0.1 },
    { 'attnPdrop', 'number', min = 0, max = 1, default = 0.1 }, { 'residPdrop', 'number', min = 0, max = 1, default = 0.1 },
    { 'head', 'choice', choices = { 'sequenceClassification', 'tokenClassification' } }, { 'numLabels', 'int', min = 1, default = 2 },
  },
  models = {
    gpt2 = {}, distilgpt2 = size(6, 12, 768), ['gpt2-medium'] = size(24, 16, 1024), ['gpt2-large'] = size(36, 20, 1280),
    ['gpt2-xl'] = size(48, 25, 1600),
  },
  make = function(o) return Gpt2.new(o) end,
  rules = {
    { '^h%.', 'transformer.h.' }, { '^wte%.', 'transformer.wte.' }, { '^wpe%.', 'transformer.wpe.' }, { '^ln_f%.', 'transformer.ln_f.' },
  },
  ignores = { '^lm_head%.weight$', '%.attn%.bias$', '%.attn%.masked_bias$' },
  samples = { sample(), sample 'sequenceClassification', sample 'tokenClassification' },
}
