--- Networks to try `optnet` with: each function returns a network and an input for it.
-- @module optnet.models
local torch, nn = require 'torch', require 'nn'

local models = {}

local function convolution(from, to, size, step)
  return nn.SpatialConvolution(from, to, size, size, step or 1, step or 1, (size - 1) / 2, (size - 1) / 2)
end

local function images(opt, size)
  opt = opt or {}
  return torch.randn(opt.batchSize or 2, 3, opt.size or size, opt.size or size)
end

--- Two convolutions and a linear layer, for small pictures.
-- @tparam[opt] table opt batchSize = 2
-- @treturn nn.Sequential
-- @treturn torch.Tensor
function models.basic(opt)
  local net = nn.Sequential()
  net:add(convolution(3, 8, 3)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2))
  net:add(convolution(8, 16, 3)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2))
  net:add(nn.View(16 * 4 * 4)):add(nn.Linear(16 * 4 * 4, 10)):add(nn.LogSoftMax())
  return net, torch.randn(opt and opt.batchSize or 2, 3, 16, 16)
end

--- Parallel branches whose outputs are joined.
-- @tparam[opt] table opt batchSize = 2, size = 16
-- @treturn nn.Sequential
-- @treturn torch.Tensor
function models.concat(opt)
  local branches = nn.Concat(2)
  branches:add(nn.Sequential():add(convolution(8, 4, 1)):add(nn.ReLU()))
  branches:add(nn.Sequential():add(convolution(8, 4, 3)):add(nn.ReLU()):add(convolution(4, 4, 3)):add(nn.ReLU()))
  branches:add(nn.Sequential():add(nn.SpatialMaxPooling(3, 3, 1, 1, 1, 1)):add(convolution(8, 4, 1)))
  return nn.Sequential():add(convolution(3, 8, 3)):add(nn.ReLU()):add(branches):add(nn.ReLU()):add(convolution(12, 5, 3)), images(opt, 16)
end

--- Residual blocks: `opt.blocks` (3) of two convolutions with batch normalisation.
-- Source: He et al. (2016), "Deep Residual Learning for Image Recognition", CVPR.
-- @tparam[opt] table opt batchSize = 2, size = 16, blocks = 3
-- @treturn nn.Sequential
-- @treturn torch.Tensor
function models.resnet(opt)
  local net = nn.Sequential():add(convolution(3, 8, 3)):add(nn.SpatialBatchNormalization(8)):add(nn.ReLU())
  for _ = 1, opt and opt.blocks or 3 do
    local body = nn.Sequential():add(convolution(8, 8, 3)):add(nn.SpatialBatchNormalization(8)):add(nn.ReLU())
    body:add(convolution(8, 8, 3)):add(nn.SpatialBatchNormalization(8))
    net:add(nn.ConcatTable():add(body):add(nn.Identity())):add(nn.CAddTable()):add(nn.ReLU())
  end
  return net:add(nn.SpatialAdaptiveAveragePooling(1, 1)):add(nn.View(8)):add(nn.Linear(8, 10)), images(opt, 16)
end

--- AlexNet in one tower, for pictures of 224 x 224.
-- Source: Krizhevsky (2014), "One weird trick for parallelizing convolutional neural networks", arXiv:1404.5997.
-- @tparam[opt] table opt batchSize = 2
-- @treturn nn.Sequential
-- @treturn torch.Tensor
function models.alexnet(opt)
  local net = nn.Sequential()
  net:add(nn.SpatialConvolution(3, 64, 11, 11, 4, 4, 2, 2)):add(nn.ReLU()):add(nn.SpatialMaxPooling(3, 3, 2, 2))
  net:add(convolution(64, 192, 5)):add(nn.ReLU()):add(nn.SpatialMaxPooling(3, 3, 2, 2))
  net:add(convolution(192, 384, 3)):add(nn.ReLU()):add(convolution(384, 256, 3)):add(nn.ReLU())
  net:add(convolution(256, 256, 3)):add(nn.ReLU()):add(nn.SpatialMaxPooling(3, 3, 2, 2))
  net:add(nn.View(256 * 6 * 6)):add(nn.Dropout()):add(nn.Linear(256 * 6 * 6, 4096)):add(nn.ReLU())
  net:add(nn.Dropout()):add(nn.Linear(4096, 4096)):add(nn.ReLU()):add(nn.Linear(4096, 1000)):add(nn.LogSoftMax())
  return net, images({ batchSize = opt and opt.batchSize }, 224)
end

--- VGG's configuration A (11 layers), for pictures of 224 x 224.
-- Source: Simonyan & Zisserman (2015), "Very Deep Convolutional Networks for Large-Scale Image Recognition", ICLR.
-- @tparam[opt] table opt batchSize = 2
-- @treturn nn.Sequential
-- @treturn torch.Tensor
function models.vgg(opt)
  local net, from = nn.Sequential(), 3
  for _, to in ipairs { 64, 'pool', 128, 'pool', 256, 256, 'pool', 512, 512, 'pool', 512, 512, 'pool' } do
    if to == 'pool' then
      net:add(nn.SpatialMaxPooling(2, 2))
    else
      net:add(convolution(from, to, 3)):add(nn.ReLU())
      from = to
    end
  end
  net:add(nn.View(512 * 7 * 7)):add(nn.Linear(512 * 7 * 7, 4096)):add(nn.ReLU()):add(nn.Dropout())
  net:add(nn.Linear(4096, 4096)):add(nn.ReLU()):add(nn.Dropout()):add(nn.Linear(4096, 1000)):add(nn.LogSoftMax())
  return net, images({ batchSize = opt and opt.batchSize }, 224)
end

return models
