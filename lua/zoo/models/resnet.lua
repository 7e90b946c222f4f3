--- ResNet, ResNeXt and wide ResNet: sums of a block's input and of what a few convolutions make of it.
-- Sources: the papers below, table 1 of the first two. The stride of a bottleneck is in its 3 x 3 convolution, as in torchvision.
-- @module zoo.models.resnet
local torch, nn, images = require 'torch', require 'nn', require 'zoo.images'

local BasicBlock = torch.class('zoo.BasicBlock', 'nn.Module', {})
local Bottleneck = torch.class('zoo.Bottleneck', 'nn.Module', {})
local ResNet = torch.class('zoo.ResNet', 'nn.Module', {})
BasicBlock.expansion, Bottleneck.expansion = 1, 4

local function conv(inputs, outputs, size, stride, groups)
  return nn.Conv2d(inputs, outputs, size, { stride = stride or 1, padding = (size - 1) / 2, groups = groups or 1, bias = false })
end

function BasicBlock:__init(inputs, planes, stride, downsample)
  self.conv1 = conv(inputs, planes, 3, stride)
  self.bn1 = nn.BatchNorm2d(planes)
  self.relu = nn.ReLU()
  self.conv2 = conv(planes, planes, 3)
  self.bn2 = nn.BatchNorm2d(planes)
  self.downsample = downsample
end

function BasicBlock:forward(x)
  local y = self.relu(self.bn1(self.conv1(x)))
  y = self.bn2(self.conv2(y))
  return self.relu(torch.add(y, self.downsample and self.downsample(x) or x))
end

function Bottleneck:__init(inputs, planes, stride, downsample, o)
  local width = math.floor(planes * o.widthPerGroup / 64) * o.groups
  self.conv1 = conv(inputs, width, 1)
  self.bn1 = nn.BatchNorm2d(width)
  self.conv2 = conv(width, width, 3, stride, o.groups)
  self.bn2 = nn.BatchNorm2d(width)
  self.conv3 = conv(width, planes * 4, 1)
  self.bn3 = nn.BatchNorm2d(planes * 4)
  self.relu = nn.ReLU()
  self.downsample = downsample
end

function Bottleneck:forward(x)
  local y = self.relu(self.bn1(self.conv1(x)))
  y = self.relu(self.bn2(self.conv2(y)))
  y = self.bn3(self.conv3(y))
  return self.relu(torch.add(y, self.downsample and self.downsample(x) or x))
end

function ResNet:__init(o)
  local block = o.block
  self.conv1 = nn.Conv2d(3, 64, 7, { stride = 2, padding = 3, bias = false })
  self.bn1 = nn.BatchNorm2d(64)
  self.relu = nn.ReLU()
  self.maxpool = nn.MaxPool2d(3, 2, 1)
  local inputs = 64
  local function layer(planes, count, stride)
    local blocks = nn.Sequential()
    for i = 1, count do
      local step, outputs = i == 1 and stride or 1, planes * block.expansion
      local downsample = (step > 1 or inputs ~= outputs) and nn.Sequential(conv(inputs, outputs, 1, step), nn.BatchNorm2d(outputs)) or nil
      blocks:add(block.new(inputs, planes, step, downsample, o))
      inputs = outputs
    end
    return blocks
  end
  self.layer1 = layer(64, o.layers[1], 1)
  self.layer2 = layer(128, o.layers[2], 2)
  self.layer3 = layer(256, o.layers[3], 2)
  self.layer4 = layer(512, o.layers[4], 2)
  self.avgpool = nn.AdaptiveAvgPool2d(1)
  self.fc = nn.Linear(inputs, o.numClasses)
end

function ResNet:forward(x)
  x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
  x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
  return self.fc(torch.flatten(self.avgpool(x), 2))
end

local function basic(...) return { block = BasicBlock, layers = { ... } } end

local function bottleneck(layers, groups, widthPerGroup, paper)
  return { block = Bottleneck, layers = layers, groups = groups, widthPerGroup = widthPerGroup, paper = paper }
end

local resnext = 'Xie et al. (2017), "Aggregated Residual Transformations for Deep Neural Networks", CVPR'
local wide = 'Zagoruyko & Komodakis (2016), "Wide Residual Networks", BMVC'

return require 'zoo.declare' {
  title = 'ResNet',
  paper = 'He et al. (2016), "Deep Residual Learning for Image Recognition", CVPR',
  input = images.input, normalisation = images.normalisation, labels = images.labels,
  options = {
    { 'numClasses', 'int', min = 1, default = 1000 }, { 'groups', 'int', min = 1, default = 1 },
    { 'widthPerGroup', 'int', min = 1, default = 64 },
  },
  models = {
    resnet18 = basic(2, 2, 2, 2), resnet34 = basic(3, 4, 6, 3),
    resnet50 = bottleneck { 3, 4, 6, 3 }, resnet101 = bottleneck { 3, 4, 23, 3 }, resnet152 = bottleneck { 3, 8, 36, 3 },
    resnext50_32x4d = bottleneck({ 3, 4, 6, 3 }, 32, 4, resnext), resnext101_32x8d = bottleneck({ 3, 4, 23, 3 }, 32, 8, resnext),
    resnext101_64x4d = bottleneck({ 3, 4, 23, 3 }, 64, 4, resnext),
    wide_resnet50_2 = bottleneck({ 3, 4, 6, 3 }, 1, 128, wide), wide_resnet101_2 = bottleneck({ 3, 4, 23, 3 }, 1, 128, wide),
  },
  make = function(o) return images.initialise(ResNet.new(o)) end,
  samples = {
    { 'resnet18', { numClasses = 3 }, { 2, 3, 33, 32 } }, { 'resnet50', { widthPerGroup = 8, numClasses = 4 }, { 1, 3, 32, 40 } },
    { 'resnext50_32x4d', { groups = 4, widthPerGroup = 2, numClasses = 2 }, { 1, 3, 32, 32 } },
  },
}
