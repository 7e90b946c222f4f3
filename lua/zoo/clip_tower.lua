--- A tower of CLIP: layers of attention and linear maps, each after a normalisation.
-- Source: Radford et al. (2021), "Learning Transferable Visual Models From Natural Language Supervision", ICML, section 2.4, and its
-- program.
-- @module zoo.clip_tower
local torch, nn = require 'torch', require 'nn'
local Attention = require 'zoo.projected_attention'

local tower = {}
local Layer = torch.class('zoo.ClipLayer', 'nn.Module', {})

-- Arguments: {hiddenSize =, intermediateSize =, numHiddenLayers =, numAttentionHeads =} of the tower, and the network's options.
function Layer:__init(own, o)
  local size = own.hiddenSize
  self.self_attn = Attention.new(size, own.numAttentionHeads)
  self.layer_norm1, self.layer_norm2 = nn.LayerNorm(size, o.layerNormEps), nn.LayerNorm(size, o.layerNormEps)
  self.mlp = nn.ModuleDict { { 'fc1', nn.Linear(size, own.intermediateSize) }, { 'fc2', nn.Linear(own.intermediateSize, size) } }
  local ofAttention, ofMaps = (2 * size * own.numHiddenLayers) ^ -0.5, (2 * size) ^ -0.5
  for _, each in ipairs { self.self_attn.out_proj, self.mlp.fc2 } do nn.init.normal(each.weight, 0, ofAttention) end
  nn.init.normal(self.mlp.fc1.weight, 0, ofMaps)
end

-- An approximation of GELU: x times the logistic function of 1.702 x.
local function quickGelu(x) return torch.cmul(x, torch.sigmoid(torch.mul(x, 1.702))) end

function Layer:forward(x, o)
  x = torch.add(x, self.self_attn(self.layer_norm1(x), o))
  return torch.add(x, self.mlp.fc2(quickGelu(self.mlp.fc1(self.layer_norm2(x)))))
end

--- Returns the options of a tower without its prefix.
-- @tparam table o options of the network
-- @string prefix 'text' or 'vision'
-- @treturn table
function tower.optionsOf(o, prefix)
  local own = {}
  for _, name in ipairs { 'HiddenSize', 'IntermediateSize', 'NumHiddenLayers', 'NumAttentionHeads' } do
    own[name:sub(1, 1):lower() .. name:sub(2)] = o[prefix .. name]
  end
  return own
end

--- Makes the layers of a tower.
-- @tparam table own options of the tower
-- @tparam table o options of the network
-- @treturn nn.ModuleDict
function tower.encoder(own, o)
  local layers = nn.ModuleList()
  for _ = 1, own.numHiddenLayers do layers:append(Layer.new(own, o)) end
  return nn.ModuleDict { { 'layers', layers } }
end

--- Makes an embedding with normal weights.
-- @int count
-- @int size
-- @number deviation
-- @treturn nn.Embedding
function tower.embedding(count, size, deviation)
  local layer = nn.Embedding(count, size)
  nn.init.normal(layer.weight, 0, deviation)
  return layer
end

--- Returns vectors with those of their positions added.
-- @tparam torch.Tensor x (N, T, size)
-- @tparam nn.ModuleDict embeddings
-- @treturn torch.Tensor
function tower.placed(x, embeddings)
  local count = x:size(2)
  return torch.add(x, torch.expandAs(torch.view(embeddings.position_embedding(torch.range(1, count):long()), 1, count, -1), x))
end

--- Appends the options of a tower, with the sizes of clip-vit-base-patch32.
-- @tparam table list options
-- @string prefix
-- @int hidden size
-- @int heads
-- @treturn table list
function tower.options(list, prefix, hidden, heads)
  for _, option in ipairs {
    { 'HiddenSize', hidden }, { 'IntermediateSize', 4 * hidden }, { 'NumHiddenLayers', 12 }, { 'NumAttentionHeads', heads },
  } do
    list[#list + 1] = { prefix .. option[1], 'int', min = 1, default = option[2] }
  end
  return list
end

return tower
