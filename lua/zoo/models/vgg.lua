--- VGG: convolutions 3 x 3 in five blocks, and three linear maps. The names with `_bn` have batch normalisation, which the paper lacks.
-- Source: the paper below, table 1, columns A, B, D, E.
-- @module zoo.models.vgg
local nn, images, features = require 'nn', require 'zoo.images', require 'zoo.features'

local channels = { 64, 128, 256, 512, 512 }

local function make(o)
  local layers, inputs = nn.Sequential(), 3
  for block, count in ipairs(o.counts) do
    for _ = 1, count do
      layers:add(nn.Conv2d(inputs, channels[block], 3, 1, 1))
      if o.batchNorm then layers:add(nn.BatchNorm2d(channels[block])) end
      layers:add(nn.ReLU())
      inputs = channels[block]
    end
    layers:add(nn.MaxPool2d(2, 2))
  end
  local classifier = nn.Sequential(
    nn.Linear(512 * 7 * 7, o.hidden), nn.ReLU(), nn.Dropout(o.dropout),
    nn.Linear(o.hidden, o.hidden), nn.ReLU(), nn.Dropout(o.dropout), nn.Linear(o.hidden, o.numClasses))
  return images.initialise(features.FeatureClassifier(layers, 7, classifier))
end

local models = {}
for depth, counts in pairs {
  vgg11 = { 1, 1, 2, 2, 2 }, vgg13 = { 2, 2, 2, 2, 2 }, vgg16 = { 2, 2, 3, 3, 3 }, vgg19 = { 2, 2, 4, 4, 4 },
} do
  models[depth], models[depth .. '_bn'] = { counts = counts, hidden = 4096 }, { counts = counts, hidden = 4096, batchNorm = true }
end

return require 'zoo.declare' {
  title = 'VGG',
  paper = 'Simonyan & Zisserman (2015), "Very Deep Convolutional Networks for Large-Scale Image Recognition", ICLR',
  input = images.input, normalisation = images.normalisation, labels = images.labels,
  options = { { 'numClasses', 'int', min = 1, default = 1000 }, { 'dropout', 'number', min = 0, max = 1, default = 0.5 } },
  models = models, make = make,
  samples = {},
}
