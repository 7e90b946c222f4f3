--- Blocks of cross-stage partial networks, in which half of the channels skip a stage, with the names of Megvii's package yolox.
-- Source: Wang et al. (2020), "CSPNet: A New Backbone that can Enhance Learning Capability of CNN", CVPR Workshops, figure 3 (b).
-- @module zoo.partial_stages
local torch, nn = require 'torch', require 'nn'

local blocks = {}
local Conv = torch.class('zoo.SiluConv', 'nn.Module', blocks)
local Pair = torch.class('zoo.SiluConvPair', 'nn.Module', blocks)
local Focus = torch.class('zoo.Focus', 'nn.Module', blocks)
local Bottleneck = torch.class('zoo.PartialBottleneck', 'nn.Module', blocks)
local Split = torch.class('zoo.PartialStage', 'nn.Module', blocks)
local Pools = torch.class('zoo.PyramidPooling', 'nn.Module', blocks)

local poolSizes = { 5, 9, 13 }

function Conv:__init(inputs, outputs, size, stride, groups)
  self.conv = nn.Conv2d(inputs, outputs, size, { stride = stride or 1, padding = (size - 1) / 2, groups = groups or 1, bias = false })
  self.bn = nn.BatchNorm2d(outputs, 1e-3, 0.03)
end

function Conv:forward(x) return nn.functional.silu(self.bn(self.conv(x))) end

-- A convolution of each channel, then one of each place.
function Pair:__init(inputs, outputs, size, stride)
  self.dconv, self.pconv = Conv.new(inputs, inputs, size, stride, inputs), Conv.new(inputs, outputs, 1)
end

function Pair:forward(x) return self.pconv(self.dconv(x)) end

-- Makes channels of each square of 2 x 2 points, column by column.
function Focus:__init(outputs) self.conv = Conv.new(12, outputs, 3) end

function Focus:forward(x)
  local n, channels, height, width = x:size(1), x:size(2), x:size(3) / 2, x:size(4) / 2
  local squares = torch.view(torch.contiguous(x), n, channels, height, 2, width, 2)
  return self.conv(torch.reshape(torch.permute(squares, 1, 6, 4, 2, 3, 5), { n, 4 * channels, height, width }))
end

function Bottleneck:__init(channels, Outer, isAdded)
  self.conv1, self.conv2, self.isAdded = Conv.new(channels, channels, 1), Outer.new(channels, channels, 3), isAdded
end

function Bottleneck:forward(x)
  local y = self.conv2(self.conv1(x))
  return self.isAdded and torch.add(x, y) or y
end

-- Half of the channels go through bottlenecks.
function Split:__init(inputs, outputs, depth, Outer, isAdded)
  local half, chain = math.floor(outputs / 2), {}
  for i = 1, depth do chain[i] = Bottleneck.new(half, Outer, isAdded) end
  self.conv1, self.conv2, self.conv3 = Conv.new(inputs, half, 1), Conv.new(inputs, half, 1), Conv.new(2 * half, outputs, 1)
  self.m = nn.Sequential(unpack(chain))
end

function Split:forward(x) return self.conv3(torch.cat({ self.m(self.conv1(x)), self.conv2(x) }, 2)) end

function Pools:__init(channels)
  local half = channels / 2
  self.conv1, self.conv2 = Conv.new(channels, half, 1), Conv.new(half * (#poolSizes + 1), channels, 1)
end

function Pools:forward(x)
  local all = { self.conv1(x) }
  for i, size in ipairs(poolSizes) do all[i + 1] = nn.functional.maxPool2d(all[1], size, 1, (size - 1) / 2) end
  return self.conv2(torch.cat(all, 2))
end

return blocks
