--[[
A classifier of 2016, trained on the GPU: points inside and outside of a circle.
]]
require 'torch'
require 'nn'
require 'optim'
require 'cutorch'
require 'cunn'

local cmd = torch.CmdLine()
cmd:option('-gpuid', 1, 'which GPU to use; 0 for the CPU')
cmd:option('-seed', 123, 'random seed')
local opt = cmd:parse(arg or {})

torch.manualSeed(opt.seed)
torch.setdefaulttensortype('torch.FloatTensor')
if opt.gpuid > 0 then
  print('using CUDA on GPU ' .. opt.gpuid .. ' of ' .. cutorch.getDeviceCount())
  assert(cutorch.getDevice() == 1)
end

local n = 64
local data = torch.rand(n, 2):mul(2):add(-1)
local labels = torch.LongTensor(n)
for i = 1, n do labels[i] = data[i]:norm() < 0.75 and 1 or 2 end

local net = nn.Sequential()
net:add(nn.Linear(2, 16))
net:add(nn.Tanh())
net:add(nn.Linear(16, 2))
net:add(nn.LogSoftMax())
local criterion = nn.ClassNLLCriterion()

if opt.gpuid > 0 then
  net:cuda()
  criterion:cuda()
  data = data:cuda()
  labels = labels:cuda()
end
assert(net:type() == 'torch.CudaTensor')

local params, gradParams = net:getParameters()
assert(torch.type(params) == 'torch.CudaTensor')
local first, last
for _ = 1, 12 do
  local feval = function(x)
    if x ~= params then params:copy(x) end
    gradParams:zero()
    local outputs = net:forward(data)
    local loss = criterion:forward(outputs, labels)
    net:backward(data, criterion:backward(outputs, labels))
    return loss, gradParams
  end
  local _, fs = optim.adam(feval, params, { learningRate = 0.05 }, opt)
  first, last = first or fs[1], fs[1]
end
assert(last < 0.8 * first, ('the loss went from %g to %g'):format(first, last))

-- saved as users did, for machines without a GPU
local file = os.tmpname()
torch.save(file, net:clearState():float())
local loaded = torch.load(file)
os.remove(file)
local _, predicted = loaded:forward(data:float()):max(2)
local right = predicted:eq(labels:long():view(-1, 1)):sum()
assert(right > n / 2, right)
print 'ok'
