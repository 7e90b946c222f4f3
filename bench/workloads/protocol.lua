-- Group I: small tensors by Torch7's protocol, where calls cost more than arithmetic.
local torch, nn, optim = require 'torch', require 'nn', require 'optim'
local measure, steps, nets = require 'measure', require 'steps', require 'cloned_nets'

local function trained(id, make, input, criterion, target, method, config)
  measure.workload('I.' .. id, function()
    return steps.byProtocol(make(), criterion(), input(), target(), method, config())
  end)
end

local function momentum() return { learningRate = 1e-3, momentum = 0.9 } end

local function layers(squash, sizes, last)
  return function()
    local made = nn.Sequential():add(nn.Linear(sizes[1], sizes[2])):add(squash()):add(nn.Linear(sizes[2], sizes[3]))
    return last and made:add(last()) or made
  end
end

trained('regression', layers(nn.Tanh, { 8, 16, 4 }), function() return torch.randn(8) end, nn.MSECriterion,
  function() return torch.randn(4) end, optim.sgd, momentum)
trained('classifier', layers(nn.ReLU, { 100, 32, 10 }, nn.LogSoftMax), function() return torch.randn(100) end, nn.ClassNLLCriterion,
  function() return 3 end, optim.sgd, momentum)
trained('batch', layers(nn.Tanh, { 50, 50, 10 }, nn.LogSoftMax), function() return torch.randn(16, 50) end, nn.ClassNLLCriterion,
  function() return torch.FloatTensor(16):random(1, 10) end, optim.adam, function() return { learningRate = 1e-3 } end)

-- Forward and backward of one module.
local function layer(id, module, input)
  measure.workload('I.' .. id, function()
    local m, x = module(), input()
    local output = m:forward(x)
    local gradient = torch.isTensor(output) and output:clone():fill(1) or {}
    for i = 1, torch.isTensor(output) and 0 or #output do gradient[i] = output[i]:clone():fill(1) end
    return function()
      m:forward(x)
      m:backward(x, gradient)
    end
  end)
end

local function matrix() return torch.randn(16, 16) end
local function two() return { matrix(), matrix() } end

layer('linear1', function() return nn.Linear(64, 64) end, function() return torch.randn(64) end)
layer('linear', function() return nn.Linear(16, 16) end, matrix)
layer('sigmoid', nn.Sigmoid, matrix)
layer('tanh', nn.Tanh, matrix)
layer('relu', nn.ReLU, matrix)
layer('caddtable', nn.CAddTable, two)
layer('cmultable', nn.CMulTable, two)
layer('jointable', function() return nn.JoinTable(2) end, two)
layer('narrow', function() return nn.Narrow(2, 5, 8) end, matrix)
layer('splittable', function() return nn.SplitTable(1) end, matrix)
layer('lookuptable', function() return nn.LookupTable(1000, 32) end, function() return torch.FloatTensor(64):random(1, 1000) end)

-- Backpropagation through time over clones, as Torch7 programs trained translators and character models.
local function throughTime(id, make, size, batch, count)
  measure.workload('I.' .. id, function()
    local clones, parameters, gradients = nets.unrolled(make(size), count)
    local inputs, zero, one = torch.randn(count, batch, size), torch.zeros(batch, size), torch.ones(batch, size)
    local config = { learningRate = 1e-5, alpha = 0.95 }
    local function evaluate()
      gradients:zero()
      local given, h, c = {}, zero, zero
      for t = 1, count do
        given[t] = { inputs[t], h, c }
        local states = clones[t]:forward(given[t])
        h, c = states[1], states[2]
      end
      local loss, byH, byC = h:sum(), one, zero
      for t = count, 1, -1 do
        local g = clones[t]:backward(given[t], { byH, byC })
        byH, byC = g[2], g[3]
      end
      gradients:clamp(-5, 5)
      return loss, gradients
    end
    return function()
      local _, losses = optim.rmsprop(evaluate, parameters, config)
      return losses[1]
    end
  end)
end

throughTime('lstm', nets.lstmStep, 16, 4, 10)
throughTime('lstm_packed', nets.packedStep, 16, 4, 10)

-- Sequences of several lengths through decorators that a program defines.
measure.workload('I.decorated', function()
  local words, batch = 12, 4
  local net, criterion = nets.decorated(words, 8), nn.ClassNLLCriterion()
  local input, target = torch.FloatTensor(8, batch):random(1, words), torch.FloatTensor(batch):random(1, words)
  local turn = 0
  return function()
    turn = turn % 4 + 1
    local inputs, gradients, loss = {}, {}, 0
    for t = 1, 4 + turn do inputs[t] = input[t] end
    net:zeroGradParameters()
    local outputs = net:forward(inputs)
    for t = 1, #inputs do
      loss = loss + criterion:forward(outputs[t], target)
      gradients[t] = criterion:backward(outputs[t], target):clone()
    end
    net:backward(inputs, gradients)
    net:updateParameters(1e-3)
    return loss
  end
end)
