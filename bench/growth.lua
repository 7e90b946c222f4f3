-- Memory over 10,000 training steps: `build/release/bin/th bench/growth.lua [STEPS]`. Each line: a way to train, and the resident size of
-- the process, MiB, after a tenth of the steps and after all of them.
local torch, nn, optim = require 'torch', require 'nn', require 'optim'

local ways = {}

local function mlp() return nn.Sequential():add(nn.Linear(20, 32)):add(nn.ReLU()):add(nn.Linear(32, 5)), torch.randn(16, 20), 5 end

local function lstm()
  local net = nn.Sequential():add(nn.Embedding(20, 16)):add(nn.LSTM(16, 16)):add(nn.View(-1, 16)):add(nn.Linear(16, 20))
  return net, torch.LongTensor(10, 8):random(1, 20), 20
end

-- A step on the tape.
local function tape(make)
  local net, x, classes = make()
  local criterion, target = nn.CrossEntropyCriterion(), torch.LongTensor(net:forward(x):size(1)):random(1, classes)
  local adam = optim.Adam(net:requiresGrad():parameters(), { learningRate = 1e-3 })
  return function()
    adam:zeroGrad()
    local loss = criterion(net(x), target)
    loss:backward()
    adam:step()
    return loss:item()
  end
end

-- A step by Torch7's protocol.
local function protocol(make)
  local net, x, classes = make()
  local criterion, target = nn.CrossEntropyCriterion(), torch.LongTensor(net:forward(x):size(1)):random(1, classes)
  local parameters, gradients = net:getParameters()
  local config = { learningRate = 1e-3 }
  local function evaluate()
    gradients:zero()
    local loss = criterion:forward(net:forward(x), target)
    net:backward(x, criterion:backward(net.output, target))
    return loss, gradients
  end
  return function() optim.adam(evaluate, parameters, config) end
end

-- Clones for the steps in time that share their parameters.
local function clones()
  local cell = nn.Sequential():add(nn.JoinTable(2)):add(nn.Linear(32, 16)):add(nn.Tanh())
  local parameters, gradients = cell:getParameters()
  local steps, inputs = {}, {}
  for t = 1, 10 do steps[t], inputs[t] = cell:clone('weight', 'bias', 'gradWeight', 'gradBias'), torch.randn(4, 16) end
  return function()
    local states = { [0] = torch.zeros(4, 16) }
    for t = 1, 10 do states[t] = steps[t]:forward { inputs[t], states[t - 1] } end
    local g = torch.ones(4, 16)
    gradients:zero()
    for t = 10, 1, -1 do g = steps[t]:backward({ inputs[t], states[t - 1] }, g)[2] end
    parameters:add(-1e-3, gradients)
  end
end

function ways.mlp() return tape(mlp) end
ways['mlp@legacy'] = function() return protocol(mlp) end
function ways.lstm() return tape(lstm) end
ways['lstm@legacy'] = function() return protocol(lstm) end
ways['clones@legacy'] = clones

local function resident()
  for line in io.lines '/proc/self/status' do
    local kibibytes = line:match '^VmRSS:%s*(%d+)'
    if kibibytes then return kibibytes / 1024 end
  end
end

torch.setnumthreads(1)
torch.setdefaulttensortype 'torch.FloatTensor'
local count = tonumber(arg[1]) or 10000
for _, name in ipairs { 'mlp', 'mlp@legacy', 'lstm', 'lstm@legacy', 'clones@legacy' } do
  torch.manualSeed(0)
  local step, early = ways[name](), nil
  for i = 1, count do
    step()
    if i == math.ceil(count / 10) then early = resident() end
  end
  print(('%-14s %6.2f %6.2f'):format(name, early, resident()))
end
