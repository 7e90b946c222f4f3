--- SqueezeNet: few parameters, by modules that squeeze channels before they expand them.
-- Source: the paper below, table 1; version 1.1 as in torchvision and the authors' repository.
-- @module zoo.models.squeezenet
local torch, nn, images = require 'torch', require 'nn', require 'zoo.images'

local Fire = torch.class('zoo.Fire', 'nn.Module', {})
local SqueezeNet = torch.class('zoo.SqueezeNet', 'nn.Module', {})

function Fire:__init(inputs, squeezed, expanded)
  self.squeeze = nn.Conv2d(inputs, squeezed, 1)
  self.expand1x1 = nn.Conv2d(squeezed, expanded, 1)
  self.expand3x3 = nn.Conv2d(squeezed, expanded, 3, 1, 1)
end

function Fire:forward(x)
  x = torch.relu(self.squeeze(x))
  return torch.cat({ torch.relu(self.expand1x1(x)), torch.relu(self.expand3x3(x)) }, 2)
end

function SqueezeNet:__init(o)
  local channels, size = unpack(o.first)
  self.features = nn.Sequential(nn.Conv2d(3, channels, size, 2), nn.ReLU())
  for _, layer in ipairs(o.layers) do
    if layer == 'pool' then
      self.features:add(nn.MaxPool2d(3, 2, { ceilMode = true }))
    else
      self.features:add(Fire.new(channels, unpack(layer)))
      channels = 2 * layer[2]
    end
  end
  self.classifier = nn.Sequential(nn.Dropout(o.dropout), nn.Conv2d(channels, o.numClasses, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1))
end

function SqueezeNet:forward(x) return torch.flatten(self.classifier(self.features(x)), 2) end

local function fire(squeezed) return { squeezed, 4 * squeezed } end

return require 'zoo.declare' {
  title = 'SqueezeNet',
  paper = 'Iandola et al. (2016), "SqueezeNet: AlexNet-level accuracy with 50x fewer parameters and <0.5MB model size", arXiv:1602.07360',
  input = images.input, normalisation = images.normalisation, labels = images.labels,
  options = { { 'numClasses', 'int', min = 1, default = 1000 }, { 'dropout', 'number', min = 0, max = 1, default = 0.5 } },
  models = {
    squeezenet1_0 = { first = { 96, 7 }, layers = {
      'pool', fire(16), fire(16), fire(32), 'pool', fire(32), fire(48), fire(48), fire(64), 'pool', fire(64),
    } },
    squeezenet1_1 = { first = { 64, 3 }, layers = {
      'pool', fire(16), fire(16), 'pool', fire(32), fire(32), 'pool', fire(48), fire(48), fire(64), fire(64),
    } },
  },
  make = function(o) return images.initialise(SqueezeNet.new(o)) end,
  samples = { { 'squeezenet1_1', { numClasses = 3 }, { 1, 3, 33, 34 } } },
}
