-- Group F: training steps on one batch, on the tape and, with `@legacy`, by Torch7's protocol.
local torch, nn, optim = require 'torch', require 'nn', require 'optim'
local measure, networks, steps = require 'measure', require 'networks', require 'steps'

local function sgd() return { learningRate = 0.01, momentum = 0.9, dampening = 0 } end

local function onTape(net, loss, input, target, optimizer)
  return steps.onTape(net, loss, input, target, optimizer or optim.SGD(net:requiresGrad():parameters(), sgd()))
end

local function byProtocol(net, criterion, input, target)
  net:get(1).gradInput = nil   -- the gradient by the input is not needed
  return steps.byProtocol(net, criterion, input, target, optim.sgd, sgd())
end

local function withChannelsLast(net, criterion, input, target) return onTape(net, criterion, input:channelsLast(), target) end

local function classifier(id, network, ...)
  local sizes = { ... }
  for variant, step in pairs { [''] = onTape, ['@legacy'] = byProtocol, ['@channelsLast'] = #sizes == 4 and withChannelsLast or nil } do
    measure.workload(id .. variant, function()
      local net, input = network(), torch.randn(unpack(sizes))
      return step(net, nn.CrossEntropyCriterion(), input, torch.LongTensor(sizes[1]):random(1, 10))
    end)
  end
end

classifier('F.mlp', networks.mlp, 128, 784)
classifier('F.lenet', networks.lenet, 128, 1, 28, 28)
classifier('F.resnet18', function() return networks.resnet18(true, 10) end, 16, 3, 32, 32)

-- -log of the probability sigmoid(x) for label 1, 1 - sigmoid(x) for 0, without overflow.
local function binaryCrossEntropy(x, label) return torch.mean(torch.softplus(x) - torch.cmul(x, label)) end

measure.workload('F.logreg', function()
  local net, input, label = nn.Linear(20, 1), torch.randn(32, 20), torch.FloatTensor(32, 1):random(0, 1)
  return onTape(net, binaryCrossEntropy, input, label)
end)

local function adam(net) return optim.Adam(net:requiresGrad():parameters(), { learningRate = 1e-3 }) end

for id, network in pairs { ['F.lstm'] = networks.charFused, ['F.lstm_cells'] = networks.charCells } do
  measure.workload(id, function()
    local net, x, target = network(), torch.LongTensor(50, 50):random(1, 65), torch.LongTensor(2500):random(1, 65)
    return onTape(net, nn.CrossEntropyCriterion(), x, target, adam(net))
  end)
end

measure.workload('F.transformer', function()
  local net, x, target = networks.transformer(), torch.randn(8, 128, 256), torch.randn(8, 128, 256)
  return onTape(net, nn.MSECriterion(), x, target, adam(net))
end)

measure.workload('F.treelstm', function()
  return onTape(networks.treeLstm(), nn.CrossEntropyCriterion(), torch.randn(20, 32), torch.LongTensor(1):random(1, 5))
end)
