-- Runs if the program has no script: learns the parity of two bits, and saves the network to a file.
local torch, nn = require 'torch', require 'nn'
local optim = require 'optim'

torch.manualSeed(1)
local net = nn.Sequential():add(nn.Linear(2, 8)):add(nn.Tanh()):add(nn.Linear(8, 1)):add(nn.Sigmoid())
local criterion = nn.BCECriterion()
local inputs, targets = torch.Tensor { { 0, 0 }, { 0, 1 }, { 1, 0 }, { 1, 1 } }, torch.Tensor { { 0 }, { 1 }, { 1 }, { 0 } }
local weights, gradients = net:getParameters()
local function loss()
  gradients:zero()
  local output = net:forward(inputs)
  local value = criterion:forward(output, targets)
  net:backward(inputs, criterion:backward(output, targets))
  return value, gradients
end
for _ = 1, 200 do optim.adam(loss, weights, { learningRate = 0.05 }) end

local file = os.tmpname()
torch.save(file, net)
print(torch.load(file):forward(inputs):gt(0.5):view(-1))
os.remove(file)
