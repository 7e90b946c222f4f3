--- EfficientNet: inverted residuals with squeeze and excitation, whose depth, width and input grow together.
-- Source: the paper below, table 1 and section 3.3; names of parameters as in torchvision.
-- @module zoo.models.efficientnet
local torch, nn, images, features = require 'torch', require 'nn', require 'zoo.images', require 'zoo.features'

local Block = torch.class('zoo.EfficientBlock', 'nn.Module', {})

local function conv(inputs, outputs, size, o, activation, stride, groups)
  return features.conv(inputs, outputs, size, {
    stride = stride, groups = groups, eps = o.normEps, momentum = o.normMomentum, activation = activation,
  })
end

function Block:__init(inputs, outputs, expansion, size, stride, dropProbability, o)
  local hidden = features.multipleOf8(inputs * expansion)
  self.isResidual, self.dropProbability = stride == 1 and inputs == outputs, dropProbability
  self.block = nn.Sequential()
  if hidden ~= inputs then self.block:add(conv(inputs, hidden, 1, o, nn.SiLU)) end
  self.block:add(conv(hidden, hidden, size, o, nn.SiLU, stride, hidden))
  self.block:add(features.SqueezeExcitation(hidden, math.max(1, math.floor(inputs / 4)), nn.SiLU, nn.Sigmoid))
  self.block:add(conv(hidden, outputs, 1, o))
end

function Block:forward(x)
  local y = self.block(x)
  if not self.isResidual then return y end
  return torch.add(features.stochasticDepth(y, self.train ~= false and self.dropProbability or 0), x)
end

-- Expansion, size of the kernel, stride of the first block, channels before and after, number of blocks.
local stages = {
  { 1, 3, 1, 32, 16, 1 }, { 6, 3, 2, 16, 24, 2 }, { 6, 5, 2, 24, 40, 2 }, { 6, 3, 2, 40, 80, 3 }, { 6, 5, 1, 80, 112, 3 },
  { 6, 5, 2, 112, 192, 4 }, { 6, 3, 1, 192, 320, 1 },
}

local function make(o)
  local total, done = 0, 0
  local function countOf(stage) return math.ceil(stage[6] * o.depthMult) end
  for _, stage in ipairs(stages) do total = total + countOf(stage) end
  local last = features.multipleOf8(stages[1][4] * o.widthMult)
  local layers = nn.Sequential(conv(3, last, 3, o, nn.SiLU, 2))
  for _, stage in ipairs(stages) do
    local expansion, size, stride, before, after = unpack(stage)
    local inputs, outputs = features.multipleOf8(before * o.widthMult), features.multipleOf8(after * o.widthMult)
    local blocks = nn.Sequential()
    for i = 1, countOf(stage) do
      local p = o.stochasticDepthProb * done / total
      blocks:add(Block.new(i == 1 and inputs or outputs, outputs, expansion, size, i == 1 and stride or 1, p, o))
      done = done + 1
    end
    layers:add(blocks)
    last = outputs
  end
  layers:add(conv(last, 4 * last, 1, o, nn.SiLU))
  local classifier = nn.Sequential(nn.Dropout(o.dropout), nn.Linear(4 * last, o.numClasses))
  return images.initialise(features.FeatureClassifier(layers, 1, classifier))
end

local function net(widthMult, depthMult, dropout, size, normEps, normMomentum)
  return {
    widthMult = widthMult, depthMult = depthMult, dropout = dropout, size = size, normEps = normEps, normMomentum = normMomentum,
  }
end

return require 'zoo.declare' {
  title = 'EfficientNet',
  paper = 'Tan & Le (2019), "EfficientNet: Rethinking Model Scaling for Convolutional Neural Networks", ICML',
  input = function(o) return { 3, o.size, o.size } end, normalisation = images.normalisation, labels = images.labels,
  options = {
    { 'numClasses', 'int', min = 1, default = 1000 }, { 'dropout', 'number', min = 0, max = 1 },
    { 'stochasticDepthProb', 'number', min = 0, max = 0.99, default = 0.2 },
  },
  models = {
    efficientnet_b0 = net(1, 1, 0.2, 224), efficientnet_b1 = net(1, 1.1, 0.2, 240), efficientnet_b2 = net(1.1, 1.2, 0.3, 288),
    efficientnet_b3 = net(1.2, 1.4, 0.3, 300), efficientnet_b4 = net(1.4, 1.8, 0.4, 380),
    efficientnet_b5 = net(1.6, 2.2, 0.4, 456, 0.001, 0.01), efficientnet_b6 = net(1.8, 2.6, 0.5, 528, 0.001, 0.01),
    efficientnet_b7 = net(2, 3.1, 0.5, 600, 0.001, 0.01),
  },
  make = make,
  samples = { { 'efficientnet_b0', { numClasses = 2 }, { 1, 3, 33, 40 } } },
}
