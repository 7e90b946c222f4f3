--[[
A convolutional network on two GPUs, as residual networks were trained in 2016.
]]
require 'torch'
require 'nn'
require 'cunn'
require 'cudnn'

torch.setdefaulttensortype('torch.FloatTensor')
torch.manualSeed(7)
local nGPU = 2

local function Convolution(i, o)
  local m = cudnn.SpatialConvolution(i, o, 3, 3, 1, 1, 1, 1)
  m.weight:normal(0, math.sqrt(2 / (9 * o)))
  return m
end

local function block(n)
  local s = nn.Sequential():add(Convolution(n, n)):add(cudnn.ReLU(true)):add(Convolution(n, n))
  return nn.Sequential():add(nn.ConcatTable():add(s):add(nn.Identity())):add(nn.CAddTable(true)):add(cudnn.ReLU(true))
end

local model = nn.Sequential()
model:add(Convolution(3, 4)):add(cudnn.ReLU(true)):add(block(4))
model:add(cudnn.SpatialAveragePooling(4, 4, 4, 4)):add(nn.View(-1):setNumInputDims(3)):add(nn.Linear(4 * 2 * 2, 5))
model:cuda()
model:get(1).gradInput = nil

local gpus = torch.range(1, nGPU):totable()
local fastest, benchmark = cudnn.fastest, cudnn.benchmark
local dpt = nn.DataParallelTable(1, true, true):add(model, gpus):threads(function()
  local cudnn = require 'cudnn'
  cudnn.fastest, cudnn.benchmark = fastest, benchmark
end)
dpt.gradInput = nil
model = dpt:cuda()

local criterion = nn.CrossEntropyCriterion():cuda()
local params, gradParams = model:getParameters()
local input, target = torch.CudaTensor(), torch.CudaLongTensor and torch.CudaLongTensor() or torch.CudaTensor()
local images, classes = torch.rand(6, 3, 8, 8), torch.LongTensor { 1, 2, 3, 4, 5, 1 }

local first, last
for _ = 1, 5 do
  input:resize(images:size()):copy(images)
  target:resize(classes:size()):copy(classes)
  model:training()
  local output = model:forward(input):float()
  assert(output:size(1) == 6 and output:size(2) == 5)
  local loss = criterion:forward(model.output, target)
  model:zeroGradParameters()
  criterion:backward(model.output, target)
  model:backward(input, criterion.gradInput)
  params:add(-0.1, gradParams)
  cutorch.synchronize()
  first, last = first or loss, loss
end
assert(last < first, ('the loss went from %g to %g'):format(first, last))

local single = model:get(1):clone():clearState()
cudnn.convert(single, nn)
single:float():evaluate()
model:evaluate()
local difference = (single:forward(images) - model:forward(input):float()):abs():max()
assert(difference < 1e-4, difference)
print 'ok'
