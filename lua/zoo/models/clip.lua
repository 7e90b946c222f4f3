--- CLIP: an encoder of pictures and an encoder of texts, whose vectors are close where a text describes a picture.
-- Call `net(x, options)`: pictures x (N, 3, imageSize, imageSize), which give vectors (N, projectionDim) of norm 1. With
-- `options.texts` (M, T), the tokenizer's numbers plus 1, and `options.mask` (M, T), 0 for padding, the results are logits (N, M), the
-- vectors of the pictures, and those of the texts. `net:encodeText(texts, mask)` returns the latter alone. Each text ends with the token
-- of the largest number, as CLIP's tokenizer does it.
-- Source: the paper below, figure 3; names of parameters as in transformers' CLIPModel.
-- @module zoo.models.clip
local torch, nn = require 'torch', require 'nn'
local tower = require 'zoo.clip_tower'

local Clip = torch.class('zoo.Clip', 'nn.Module', {})

local function projection(size, o)
  local layer = nn.Linear(size, o.projectionDim, false)
  nn.init.normal(layer.weight, 0, size ^ -0.5)
  return layer
end

function Clip:__init(o)
  local text, vision = tower.optionsOf(o, 'text'), tower.optionsOf(o, 'vision')
  local width, positions = vision.hiddenSize, math.floor(o.imageSize / o.patchSize) ^ 2 + 1
  self.text_model = nn.ModuleDict {
    { 'embeddings', nn.ModuleDict {
      { 'token_embedding', tower.embedding(o.vocabSize, text.hiddenSize, 0.02) },
      { 'position_embedding', tower.embedding(o.maxPositionEmbeddings, text.hiddenSize, 0.01) },
    } },
    { 'encoder', tower.encoder(text, o) }, { 'final_layer_norm', nn.LayerNorm(text.hiddenSize, o.layerNormEps) },
  }
  local patches = nn.ModuleDict {
    { 'patch_embedding', nn.Conv2d(3, width, o.patchSize, { stride = o.patchSize, bias = false }) },
    { 'position_embedding', tower.embedding(positions, width, width ^ -0.5) },
  }
  patches:registerParameter('class_embedding', torch.Tensor(width):normal(0, width ^ -0.5))
  self.vision_model = nn.ModuleDict {
    { 'embeddings', patches }, { 'pre_layrnorm', nn.LayerNorm(width, o.layerNormEps) }, { 'encoder', tower.encoder(vision, o) },
    { 'post_layernorm', nn.LayerNorm(width, o.layerNormEps) },
  }
  self.visual_projection, self.text_projection = projection(width, o), projection(text.hiddenSize, o)
  self.logit_scale = nn.Parameter(torch.Tensor(1):fill(math.log(1 / 0.07)), false)
end

function Clip:encodeText(texts, mask)
  local parts = self.text_model
  local x = tower.placed(parts.embeddings.token_embedding(texts), parts.embeddings)
  for _, layer in parts.encoder.layers:iter() do x = layer(x, { isCausal = true, mask = mask }) end
  x = parts.final_layer_norm(x)
  local ends = texts:argmax(2):view(-1)                                -- the first of the largest numbers
  local rows = torch.range(0, texts:size(1) - 1):long():mul(texts:size(2)):add(ends:long())
  x = torch.index(torch.view(torch.contiguous(x), -1, x:size(3)), 1, rows)
  return nn.functional.normalize(self.text_projection(x), { dim = 2 })
end

function Clip:encodePictures(x)
  local parts = self.vision_model
  x = torch.transpose(torch.flatten(parts.embeddings.patch_embedding(x), 3), 2, 3)
  local first = torch.expand(torch.view(parts.embeddings.class_embedding, 1, 1, -1), x:size(1), 1, x:size(3))
  x = parts.pre_layrnorm(tower.placed(torch.cat({ first, x }, 2), parts.embeddings))
  for _, layer in parts.encoder.layers:iter() do x = layer(x, {}) end
  return nn.functional.normalize(self.visual_projection(parts.post_layernorm(x:select(2, 1))), { dim = 2 })
end

function Clip:forward(x, options)
  local pictures = self:encodePictures(x)
  if not options or not options.texts then return pictures end
  local texts = self:encodeText(options.texts, options.mask)
  local logits = torch.mm(pictures, torch.transpose(texts, 1, 2))
  return torch.cmul(logits, torch.expandAs(torch.view(torch.exp(self.logit_scale), 1, 1), logits)), pictures, texts
end

local large = {
  patchSize = 14, projectionDim = 768, textHiddenSize = 768, textIntermediateSize = 3072, textNumAttentionHeads = 12,
  visionHiddenSize = 1024, visionIntermediateSize = 4096, visionNumHiddenLayers = 24, visionNumAttentionHeads = 16,
}
local larger = { imageSize = 336 }
for name, value in pairs(large) do larger[name] = value end

return require 'zoo.declare' {
  title = 'CLIP',
  paper = 'Radford et al. (2021), "Learning Transferable Visual Models From Natural Language Supervision", ICML',
  input = function(o) return { 3, o.imageSize, o.imageSize } end,
  normalisation = { mean = { 0.48145466, 0.4578275, 0.40821073 }, std = { 0.26862954, 0.26130258, 0.27577711 } },
  options = tower.options(tower.options({
    { 'vocabSize', 'int', min = 1, default = 49408 }, { 'maxPositionEmbeddings', 'int', min = 1, default = 77 },
    { 'imageSize', 'int', min = 1, default = 224 }, { 'patchSize', 'int', min = 1, default = 32 },
    { 'projectionDim', 'int', min = 1, default = 512 }, { 'layerNormEps', 'number', min = 0, default = 1e-5 },
  }, 'text', 512, 8), 'vision', 768, 12),
  models = {
    ['clip-vit-base-patch32'] = {}, ['clip-vit-base-patch16'] = { patchSize = 16 }, ['clip-vit-large-patch14'] = large,
    ['clip-vit-large-patch14-336'] = larger,
  },
  make = function(o) return Clip.new(o) end,
  ignores = { '%.position_ids$' },
  samples = {
    { 'clip-vit-base-patch32', {
      vocabSize = 9, imageSize = 8, patchSize = 4, projectionDim = 5,
      textHiddenSize = 8, textIntermediateSize = 12, textNumHiddenLayers = 2, textNumAttentionHeads = 2,
      visionHiddenSize = 12, visionIntermediateSize = 10, visionNumHiddenLayers = 2, visionNumAttentionHeads = 3,
    }, { 2, 3, 8, 8 } },
  },
}
