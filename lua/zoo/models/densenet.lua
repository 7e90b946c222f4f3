--- DenseNet: each layer sees the results of all layers of its block before it.
-- Source: the paper below, table 1; names of parameters as in torchvision.
-- @module zoo.models.densenet
local torch, nn, images = require 'torch', require 'nn', require 'zoo.images'

local Layer = torch.class('zoo.DenseLayer', 'nn.Module', {})
local Transition = torch.class('zoo.DenseTransition', 'nn.Module', {})
local DenseNet = torch.class('zoo.DenseNet', 'nn.Module', {})

function Layer:__init(inputs, o)
  self.norm1 = nn.BatchNorm2d(inputs)
  self.conv1 = nn.Conv2d(inputs, o.bnSize * o.growthRate, 1, { bias = false })
  self.norm2 = nn.BatchNorm2d(o.bnSize * o.growthRate)
  self.conv2 = nn.Conv2d(o.bnSize * o.growthRate, o.growthRate, 3, { padding = 1, bias = false })
  self.dropout = nn.Dropout(o.dropRate)
end

function Layer:forward(x)
  x = self.conv1(torch.relu(self.norm1(x)))
  return self.dropout(self.conv2(torch.relu(self.norm2(x))))
end

function Transition:__init(inputs)
  self.norm = nn.BatchNorm2d(inputs)
  self.conv = nn.Conv2d(inputs, math.floor(inputs / 2), 1, { bias = false })
  self.pool = nn.AvgPool2d(2, 2)
end

function Transition:forward(x) return self.pool(self.conv(torch.relu(self.norm(x)))) end

function DenseNet:__init(o)
  local channels = o.numInitFeatures
  local parts = nn.ModuleDict {
    { 'conv0', nn.Conv2d(3, channels, 7, { stride = 2, padding = 3, bias = false }) }, { 'norm0', nn.BatchNorm2d(channels) },
    { 'pool0', nn.MaxPool2d(3, 2, 1) },
  }
  for i, count in ipairs(o.blockConfig) do
    local block = nn.ModuleDict()
    for k = 1, count do
      block:update { { 'denselayer' .. k, Layer.new(channels, o) } }
      channels = channels + o.growthRate
    end
    parts:update { { 'denseblock' .. i, block } }
    if i < #o.blockConfig then
      parts:update { { 'transition' .. i, Transition.new(channels) } }
      channels = math.floor(channels / 2)
    end
  end
  parts:update { { 'norm5', nn.BatchNorm2d(channels) } }
  self.blockCount = #o.blockConfig
  self.features = parts
  self.classifier = nn.Linear(channels, o.numClasses)
end

function DenseNet:forward(x)
  local parts = self.features
  x = parts.pool0(torch.relu(parts.norm0(parts.conv0(x))))
  for i = 1, self.blockCount do
    for _, layer in parts['denseblock' .. i]:items() do x = torch.cat({ x, layer(x) }, 2) end
    if i < self.blockCount then x = parts['transition' .. i](x) end
  end
  x = torch.relu(parts.norm5(x))
  return self.classifier(torch.flatten(nn.functional.adaptiveAvgPool2d(x, 1), 2))
end

local function net(growthRate, numInitFeatures, ...)
  return { growthRate = growthRate, numInitFeatures = numInitFeatures, blockConfig = { ... } }
end

return require 'zoo.declare' {
  title = 'DenseNet',
  paper = 'Huang et al. (2017), "Densely Connected Convolutional Networks", CVPR',
  input = images.input, normalisation = images.normalisation, labels = images.labels,
  options = {
    { 'numClasses', 'int', min = 1, default = 1000 }, { 'growthRate', 'int', min = 1 }, { 'numInitFeatures', 'int', min = 1 },
    { 'blockConfig', 'sizes', min = 1 }, { 'bnSize', 'int', min = 1, default = 4 }, { 'dropRate', 'number', min = 0, max = 1, default = 0 },
  },
  models = {
    densenet121 = net(32, 64, 6, 12, 24, 16), densenet161 = net(48, 96, 6, 12, 36, 24), densenet169 = net(32, 64, 6, 12, 32, 32),
    densenet201 = net(32, 64, 6, 12, 48, 32),
  },
  make = function(o) return images.initialise(DenseNet.new(o)) end,
  rules = { { '(denselayer%d+%.norm)%.([12]%.)', '%1%2' }, { '(denselayer%d+%.conv)%.([12]%.)', '%1%2' } },
  samples = { { 'densenet121', { numClasses = 3, growthRate = 4, numInitFeatures = 8, blockConfig = { 2, 3 } }, { 2, 3, 33, 32 } } },
}
