--- Inception 3: blocks of several chains of convolutions side by side, with large kernels made of a row and a column.
-- In training, the results are those of the classifier and of an auxiliary one. Published weights need `transformInput`, as their input
-- was normalised by means and deviations of 0.5.
-- Source: the paper below, figures 5 to 7 and 10; names of parameters as in torchvision.
-- @module zoo.models.inception_v3
local torch, nn, images, inception = require 'torch', require 'nn', require 'zoo.images', require 'zoo.inception'

local Auxiliary = torch.class('zoo.InceptionAuxiliary', 'nn.Module', {})
local Inception = torch.class('zoo.Inception3', 'nn.Module', {})

local row, column = { 1, 7 }, { 7, 1 }

local function pooled(channels) return { pool = 'mean', { 'branch_pool', channels, 1 } } end

local function blockA(channels)
  return {
    { { 'branch1x1', 64, 1 } }, { { 'branch5x5_1', 48, 1 }, { 'branch5x5_2', 64, 5 } },
    { { 'branch3x3dbl_1', 64, 1 }, { 'branch3x3dbl_2', 96, 3 }, { 'branch3x3dbl_3', 96, 3 } }, pooled(channels),
  }
end

local blockB = {
  { { 'branch3x3', 384, 3, 2 } }, { { 'branch3x3dbl_1', 64, 1 }, { 'branch3x3dbl_2', 96, 3 }, { 'branch3x3dbl_3', 96, 3, 2 } },
  { pool = 'max' },
}

local function blockC(c)
  return {
    { { 'branch1x1', 192, 1 } }, { { 'branch7x7_1', c, 1 }, { 'branch7x7_2', c, row }, { 'branch7x7_3', 192, column } },
    {
      { 'branch7x7dbl_1', c, 1 }, { 'branch7x7dbl_2', c, column }, { 'branch7x7dbl_3', c, row }, { 'branch7x7dbl_4', c, column },
      { 'branch7x7dbl_5', 192, row },
    }, pooled(192),
  }
end

local blockD = {
  { { 'branch3x3_1', 192, 1 }, { 'branch3x3_2', 320, 3, 2 } },
  { { 'branch7x7x3_1', 192, 1 }, { 'branch7x7x3_2', 192, row }, { 'branch7x7x3_3', 192, column }, { 'branch7x7x3_4', 192, 3, 2 } },
  { pool = 'max' },
}
local blockE = {
  { { 'branch1x1', 320, 1 } },
  { { 'branch3x3_1', 384, 1 }, { split = { { 'branch3x3_2a', 384, { 1, 3 } }, { 'branch3x3_2b', 384, { 3, 1 } } } } },
  {
    { 'branch3x3dbl_1', 448, 1 }, { 'branch3x3dbl_2', 384, 3 },
    { split = { { 'branch3x3dbl_3a', 384, { 1, 3 } }, { 'branch3x3dbl_3b', 384, { 3, 1 } } } },
  }, pooled(192),
}

function Auxiliary:__init(classes)
  self.conv0 = inception.InceptionConv(768, 128, 1)
  self.conv1 = inception.InceptionConv(128, 768, 5)
  self.fc = nn.Linear(768, classes)
end

function Auxiliary:forward(x)
  x = self.conv1(self.conv0(nn.functional.avgPool2d(x, 5, 3)))
  return self.fc(torch.flatten(nn.functional.adaptiveAvgPool2d(x, 1), 2))
end

local blocks = {
  { 'Mixed_5b', blockA(32) }, { 'Mixed_5c', blockA(64) }, { 'Mixed_5d', blockA(64) }, { 'Mixed_6a', blockB }, { 'Mixed_6b', blockC(128) },
  { 'Mixed_6c', blockC(160) }, { 'Mixed_6d', blockC(160) }, { 'Mixed_6e', blockC(192) }, { 'Mixed_7a', blockD }, { 'Mixed_7b', blockE },
  { 'Mixed_7c', blockE },
}

function Inception:__init(o)
  self.transformInput = o.transformInput
  self.Conv2d_1a_3x3 = inception.InceptionConv(3, 32, 3, 2)
  self.Conv2d_2a_3x3 = inception.InceptionConv(32, 32, 3)
  self.Conv2d_2b_3x3 = inception.InceptionConv(32, 64, 3, 1, 1)
  self.Conv2d_3b_1x1 = inception.InceptionConv(64, 80, 1)
  self.Conv2d_4a_3x3 = inception.InceptionConv(80, 192, 3)
  local channels = 192
  for _, block in ipairs(blocks) do
    self[block[1]] = inception.InceptionBlock(channels, block[2])
    channels = self[block[1]].outputs
  end
  if o.auxLogits then self.AuxLogits = Auxiliary.new(o.numClasses) end
  self.dropout = nn.Dropout(o.dropout)
  self.fc = nn.Linear(channels, o.numClasses)
end

function Inception:forward(x)
  if self.transformInput then x = inception.transformed(x) end
  x = nn.functional.maxPool2d(self.Conv2d_2b_3x3(self.Conv2d_2a_3x3(self.Conv2d_1a_3x3(x))), 3, 2)
  x = nn.functional.maxPool2d(self.Conv2d_4a_3x3(self.Conv2d_3b_1x1(x)), 3, 2)
  local auxiliary
  for _, block in ipairs(blocks) do
    x = self[block[1]](x)
    if block[1] == 'Mixed_6e' and self.AuxLogits and self.train ~= false then auxiliary = self.AuxLogits(x) end
  end
  x = self.fc(torch.flatten(self.dropout(nn.functional.adaptiveAvgPool2d(x, 1)), 2))
  if auxiliary then return x, auxiliary end
  return x
end

return require 'zoo.declare' {
  title = 'Inception 3',
  paper = 'Szegedy et al. (2016), "Rethinking the Inception Architecture for Computer Vision", CVPR',
  input = { 3, 299, 299 }, normalisation = images.normalisation, labels = images.labels,
  options = {
    { 'numClasses', 'int', min = 1, default = 1000 }, { 'auxLogits', 'boolean', default = true },
    { 'transformInput', 'boolean', default = false }, { 'dropout', 'number', min = 0, max = 1, default = 0.5 },
  },
  models = { inception_v3 = {} },
  make = function(o) return images.initialise(Inception.new(o)) end,
  ignores = { '^AuxLogits%.' },
  samples = {},
}
