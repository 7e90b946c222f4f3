--- Layers of Whisper's encoder and decoder: attention and linear maps, each after a normalisation.
-- Source: Radford et al. (2023), "Robust Speech Recognition via Large-Scale Weak Supervision", ICML, section 2.2.
-- @module zoo.whisper_stack
local torch, nn = require 'torch', require 'nn'
local Attention = require 'zoo.projected_attention'

local stack = {}
local Layer = torch.class('zoo.WhisperLayer', 'nn.Module', {})

-- Arguments: options, heads, size of the hidden layer, whether the layer looks at the sound, too.
function Layer:__init(o, heads, hidden, isDecoder)
  local size = o.dModel
  local function attend() return Attention.new(size, heads, { dropout = o.attentionDropout, keyBias = false }) end
  self.self_attn, self.self_attn_layer_norm = attend(), nn.LayerNorm(size, 1e-5)
  if isDecoder then self.encoder_attn, self.encoder_attn_layer_norm = attend(), nn.LayerNorm(size, 1e-5) end
  self.fc1, self.fc2, self.final_layer_norm = nn.Linear(size, hidden), nn.Linear(hidden, size), nn.LayerNorm(size, 1e-5)
  self.dropout = nn.Dropout(o.dropout)
end

-- Arguments: vectors, those of the encoder, the cache and this layer's number.
function Layer:forward(x, memory, cache, number)
  local isCausal = self.encoder_attn ~= nil
  local y = self.self_attn(self.self_attn_layer_norm(x), { isCausal = isCausal, cache = cache, layer = cache and 2 * number - 1 })
  x = torch.add(x, self.dropout(y))
  if memory then
    y = self.encoder_attn(self.encoder_attn_layer_norm(x), { memory = memory, cache = cache, layer = cache and 2 * number })
    x = torch.add(x, self.dropout(y))
  end
  return torch.add(x, self.dropout(self.fc2(torch.gelu(self.fc1(self.final_layer_norm(x))))))
end

--- Returns sines and cosines of positions. Their periods grow from 2 pi to 20000 pi.
-- @int count of positions
-- @int size even
-- @treturn torch.Tensor (count, size)
function stack.sinusoids(count, size)
  local half = size / 2
  local rates = torch.exp(torch.range(0, half - 1):mul(-math.log(10000) / (half - 1)))
  local angles = torch.ger(torch.range(0, count - 1), rates)
  return torch.cat({ torch.sin(angles), torch.cos(angles) }, 2)
end

--- Makes layers.
-- @tparam table o options of the network
-- @int count
-- @int heads
-- @int hidden size of the hidden layer
-- @bool isDecoder
-- @treturn nn.ModuleList
function stack.layers(o, count, heads, hidden, isDecoder)
  local layers = nn.ModuleList()
  for _ = 1, count do layers:append(Layer.new(o, heads, hidden, isDecoder)) end
  return layers
end

return stack
