--- AlexNet on one device: five convolutions and three linear maps, without normalisation of responses.
-- Source: the paper below, figure 2, whose numbers of filters differ from those of the network of 2012.
-- @module zoo.models.alexnet
local nn, images, features = require 'nn', require 'zoo.images', require 'zoo.features'

local function make(o)
  local layers = nn.Sequential(
    nn.Conv2d(3, 64, 11, 4, 2), nn.ReLU(), nn.MaxPool2d(3, 2),
    nn.Conv2d(64, 192, 5, 1, 2), nn.ReLU(), nn.MaxPool2d(3, 2),
    nn.Conv2d(192, 384, 3, 1, 1), nn.ReLU(), nn.Conv2d(384, 256, 3, 1, 1), nn.ReLU(),
    nn.Conv2d(256, 256, 3, 1, 1), nn.ReLU(), nn.MaxPool2d(3, 2))
  local classifier = nn.Sequential(
    nn.Dropout(o.dropout), nn.Linear(256 * 6 * 6, o.hidden), nn.ReLU(),
    nn.Dropout(o.dropout), nn.Linear(o.hidden, o.hidden), nn.ReLU(), nn.Linear(o.hidden, o.numClasses))
  return features.FeatureClassifier(layers, 6, classifier)
end

return require 'zoo.declare' {
  title = 'AlexNet',
  paper = 'Krizhevsky (2014), "One weird trick for parallelizing convolutional neural networks", arXiv:1404.5997',
  input = images.input, normalisation = images.normalisation, labels = images.labels,
  options = { { 'numClasses', 'int', min = 1, default = 1000 }, { 'dropout', 'number', min = 0, max = 1, default = 0.5 } },
  models = { alexnet = { hidden = 4096 } }, make = make,
  samples = {},
}
