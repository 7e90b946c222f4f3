--- Parts that networks for pictures share: convolution with normalisation, squeeze and excitation, features before a classifier.
-- @module zoo.features
local torch, nn = require 'torch', require 'nn'

local features = {}

--- Returns a convolution that keeps sizes, but for its stride, batch normalisation, and an activation.
-- @int inputs channels
-- @int outputs
-- @int size of the kernel, odd
-- @tparam[opt] table o stride (1), groups (1), eps (1e-5) and momentum (0.1) of the normalisation, activation: a class of nn, or nil
-- @treturn nn.Sequential
function features.conv(inputs, outputs, size, o)
  local layers = nn.Sequential(
    nn.Conv2d(inputs, outputs, size, { stride = o.stride or 1, padding = (size - 1) / 2, groups = o.groups or 1, bias = false }),
    nn.BatchNorm2d(outputs, o.eps or 1e-5, o.momentum or 0.1))
  return o.activation and layers:add(o.activation()) or layers
end

--- Returns the multiple of 8 next to a number of channels, not less than 90 % of it.
-- @number channels
-- @treturn int
function features.multipleOf8(channels)
  local rounded = math.max(8, math.floor((channels + 4) / 8) * 8)
  return rounded < 0.9 * channels and rounded + 8 or rounded
end

--- Leaves out the blocks of some examples, for training; others are scaled, so that the mean stays.
-- Source: Huang et al. (2016), "Deep Networks with Stochastic Depth", ECCV, section 3.
-- @tparam torch.Tensor y (N, C, H, W)
-- @number p the probability that an example's is left out; 0 changes nothing
-- @treturn torch.Tensor
function features.stochasticDepth(y, p)
  if p == 0 then return y end
  local kept = torch.Tensor(y:size(1), 1, 1, 1):bernoulli(1 - p):div(1 - p):typeAs(y)
  return torch.cmul(y, kept:expandAs(y))
end

--- Scales channels by weights from their means. Source: Hu et al. (2018), "Squeeze-and-Excitation Networks", CVPR, equations 2 to 4.
-- Arguments: channels, those between the maps, the activation between them, and that of the weights.
local Excitation = torch.class('zoo.SqueezeExcitation', 'nn.Module', features)

function Excitation:__init(channels, squeezed, activation, scaleActivation)
  self.avgpool = nn.AdaptiveAvgPool2d(1)
  self.fc1 = nn.Conv2d(channels, squeezed, 1)
  self.fc2 = nn.Conv2d(squeezed, channels, 1)
  self.activation, self.scaleActivation = activation(), scaleActivation()
end

function Excitation:forward(x)
  local scale = self.fc2(self.activation(self.fc1(self.avgpool(x))))
  return torch.cmul(x, torch.expandAs(self.scaleActivation(scale), x))
end

--- Features of a picture, their means in a grid, and a classifier of these. Arguments: features, the sizes of the grid, classifier.
local Classifier = torch.class('zoo.FeatureClassifier', 'nn.Module', features)

function Classifier:__init(layers, grid, classifier)
  self.features = layers
  self.avgpool = nn.AdaptiveAvgPool2d(grid)
  self.classifier = classifier
end

function Classifier:forward(x) return self.classifier(torch.flatten(self.avgpool(self.features(x)), 2)) end

return features
