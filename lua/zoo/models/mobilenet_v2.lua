--- MobileNet 2: blocks that widen, filter each channel alone, and narrow again without an activation, with their input added.
-- Source: the paper below, tables 1 and 2.
-- @module zoo.models.mobilenet_v2
local torch, nn, images, features = require 'torch', require 'nn', require 'zoo.images', require 'zoo.features'

local Block = torch.class('zoo.InvertedResidual', 'nn.Module', {})

function Block:__init(inputs, outputs, stride, expansion)
  local hidden = math.floor(inputs * expansion + 0.5)
  self.isResidual = stride == 1 and inputs == outputs
  self.conv = nn.Sequential()
  if expansion ~= 1 then self.conv:add(features.conv(inputs, hidden, 1, { activation = nn.ReLU6 })) end
  self.conv:add(features.conv(hidden, hidden, 3, { stride = stride, groups = hidden, activation = nn.ReLU6 }))
  self.conv:add(nn.Conv2d(hidden, outputs, 1, { bias = false })):add(nn.BatchNorm2d(outputs))
end

function Block:forward(x)
  local y = self.conv(x)
  return self.isResidual and torch.add(x, y) or y
end

-- Expansion, channels, number of blocks, stride of the first.
local stages = {
  { 1, 16, 1, 1 }, { 6, 24, 2, 2 }, { 6, 32, 3, 2 }, { 6, 64, 4, 2 }, { 6, 96, 3, 1 }, { 6, 160, 3, 2 }, { 6, 320, 1, 1 },
}

local function make(o)
  local function scaled(channels) return features.multipleOf8(channels * o.widthMult) end
  local inputs, last = scaled(32), features.multipleOf8(1280 * math.max(1, o.widthMult))
  local layers = nn.Sequential(features.conv(3, inputs, 3, { stride = 2, activation = nn.ReLU6 }))
  for _, stage in ipairs(stages) do
    local expansion, channels, count, stride = unpack(stage)
    for i = 1, count do
      layers:add(Block.new(inputs, scaled(channels), i == 1 and stride or 1, expansion))
      inputs = scaled(channels)
    end
  end
  layers:add(features.conv(inputs, last, 1, { activation = nn.ReLU6 }))
  local classifier = nn.Sequential(nn.Dropout(o.dropout), nn.Linear(last, o.numClasses))
  return images.initialise(features.FeatureClassifier(layers, 1, classifier))
end

return require 'zoo.declare' {
  title = 'MobileNet 2',
  paper = 'Sandler et al. (2018), "MobileNetV2: Inverted Residuals and Linear Bottlenecks", CVPR',
  input = images.input, normalisation = images.normalisation, labels = images.labels,
  options = {
    { 'numClasses', 'int', min = 1, default = 1000 }, { 'widthMult', 'number', min = 0.01, default = 1 },
    { 'dropout', 'number', min = 0, max = 1, default = 0.2 },
  },
  models = { mobilenet_v2 = {} }, make = make,
  samples = { { 'mobilenet_v2', { numClasses = 3, widthMult = 0.25 }, { 2, 3, 33, 32 } } },
}
