--- Vision Transformer: patches of a picture as the words of a text.
-- Source: the paper below, equations 1 to 4; names of parameters as in torchvision.
-- @module zoo.models.vit
local torch, nn, images = require 'torch', require 'nn', require 'zoo.images'

local Block = torch.class('zoo.VitBlock', 'nn.Module', {})
local Vit = torch.class('zoo.VisionTransformer', 'nn.Module', {})

function Block:__init(o)
  self.ln_1 = nn.LayerNorm(o.hiddenDim, 1e-6)
  self.self_attention = nn.MultiheadAttention(o.hiddenDim, o.numHeads, { dropout = o.attentionDropout })
  self.dropout = nn.Dropout(o.dropout)
  self.ln_2 = nn.LayerNorm(o.hiddenDim, 1e-6)
  self.mlp = nn.Sequential(
    nn.Linear(o.hiddenDim, o.mlpDim), nn.GELU(), nn.Dropout(o.dropout), nn.Linear(o.mlpDim, o.hiddenDim), nn.Dropout(o.dropout))
end

function Block:forward(x)
  x = torch.add(x, self.dropout(self.self_attention(self.ln_1(x))))
  return torch.add(x, self.mlp(self.ln_2(x)))
end

function Vit:__init(o)
  local size = o.hiddenDim
  self.conv_proj = nn.Conv2d(3, size, o.patchSize, o.patchSize)
  self.class_token = nn.Parameter(torch.zeros(1, 1, size), false)
  local encoder = nn.ModuleDict { { 'dropout', nn.Dropout(o.dropout) }, { 'layers', nn.ModuleDict() }, { 'ln', nn.LayerNorm(size, 1e-6) } }
  for i = 0, o.numLayers - 1 do encoder.layers:update { { 'encoder_layer_' .. i, Block.new(o) } } end
  local count = math.floor(o.imageSize / o.patchSize) ^ 2 + 1
  encoder:registerParameter('pos_embedding', torch.Tensor(1, count, size):normal(0, 0.02))
  self.encoder = encoder
  self.heads = nn.ModuleDict { { 'head', nn.Linear(size, o.numClasses) } }
end

function Vit:forward(x)
  local parts = self.encoder
  x = torch.transpose(torch.flatten(self.conv_proj(x), 3), 2, 3)
  x = torch.cat({ self.class_token:expand(x:size(1), 1, x:size(3)), x }, 2)
  x = parts.dropout(torch.add(x, parts.pos_embedding:expandAs(x)))
  for _, block in parts.layers:items() do x = block(x) end
  return self.heads.head(parts.ln(x):select(2, 1))
end

local function size(patchSize, numLayers, numHeads, hiddenDim, mlpDim)
  return { patchSize = patchSize, numLayers = numLayers, numHeads = numHeads, hiddenDim = hiddenDim, mlpDim = mlpDim }
end

return require 'zoo.declare' {
  title = 'Vision Transformer',
  paper = 'Dosovitskiy et al. (2021), "An Image is Worth 16x16 Words: Transformers for Image Recognition at Scale", ICLR',
  input = function(o) return { 3, o.imageSize, o.imageSize } end, normalisation = images.normalisation, labels = images.labels,
  options = {
    { 'numClasses', 'int', min = 1, default = 1000 }, { 'imageSize', 'int', min = 1, default = 224 }, { 'patchSize', 'int', min = 1 },
    { 'numLayers', 'int', min = 1 }, { 'numHeads', 'int', min = 1 }, { 'hiddenDim', 'int', min = 1 }, { 'mlpDim', 'int', min = 1 },
    { 'dropout', 'number', min = 0, max = 1, default = 0 }, { 'attentionDropout', 'number', min = 0, max = 1, default = 0 },
  },
  models = {
    vit_b_16 = size(16, 12, 12, 768, 3072), vit_b_32 = size(32, 12, 12, 768, 3072), vit_l_16 = size(16, 24, 16, 1024, 4096),
    vit_l_32 = size(32, 24, 16, 1024, 4096), vit_h_14 = size(14, 32, 16, 1280, 5120),
  },
  make = function(o) return Vit.new(o) end,
  rules = { { '%.mlp%.linear_1%.', '.mlp.0.' }, { '%.mlp%.linear_2%.', '.mlp.3.' } },
  samples = {
    {
      'vit_b_16', { numClasses = 3, imageSize = 8, patchSize = 4, numLayers = 2, numHeads = 2, hiddenDim = 8, mlpDim = 12 }, { 2, 3, 8, 8 },
    },
  },
}
