--- ConvNeXt: convolutions of single channels, and linear maps over channels, with residual sums.
-- Source: the paper below, figure 4 and table 9; names of parameters as in torchvision.
-- @module zoo.models.convnext
local torch, nn, images, features = require 'torch', require 'nn', require 'zoo.images', require 'zoo.features'

local Norm = torch.class('zoo.ChannelNorm', 'nn.LayerNorm', {})
local Block = torch.class('zoo.ConvNextBlock', 'nn.Module', {})
local ConvNext = torch.class('zoo.ConvNext', 'nn.Module', {})

local function channelsLast(x) return x:permute(1, 3, 4, 2) end

local function channelsFirst(x) return torch.contiguous(x:permute(1, 4, 2, 3)) end

-- Normalises over the channels of a picture.
function Norm:compute(x)
  return channelsFirst(nn.functional.layerNorm(torch.contiguous(channelsLast(x)), self.sizes, self.weight, self.bias, self.eps))
end

function Block:__init(channels, layerScale, dropProbability)
  self.layer_scale = nn.Parameter(torch.Tensor(channels, 1, 1):fill(layerScale), false)
  self.dropProbability = dropProbability
  self.block = nn.ModuleDict {
    { '0', nn.Conv2d(channels, channels, 7, { padding = 3, groups = channels }) }, { '2', nn.LayerNorm(channels, 1e-6) },
    { '3', nn.Linear(channels, 4 * channels) }, { '5', nn.Linear(4 * channels, channels) },
  }
end

function Block:forward(x)
  local parts = self.block
  local y = parts['2'](torch.contiguous(channelsLast(parts['0'](x))))
  y = channelsFirst(parts['5'](torch.gelu(parts['3'](y))))
  y = torch.cmul(y, torch.expandAs(torch.view(self.layer_scale, 1, -1, 1, 1), y))
  return torch.add(features.stochasticDepth(y, self.train ~= false and self.dropProbability or 0), x)
end

function ConvNext:__init(o)
  local layers, done, total = nn.Sequential(), 0, 0
  for _, count in ipairs(o.counts) do total = total + count end
  layers:add(nn.Sequential(nn.Conv2d(3, o.channels[1], 4, 4), Norm.new(o.channels[1], 1e-6)))
  for i, channels in ipairs(o.channels) do
    local stage = nn.Sequential()
    for _ = 1, o.counts[i] do
      stage:add(Block.new(channels, o.layerScale, o.stochasticDepthProb * done / math.max(1, total - 1)))
      done = done + 1
    end
    layers:add(stage)
    local after = o.channels[i + 1]
    if after then layers:add(nn.Sequential(Norm.new(channels, 1e-6), nn.Conv2d(channels, after, 2, 2))) end
  end
  local last = o.channels[#o.channels]
  self.features = layers
  self.avgpool = nn.AdaptiveAvgPool2d(1)
  self.classifier = nn.Sequential(Norm.new(last, 1e-6), nn.Flatten(), nn.Linear(last, o.numClasses))
end

function ConvNext:forward(x) return self.classifier(self.avgpool(self.features(x))) end

local function net(stochasticDepthProb, counts, channels)
  return { stochasticDepthProb = stochasticDepthProb, counts = counts, channels = channels }
end

return require 'zoo.declare' {
  title = 'ConvNeXt',
  paper = 'Liu et al. (2022), "A ConvNet for the 2020s", CVPR',
  input = images.input, normalisation = images.normalisation, labels = images.labels,
  options = {
    { 'numClasses', 'int', min = 1, default = 1000 }, { 'layerScale', 'number', default = 1e-6 },
    { 'stochasticDepthProb', 'number', min = 0, max = 0.99 },
  },
  models = {
    convnext_tiny = net(0.1, { 3, 3, 9, 3 }, { 96, 192, 384, 768 }), convnext_small = net(0.4, { 3, 3, 27, 3 }, { 96, 192, 384, 768 }),
    convnext_base = net(0.5, { 3, 3, 27, 3 }, { 128, 256, 512, 1024 }), convnext_large = net(0.5, { 3, 3, 27, 3 }, { 192, 384, 768, 1536 }),
  },
  make = function(o) return ConvNext.new(o) end,
  samples = {},
}
