-- Group K: training steps of models of today, on the tape.
local nn, optim = require 'nn', require 'optim'
local measure, models = require 'measure', require 'models'
local F = nn.functional

-- One training step: the largest norm of the gradients is `clip`, if that is given.
local function training(net, x, target, optimizer, clip)
  return function()
    optimizer:zeroGrad()
    local loss = F.crossEntropy(net(x), target)
    loss:backward()
    if clip then nn.utils.clipGradNorm(optimizer.parameters, clip) end
    optimizer:step()
    return loss:item()
  end
end

-- make() returns a network, its input and its target; `optimize` returns an optimizer of the parameters. The losses of the first steps join
-- the figures: bench/compare compares them with the peer's.
local function model(name, make, optimize, clip)
  measure.workload('K.' .. name, function()
    local net, x, target = make()
    models.initialise(net)
    return training(net, x, target, optimize((net:requiresGrad():parameters())), clip)
  end, 5)
end

local function adamW(parameters) return optim.AdamW(parameters, { learningRate = 3e-4, weightDecay = 0.1 }) end

local function gpt(layers, size, heads, batch)
  return function()
    local x = models.integers(512, 1, batch, 128)
    return models.GPT(512, 128, layers, size, heads), x, models.integers(512, 2, batch * 128)
  end
end

model('gpt1m', gpt(4, 128, 4, 8), adamW, 1)
model('gpt10m', gpt(6, 384, 6, 4), adamW, 1)

model('resnet18', function() return models.resnet18(), models.input(32, 3, 32, 32), models.integers(10, 1, 32) end, function(parameters)
  return optim.SGD(parameters, { learningRate = 0.01, momentum = 0.9, dampening = 0, weightDecay = 5e-4 })
end)

model('lstm', function()
  return models.LanguageModel(10000, 256, 2), models.integers(10000, 1, 35, 20), models.integers(10000, 2, 700)
end, function(parameters) return optim.SGD(parameters, { learningRate = 1 }) end, 0.25)

model('mlp', function() return models.mlp(), models.input(64, 784), models.integers(10, 1, 64) end, function(parameters)
  return optim.AdamW(parameters, { learningRate = 1e-3 })
end)
