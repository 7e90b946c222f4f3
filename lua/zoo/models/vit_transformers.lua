--- Vision Transformer by transformers' names, for files of ViTForImageClassification; torchvision's are those of zoo.models.vit.
-- Call `net(x)`: x (N, 3, imageSize, imageSize); the result are logits (N, numLabels).
-- Source: the paper below, equations 1 to 4. Queries, keys and values have a map each, and `layerNormEps` is 1e-12.
-- @module zoo.models.vit_transformers
local torch, nn, attention = require 'torch', require 'nn', require 'zoo.attention'

local Layer = torch.class('zoo.TransformersVitLayer', 'nn.Module', {})
local Vit = torch.class('zoo.TransformersVit', 'nn.Module', {})

local function layersOf(list)
  for i, layer in ipairs(list) do list[i] = { layer[1], nn.Linear(layer[2], layer[3]) } end
  return nn.ModuleDict(list)
end

function Layer:__init(o)
  local size = o.hiddenSize
  self.heads, self.probability = o.numAttentionHeads, o.attentionProbsDropoutProb
  self.attention = layersOf { { 'q_proj', size, size }, { 'k_proj', size, size }, { 'v_proj', size, size }, { 'o_proj', size, size } }
  self.mlp = layersOf { { 'fc1', size, o.intermediateSize }, { 'fc2', o.intermediateSize, size } }
  self.layernorm_before, self.layernorm_after = nn.LayerNorm(size, o.layerNormEps), nn.LayerNorm(size, o.layerNormEps)
  self.dropout = nn.Dropout(o.hiddenDropoutProb)
end

function Layer:forward(x)
  local maps, y = self.attention, self.layernorm_before(x)
  local function heads(name) return attention.split(maps[name](y), self.heads) end
  local dropout = self.train ~= false and self.probability or 0
  x = torch.add(x, self.dropout(maps.o_proj(attention.attend(heads 'q_proj', heads 'k_proj', heads 'v_proj', { dropout = dropout }))))
  return torch.add(x, self.dropout(self.mlp.fc2(torch.gelu(self.mlp.fc1(self.layernorm_after(x))))))
end

function Vit:__init(o)
  local size = o.hiddenSize
  local patches = nn.ModuleDict { { 'projection', nn.Conv2d(3, size, o.patchSize, o.patchSize) } }
  local embeddings = nn.ModuleDict { { 'patch_embeddings', patches }, { 'dropout', nn.Dropout(o.hiddenDropoutProb) } }
  embeddings:registerParameter('cls_token', torch.Tensor(1, 1, size):normal(0, 0.02))
  embeddings:registerParameter('position_embeddings', torch.Tensor(1, math.floor(o.imageSize / o.patchSize) ^ 2 + 1, size):normal(0, 0.02))
  local layers = nn.ModuleList()
  for _ = 1, o.numHiddenLayers do layers:append(Layer.new(o)) end
  self.vit = nn.ModuleDict { { 'embeddings', embeddings }, { 'layers', layers }, { 'layernorm', nn.LayerNorm(size, o.layerNormEps) } }
  self.classifier = nn.Linear(size, o.numLabels)
end

function Vit:forward(x)
  local parts, embeddings = self.vit, self.vit.embeddings
  x = torch.transpose(torch.flatten(embeddings.patch_embeddings.projection(x), 3), 2, 3)
  x = torch.cat({ embeddings.cls_token:expand(x:size(1), 1, x:size(3)), x }, 2)
  x = embeddings.dropout(torch.add(x, embeddings.position_embeddings:expandAs(x)))
  for _, layer in parts.layers:iter() do x = layer(x) end
  return self.classifier(parts.layernorm(x):select(2, 1))
end

local function size(patchSize, imageSize) return { patchSize = patchSize, imageSize = imageSize } end
local function large(o)
  o.hiddenSize, o.numHiddenLayers, o.numAttentionHeads, o.intermediateSize = 1024, 24, 16, 4096
  return o
end

return require 'zoo.declare' {
  title = 'Vision Transformer',
  paper = 'Dosovitskiy et al. (2021), "An Image is Worth 16x16 Words: Transformers for Image Recognition at Scale", ICLR',
  input = function(o) return { 3, o.imageSize, o.imageSize } end, normalisation = { mean = { 0.5, 0.5, 0.5 }, std = { 0.5, 0.5, 0.5 } },
  options = {
    { 'numLabels', 'int', min = 1, default = 1000 }, { 'imageSize', 'int', min = 1 }, { 'patchSize', 'int', min = 1 },
    { 'numHiddenLayers', 'int', min = 1, default = 12 }, { 'numAttentionHeads', 'int', min = 1, default = 12 },
    { 'hiddenSize', 'int', min = 1, default = 768 }, { 'intermediateSize', 'int', min = 1, default = 3072 },
    { 'layerNormEps', 'number', min = 0, default = 1e-12 }, { 'hiddenDropoutProb', 'number', min = 0, max = 1, default = 0 },
    { 'attentionProbsDropoutProb', 'number', min = 0, max = 1, default = 0 },
  },
  models = {
    ['vit-base-patch16-224'] = size(16, 224), ['vit-base-patch16-384'] = size(16, 384), ['vit-base-patch32-384'] = size(32, 384),
    ['vit-large-patch16-224'] = large(size(16, 224)), ['vit-large-patch32-384'] = large(size(32, 384)),
  },
  make = function(o) return Vit.new(o) end,
  rules = {      -- files without the head, and the names of transformers before version 5, which published files have
    { '^embeddings%.', 'vit.embeddings.' }, { '^encoder%.', 'vit.encoder.' }, { '^layers%.', 'vit.layers.' },
    { '^layernorm%.', 'vit.layernorm.' }, { '%.encoder%.layer%.', '.layers.' }, { '%.attention%.attention%.query%.', '.attention.q_proj.' },
    { '%.attention%.attention%.key%.', '.attention.k_proj.' }, { '%.attention%.attention%.value%.', '.attention.v_proj.' },
    { '%.attention%.output%.dense%.', '.attention.o_proj.' }, { '%.intermediate%.dense%.', '.mlp.fc1.' },
    { '%.output%.dense%.', '.mlp.fc2.' },
  },
  ignores = { '^vit%.pooler%.', '^pooler%.' },
  samples = {
    {
      'vit-base-patch16-224', {
        numLabels = 3, imageSize = 8, patchSize = 4, numHiddenLayers = 2, numAttentionHeads = 2, hiddenSize = 8, intermediateSize = 12,
      }, { 2, 3, 8, 8 },
    },
  },
}
