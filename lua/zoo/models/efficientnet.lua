--- EfficientNet: inverted residuals with squeeze and excitation, whose depth, width and input grow together. Version 2 begins with whole
-- convolutions.
-- Source: the papers below, table 1 and section 3.3, and table 4 and figure 2; names of parameters as in torchvision.
-- @module zoo.models.efficientnet
local torch, nn, images, features = require 'torch', require 'nn', require 'zoo.images', require 'zoo.features'

local Block = torch.class('zoo.EfficientBlock', 'nn.Module', {})

local function conv(inputs, outputs, size, o, activation, stride, groups)
  return features.conv(inputs, outputs, size, {
    stride = stride, groups = groups, eps = o.normEps, momentum = o.normMomentum, activation = activation,
  })
end

-- `isFused`: one convolution of all channels instead of one of each, and the map before it, without excitation.
function Block:__init(inputs, outputs, expansion, size, stride, dropProbability, o, isFused)
  local hidden = features.multipleOf8(inputs * expansion)
  self.isResidual, self.dropProbability = stride == 1 and inputs == outputs, dropProbability
  self.block = nn.Sequential()
  if isFused then
    local isMapped = hidden ~= inputs
    self.block:add(conv(inputs, isMapped and hidden or outputs, size, o, nn.SiLU, stride))
    if isMapped then self.block:add(conv(hidden, outputs, 1, o)) end
    return
  end
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

-- Expansion, size of the kernel, stride of the first block, channels before and after, number of blocks, whether they are fused.
local first = {
  { 1, 3, 1, 32, 16, 1 }, { 6, 3, 2, 16, 24, 2 }, { 6, 5, 2, 24, 40, 2 }, { 6, 3, 2, 40, 80, 3 }, { 6, 5, 1, 80, 112, 3 },
  { 6, 5, 2, 112, 192, 4 }, { 6, 3, 1, 192, 320, 1 },
}

local function make(o)
  local stages, total, done = o.stages, 0, 0
  local function countOf(stage) return math.ceil(stage[6] * o.depthMult) end
  for _, stage in ipairs(stages) do total = total + countOf(stage) end
  local last = features.multipleOf8(stages[1][4] * o.widthMult)
  local layers = nn.Sequential(conv(3, last, 3, o, nn.SiLU, 2))
  for _, stage in ipairs(stages) do
    local expansion, size, stride, before, after, _, isFused = unpack(stage)
    local inputs, outputs = features.multipleOf8(before * o.widthMult), features.multipleOf8(after * o.widthMult)
    local blocks = nn.Sequential()
    for i = 1, countOf(stage) do
      local p = o.stochasticDepthProb * done / total
      blocks:add(Block.new(i == 1 and inputs or outputs, outputs, expansion, size, i == 1 and stride or 1, p, o, isFused))
      done = done + 1
    end
    layers:add(blocks)
    last = outputs
  end
  local channels = o.lastChannels or 4 * last
  layers:add(conv(last, channels, 1, o, nn.SiLU))
  local classifier = nn.Sequential(nn.Dropout(o.dropout), nn.Linear(channels, o.numClasses))
  return images.initialise(features.FeatureClassifier(layers, 1, classifier))
end

local function net(widthMult, depthMult, dropout, size, normEps, normMomentum)
  return {
    widthMult = widthMult, depthMult = depthMult, dropout = dropout, size = size, normEps = normEps, normMomentum = normMomentum,
    stages = first,
  }
end

local function second(dropout, size, stages, normalisation)
  return {
    widthMult = 1, depthMult = 1, dropout = dropout, size = size, normEps = 0.001, stages = stages, lastChannels = 1280,
    normalisation = normalisation,
    paper = 'Tan & Le (2021), "EfficientNetV2: Smaller Models and Faster Training", ICML',
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
    efficientnet_v2_s = second(0.2, 384, {
      { 1, 3, 1, 24, 24, 2, true }, { 4, 3, 2, 24, 48, 4, true }, { 4, 3, 2, 48, 64, 4, true }, { 4, 3, 2, 64, 128, 6 },
      { 6, 3, 1, 128, 160, 9 }, { 6, 3, 2, 160, 256, 15 },
    }),
    efficientnet_v2_m = second(0.3, 480, {
      { 1, 3, 1, 24, 24, 3, true }, { 4, 3, 2, 24, 48, 5, true }, { 4, 3, 2, 48, 80, 5, true }, { 4, 3, 2, 80, 160, 7 },
      { 6, 3, 1, 160, 176, 14 }, { 6, 3, 2, 176, 304, 18 }, { 6, 3, 1, 304, 512, 5 },
    }),
    efficientnet_v2_l = second(0.4, 480, {
      { 1, 3, 1, 32, 32, 4, true }, { 4, 3, 2, 32, 64, 7, true }, { 4, 3, 2, 64, 96, 7, true }, { 4, 3, 2, 96, 192, 10 },
      { 6, 3, 1, 192, 224, 19 }, { 6, 3, 2, 224, 384, 25 }, { 6, 3, 1, 384, 640, 7 },
    }, { mean = { 0.5, 0.5, 0.5 }, std = { 0.5, 0.5, 0.5 } }),
  },
  make = make,
  samples = { { 'efficientnet_b0', { numClasses = 2 }, { 1, 3, 33, 40 } } },
}
