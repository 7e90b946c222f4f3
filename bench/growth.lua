-- Memory over 10,000 training steps: `build/release/bin/th bench/growth.lua [STEPS]`. Each line: a training method, and the resident size
-- of the process, MiB, after a tenth of the steps and after all of them.
package.path = arg[0]:match '^(.*)/[^/]*$' .. '/?.lua;' .. package.path

local torch, nn, optim = require 'torch', require 'nn', require 'optim'
local steps = require 'steps'

local methods = {}

local function mlp() return nn.Sequential():add(nn.Linear(20, 32)):add(nn.ReLU()):add(nn.Linear(32, 5)), torch.randn(16, 20), 5 end

local function lstm()
  local net = nn.Sequential():add(nn.Embedding(20, 16)):add(nn.LSTM(16, 16)):add(nn.View(-1, 16)):add(nn.Linear(16, 20))
  return net, torch.LongTensor(10, 8):random(1, 20), 20
end

local function task(make)
  local net, x, classes = make()
  return net, nn.CrossEntropyCriterion(), x, torch.LongTensor(net:forward(x):size(1)):random(1, classes)
end

local function tape(make)
  local net, criterion, x, target = task(make)
  return steps.onTape(net, criterion, x, target, optim.Adam(net:requiresGrad():parameters(), { learningRate = 1e-3 }))
end

local function protocol(make)
  local net, criterion, x, target = task(make)
  return steps.byProtocol(net, criterion, x, target, optim.adam, { learningRate = 1e-3 })
end

-- One clone for each time step; all share their parameters.
local function clones()
  local cell = nn.Sequential():add(nn.JoinTable(2)):add(nn.Linear(32, 16)):add(nn.Tanh())
  local parameters, gradients = cell:getParameters()
  local cells, inputs = {}, {}
  for t = 1, 10 do cells[t], inputs[t] = cell:clone('weight', 'bias', 'gradWeight', 'gradBias'), torch.randn(4, 16) end
  return function()
    local states = { [0] = torch.zeros(4, 16) }
    for t = 1, 10 do states[t] = cells[t]:forward { inputs[t], states[t - 1] } end
    local g = torch.ones(4, 16)
    gradients:zero()
    for t = 10, 1, -1 do g = cells[t]:backward({ inputs[t], states[t - 1] }, g)[2] end
    parameters:add(-1e-3, gradients)
  end
end

function methods.mlp() return tape(mlp) end
methods['mlp@legacy'] = function() return protocol(mlp) end
function methods.lstm() return tape(lstm) end
methods['lstm@legacy'] = function() return protocol(lstm) end
methods['clones@legacy'] = clones

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
  local step, early = methods[name](), nil
  for i = 1, count do
    step()
    if i == math.ceil(count / 10) then early = resident() end
  end
  print(('%-14s %6.2f %6.2f'):format(name, early, resident()))
end
