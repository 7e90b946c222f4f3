--- U-Net: segmentation by a path that halves a picture, and one that doubles it again and sees the first one's features.
-- `unet` is the paper's: convolutions without padding, so that the logits (N, nClasses, H', W') are those of the middle; 572 gives 388.
-- `unet_padded` is the common form: padding, batch normalisation, and logits of the picture's size.
-- Source: the paper below, figure 1 and section 3; dropout as in its network for Caffe; names of parameters as in milesial's Pytorch-UNet.
-- @module zoo.models.unet
local torch, nn = require 'torch', require 'nn'

local Unet = torch.class('zoo.Unet', 'nn.Module', {})

-- Two convolutions.
local function double(inputs, outputs, isPadded)
  local layers = nn.Sequential()
  for _, from in ipairs { inputs, outputs } do
    layers:add(nn.Conv2d(from, outputs, 3, { padding = isPadded and 1 or 0, bias = not isPadded }))
    if isPadded then layers:add(nn.BatchNorm2d(outputs)) end
    layers:add(nn.ReLU())
  end
  return nn.ModuleDict { { 'double_conv', layers } }
end

function Unet:__init(o)
  self.depth, self.isPadded = o.depth, o.isPadded
  local width = o.width
  self.inc = double(o.nChannels, width, o.isPadded)
  for i = 1, o.depth do
    local layers = nn.Sequential(nn.MaxPool2d(2)):add(double(width, width * 2, o.isPadded))
    self['down' .. i] = nn.ModuleDict { { 'maxpool_conv', layers } }
    if i >= o.depth - 1 then self['dropout' .. i] = nn.Dropout(o.dropout) end
    width = width * 2
  end
  for i = 1, o.depth do
    self['up' .. i] = nn.ModuleDict {
      { 'up', nn.ConvTranspose2d(width, width / 2, 2, { stride = 2 }) }, { 'conv', double(width, width / 2, o.isPadded) },
    }
    width = width / 2
  end
  self.outc = nn.ModuleDict { { 'conv', nn.Conv2d(width, o.nClasses, 1) } }
end

-- Returns x in the height and width of y: its middle, or with zeros around it.
local function fitted(x, y)
  local padding = {}
  for d = 4, 3, -1 do
    local difference = y:size(d) - x:size(d)
    local before = math.floor(difference / 2)
    padding[#padding + 1], padding[#padding + 2] = before, difference - before
  end
  return nn.functional.pad(x, padding)
end

function Unet:forward(x)
  local features = { self.inc.double_conv(x) }
  for i = 1, self.depth do
    local layers = self['down' .. i].maxpool_conv
    local y = layers:get(2).double_conv(layers:get(1)(features[i]))
    local dropout = self['dropout' .. i]
    features[i + 1] = dropout and dropout(y) or y
  end
  local y = features[self.depth + 1]
  for i = 1, self.depth do
    local layers, skipped = self['up' .. i], features[self.depth + 1 - i]
    y = layers.up(y)
    if self.isPadded then y = fitted(y, skipped) else skipped = fitted(skipped, y) end
    y = layers.conv.double_conv(torch.cat({ skipped, y }, 2))
  end
  return self.outc.conv(y)
end

-- The paper's network starts with deviations of sqrt(2 / inputs of a neuron); the other as its convolutions do.
local function make(o)
  local net = Unet.new(o)
  if o.isPadded then return net end
  for _, module in ipairs(net:listModules()) do
    if torch.isTypeOf(module, 'nn.Conv2d') then nn.init.kaimingNormal(module.weight) end
  end
  return net
end

return require 'zoo.declare' {
  title = 'U-Net',
  paper = 'Ronneberger et al. (2015), "U-Net: Convolutional Networks for Biomedical Image Segmentation", MICCAI',
  input = function(o) return { o.nChannels, 572, 572 } end, normalisation = 'pictures from 0 to 1',
  options = {
    { 'nChannels', 'int', min = 1, default = 1 }, { 'nClasses', 'int', min = 1, default = 2 }, { 'width', 'int', min = 1, default = 64 },
    { 'depth', 'int', min = 1, default = 4 }, { 'dropout', 'number', min = 0, max = 1, default = 0 },
  },
  models = { unet = { dropout = 0.5 }, unet_padded = { nChannels = 3, isPadded = true } },
  make = make,
  samples = {
    { 'unet', { width = 2, depth = 2, nClasses = 3 }, { 2, 1, 44, 52 } },
    { 'unet_padded', { width = 2, depth = 2 }, { 2, 3, 19, 22 } },
  },
}
