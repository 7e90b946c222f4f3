--- MobileNet 3: inverted residuals with squeeze and excitation and hard activations, found by search.
-- Source: the paper below, tables 1 and 2.
-- @module zoo.models.mobilenet_v3
local torch, nn, images, features = require 'torch', require 'nn', require 'zoo.images', require 'zoo.features'

local Block = torch.class('zoo.MobileBlock', 'nn.Module', {})

local function conv(inputs, outputs, size, activation, stride, groups)
  return features.conv(inputs, outputs, size, {
    stride = stride, groups = groups, eps = 0.001, momentum = 0.01, activation = activation,
  })
end

function Block:__init(inputs, size, hidden, outputs, excites, activation, stride)
  self.isResidual = stride == 1 and inputs == outputs
  self.block = nn.Sequential()
  if hidden ~= inputs then self.block:add(conv(inputs, hidden, 1, activation)) end
  self.block:add(conv(hidden, hidden, size, activation, stride, hidden))
  if excites then
    local squeezed = features.multipleOf8(math.floor(hidden / 4))
    self.block:add(features.SqueezeExcitation(hidden, squeezed, nn.ReLU, nn.Hardsigmoid))
  end
  self.block:add(conv(hidden, outputs, 1))
end

function Block:forward(x)
  local y = self.block(x)
  return self.isResidual and torch.add(y, x) or y
end

-- Of each block: size of the kernel, channels inside, channels after it, whether it excites, whether it has hard swish, stride.
local large = {
  last = 1280,
  { 3, 16, 16, false, false, 1 }, { 3, 64, 24, false, false, 2 }, { 3, 72, 24, false, false, 1 }, { 5, 72, 40, true, false, 2 },
  { 5, 120, 40, true, false, 1 }, { 5, 120, 40, true, false, 1 }, { 3, 240, 80, false, true, 2 }, { 3, 200, 80, false, true, 1 },
  { 3, 184, 80, false, true, 1 }, { 3, 184, 80, false, true, 1 }, { 3, 480, 112, true, true, 1 }, { 3, 672, 112, true, true, 1 },
  { 5, 672, 160, true, true, 2 }, { 5, 960, 160, true, true, 1 }, { 5, 960, 160, true, true, 1 },
}
local small = {
  last = 1024,
  { 3, 16, 16, true, false, 2 }, { 3, 72, 24, false, false, 2 }, { 3, 88, 24, false, false, 1 }, { 5, 96, 40, true, true, 2 },
  { 5, 240, 40, true, true, 1 }, { 5, 240, 40, true, true, 1 }, { 5, 120, 48, true, true, 1 }, { 5, 144, 48, true, true, 1 },
  { 5, 288, 96, true, true, 2 }, { 5, 576, 96, true, true, 1 }, { 5, 576, 96, true, true, 1 },
}

local function make(o)
  local function scaled(channels) return features.multipleOf8(channels * o.widthMult) end
  local inputs = scaled(16)
  local layers = nn.Sequential(conv(3, inputs, 3, nn.Hardswish, 2))
  for _, block in ipairs(o.blocks) do
    local size, hidden, outputs, excites, isHard, stride = unpack(block)
    layers:add(Block.new(inputs, size, scaled(hidden), scaled(outputs), excites, isHard and nn.Hardswish or nn.ReLU, stride))
    inputs = scaled(outputs)
  end
  layers:add(conv(inputs, 6 * inputs, 1, nn.Hardswish))
  local last = scaled(o.blocks.last)
  local classifier = nn.Sequential(nn.Linear(6 * inputs, last), nn.Hardswish(), nn.Dropout(o.dropout), nn.Linear(last, o.numClasses))
  return images.initialise(features.FeatureClassifier(layers, 1, classifier))
end

return require 'zoo.declare' {
  title = 'MobileNet 3',
  paper = 'Howard et al. (2019), "Searching for MobileNetV3", ICCV',
  input = images.input, normalisation = images.normalisation, labels = images.labels,
  options = {
    { 'numClasses', 'int', min = 1, default = 1000 }, { 'widthMult', 'number', min = 0.01, default = 1 },
    { 'dropout', 'number', min = 0, max = 1, default = 0.2 },
  },
  models = { mobilenet_v3_large = { blocks = large }, mobilenet_v3_small = { blocks = small } }, make = make,
  samples = { { 'mobilenet_v3_small', { numClasses = 3, widthMult = 0.5 }, { 1, 3, 64, 65 } } },
}
