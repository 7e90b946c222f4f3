--- Inception 1, GoogLeNet: blocks of convolutions of several sizes side by side.
-- In training, the results are those of the classifier and of two auxiliary ones. As in torchvision, convolutions have batch normalisation,
-- which the paper lacks, and the paper's convolutions of 5 x 5 are of 3 x 3. Published weights need `transformInput`.
-- Source: the paper below, table 1.
-- @module zoo.models.googlenet
local torch, nn, images, inception = require 'torch', require 'nn', require 'zoo.images', require 'zoo.inception'

local Block = torch.class('zoo.GoogLeNetBlock', 'nn.Module', {})
local Auxiliary = torch.class('zoo.GoogLeNetAuxiliary', 'nn.Module', {})
local GoogLeNet = torch.class('zoo.GoogLeNet', 'nn.Module', {})

local conv = inception.InceptionConv

local function pool(size, stride, padding) return nn.MaxPool2d(size, stride, padding or 0, { ceilMode = true }) end

function Block:__init(inputs, c1, before3, c3, before5, c5, c4)
  self.branch1 = conv(inputs, c1, 1)
  self.branch2 = nn.Sequential(conv(inputs, before3, 1), conv(before3, c3, 3, 1, 1))
  self.branch3 = nn.Sequential(conv(inputs, before5, 1), conv(before5, c5, 3, 1, 1))
  self.branch4 = nn.Sequential(pool(3, 1, 1), conv(inputs, c4, 1))
end

function Block:forward(x) return torch.cat({ self.branch1(x), self.branch2(x), self.branch3(x), self.branch4(x) }, 2) end

function Auxiliary:__init(inputs, o)
  self.conv = conv(inputs, 128, 1)
  self.fc1 = nn.Linear(2048, 1024)
  self.fc2 = nn.Linear(1024, o.numClasses)
  self.dropout = nn.Dropout(o.dropoutAux)
end

function Auxiliary:forward(x)
  x = torch.flatten(self.conv(nn.functional.adaptiveAvgPool2d(x, 4)), 2)
  return self.fc2(self.dropout(torch.relu(self.fc1(x))))
end

-- Inputs, and channels of the branches.
local blocks = {
  { '3a', 192, 64, 96, 128, 16, 32, 32 }, { '3b', 256, 128, 128, 192, 32, 96, 64 }, { '4a', 480, 192, 96, 208, 16, 48, 64 },
  { '4b', 512, 160, 112, 224, 24, 64, 64 }, { '4c', 512, 128, 128, 256, 24, 64, 64 }, { '4d', 512, 112, 144, 288, 32, 64, 64 },
  { '4e', 528, 256, 160, 320, 32, 128, 128 }, { '5a', 832, 256, 160, 320, 32, 128, 128 }, { '5b', 832, 384, 192, 384, 48, 128, 128 },
}

function GoogLeNet:__init(o)
  self.transformInput = o.transformInput
  self.conv1 = conv(3, 64, 7, 2, 3)
  self.conv2 = conv(64, 64, 1)
  self.conv3 = conv(64, 192, 3, 1, 1)
  for _, block in ipairs(blocks) do self['inception' .. block[1]] = Block.new(unpack(block, 2)) end
  self.maxpool = pool(3, 2)
  self.maxpool4 = pool(2, 2)
  if o.auxLogits then
    self.aux1 = Auxiliary.new(512, o)
    self.aux2 = Auxiliary.new(528, o)
  end
  self.dropout = nn.Dropout(o.dropout)
  self.fc = nn.Linear(1024, o.numClasses)
end

function GoogLeNet:forward(x)
  if self.transformInput then x = inception.transformed(x) end
  x = self.maxpool(self.conv3(self.conv2(self.maxpool(self.conv1(x)))))
  local auxiliary, trains = {}, self.train ~= false
  for _, block in ipairs(blocks) do
    local name = block[1]
    x = self['inception' .. name](x)
    if name == '3b' then x = self.maxpool(x) end
    if name == '4a' and self.aux1 and trains then auxiliary[1] = self.aux1(x) end
    if name == '4d' and self.aux2 and trains then auxiliary[2] = self.aux2(x) end
    if name == '4e' then x = self.maxpool4(x) end
  end
  x = self.fc(self.dropout(torch.flatten(nn.functional.adaptiveAvgPool2d(x, 1), 2)))
  return x, unpack(auxiliary, 1, 2)
end

return require 'zoo.declare' {
  title = 'Inception 1',
  paper = 'Szegedy et al. (2015), "Going Deeper with Convolutions", CVPR',
  input = images.input, normalisation = images.normalisation, labels = images.labels,
  options = {
    { 'numClasses', 'int', min = 1, default = 1000 }, { 'auxLogits', 'boolean', default = true },
    { 'transformInput', 'boolean', default = false }, { 'dropout', 'number', min = 0, max = 1, default = 0.2 },
    { 'dropoutAux', 'number', min = 0, max = 1, default = 0.7 },
  },
  models = { googlenet = {} },
  make = function(o) return images.initialise(GoogLeNet.new(o)) end,
  ignores = { '^aux[12]%.' },
  samples = { { 'googlenet', { numClasses = 2, auxLogits = false }, { 1, 3, 33, 32 } } },
}
