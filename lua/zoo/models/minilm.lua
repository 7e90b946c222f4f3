--- MiniLM: a small BERT, distilled from a large one, that gives each sentence a vector.
-- Call `net(ids, options)`: ids and options of zoo.bert_encoder. The result (N, hiddenSize) is the mean of the vectors of all tokens but
-- padding, divided by its norm: the product of two such vectors is the cosine of their angle, a similarity from -1 to 1.
-- Source: the paper below, section 3; Reimers & Gurevych (2019), "Sentence-BERT: Sentence Embeddings using Siamese BERT-Networks", EMNLP,
-- section 3; files of sentence-transformers/all-MiniLM-L6-v2.
-- @module zoo.models.minilm
local torch, nn, encoder = require 'torch', require 'nn', require 'zoo.bert_encoder'

local MiniLm = torch.class('zoo.MiniLm', 'zoo.Bert', {})

function MiniLm:forward(ids, options)
  local x = encoder.Bert.forward(self, ids, options)
  local mask = options and options.mask and options.mask:typeAs(x) or torch.ones(ids:size()):typeAs(x)
  local sums = torch.sum(torch.cmul(x, torch.expandAs(torch.unsqueeze(mask, 3), x)), 2)
  local counts = mask:sum(2):cmax(1)
  local means = torch.cdiv(torch.squeeze(sums, 2), counts:view(-1, 1):expand(x:size(1), x:size(3)))
  return nn.functional.normalize(means, { dim = 2 })
end

return require 'zoo.declare' {
  title = 'MiniLM',
  paper = 'Wang et al. (2020), "MiniLM: Deep Self-Attention Distillation for Task-Agnostic Compression of Pre-Trained Transformers", ' ..
    'NeurIPS',
  input = function(o) return { o.maxPositionEmbeddings } end, tokens = 'vocabSize',
  options = encoder.options(),
  models = {
    ['all-MiniLM-L6-v2'] = { hiddenSize = 384, numHiddenLayers = 6, intermediateSize = 1536 },
    ['all-MiniLM-L12-v2'] = { hiddenSize = 384, numHiddenLayers = 12, intermediateSize = 1536 },
  },
  make = function(o) return encoder.initialise(MiniLm.new(o, true)) end,
  rules = { { '^0%.auto_model%.', '' }, { '^bert%.', '' } },
  ignores = { 'embeddings%.position_ids$', '^pooler%.' },
  samples = {
    { 'all-MiniLM-L6-v2', {
      vocabSize = 9, hiddenSize = 8, numHiddenLayers = 2, numAttentionHeads = 2, intermediateSize = 12, maxPositionEmbeddings = 6,
    }, { 2, 5 } },
  },
}
