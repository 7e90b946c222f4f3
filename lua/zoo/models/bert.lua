--- BERT: an encoder of texts, which sees both sides of a token, and its networks for tasks.
-- Without the option `head`, the results are vectors of tokens (N, T, hiddenSize), and one of the whole (N, hiddenSize): see
-- zoo.bert_encoder. The results of heads are logits: of classes of the text (N, numLabels); of classes of tokens (N, T, numLabels); of the
-- first and the last token of an answer, both (N, T); of the tokens that masks hide (N, T, vocabSize).
-- Source: the paper below, figures 1 and 4; names of parameters as in transformers' BertModel and BertFor...
-- @module zoo.models.bert
local torch, nn, encoder = require 'torch', require 'nn', require 'zoo.bert_encoder'

local Head = torch.class('zoo.BertHead', 'nn.Module', {})

-- What the head `kind` adds to an encoder: names and modules. Its forward pass gets vectors of tokens, and one of the whole.
local kinds = {
  sequenceClassification = {
    usesWhole = true,
    make = function(self, o) self.classifier = nn.Linear(o.hiddenSize, o.numLabels) end,
    forward = function(self, _, whole) return self.classifier(self.dropout(whole)) end,
  },
  tokenClassification = {
    make = function(self, o) self.classifier = nn.Linear(o.hiddenSize, o.numLabels) end,
    forward = function(self, x) return self.classifier(self.dropout(x)) end,
  },
  questionAnswering = {
    make = function(self, o) self.qa_outputs = nn.Linear(o.hiddenSize, 2) end,
    forward = function(self, x)
      local logits = self.qa_outputs(x)
      return torch.contiguous(logits:select(3, 1)), torch.contiguous(logits:select(3, 2))
    end,
  },
  maskedLM = {
    make = function(self, o)
      local size = o.hiddenSize
      local predictions = nn.ModuleDict {
        { 'transform', nn.ModuleDict { { 'dense', nn.Linear(size, size) }, { 'LayerNorm', nn.LayerNorm(size, o.layerNormEps) } } },
      }
      predictions:registerParameter('bias', torch.zeros(o.vocabSize))
      self.cls = nn.ModuleDict { { 'predictions', predictions } }
    end,
    forward = function(self, x)      -- whose last weights are the embeddings'
      local predictions = self.cls.predictions
      x = predictions.transform.LayerNorm(torch.gelu(predictions.transform.dense(x)))
      return nn.functional.linear(x, self.bert.embeddings.word_embeddings.weight, predictions.bias)
    end,
  },
}

function Head:__init(o)
  local kind = kinds[o.head]
  self.head = o.head
  self.bert, self.dropout = encoder.Bert.new(o, not kind.usesWhole), nn.Dropout(o.hiddenDropoutProb)
  kind.make(self, o)
end

function Head:forward(ids, options) return kinds[self.head].forward(self, self.bert(ids, options)) end

local choices = {}
for name in pairs(kinds) do choices[#choices + 1] = name end
table.sort(choices)

local options = encoder.options()
options[#options + 1] = { 'head', 'choice', choices = choices }
options[#options + 1] = { 'numLabels', 'int', min = 1, default = 2 }

local large = { hiddenSize = 1024, numHiddenLayers = 24, numAttentionHeads = 16, intermediateSize = 4096 }
local function vocabulary(size, base)
  local own = { vocabSize = size }
  for name, value in pairs(base or {}) do own[name] = value end
  return own
end

local function sample(head)
  return {
    'bert-base-uncased', {
      vocabSize = 9, hiddenSize = 8, numHiddenLayers = 2, numAttentionHeads = 2, intermediateSize = 12, maxPositionEmbeddings = 6,
      head = head, numLabels = 3,
    }, { 2, 5 },
  }
end

local samples = { sample() }
for i, head in ipairs(choices) do samples[i + 1] = sample(head) end

return require 'zoo.declare' {
  title = 'BERT',
  paper = 'Devlin et al. (2019), "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding", NAACL',
  input = function(o) return { o.maxPositionEmbeddings } end, tokens = 'vocabSize',
  options = options,
  models = {
    ['bert-base-uncased'] = {}, ['bert-base-cased'] = vocabulary(28996), ['bert-large-uncased'] = large,
    ['bert-large-cased'] = vocabulary(28996, large), ['bert-base-multilingual-cased'] = vocabulary(119547),
  },
  make = function(o) return encoder.initialise(o.head and Head.new(o) or encoder.Bert.new(o)) end,
  rules = {
    { 'LayerNorm%.gamma$', 'LayerNorm.weight' }, { 'LayerNorm%.beta$', 'LayerNorm.bias' }, { '^bert%.', '' },
    { '^embeddings%.', 'bert.embeddings.' }, { '^encoder%.', 'bert.encoder.' }, { '^pooler%.', 'bert.pooler.' },
  },
  ignores = { '^cls%.', 'embeddings%.position_ids$', '^bert%.pooler%.' },
  samples = samples,
}
