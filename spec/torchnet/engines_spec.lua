-- torchnet's engines: the order of hooks, and training with the same results as explicit steps.
local torch, nn, optim, tnt = require 'torch', require 'nn', require 'optim', require 'torchnet'
local assertClose = require('spec.support.close').within(1e-14)

local function problem()
  torch.manualSeed(1)
  local net = nn.Sequential():add(nn.Linear(3, 2)):add(nn.LogSoftMax())
  local samples = {}
  for i = 1, 4 do samples[i] = { input = torch.randn(5, 3), target = torch.LongTensor(5):random(1, 2) } end
  return net, nn.ClassNLLCriterion(), tnt.TableDataset { data = samples }
end

local function byHand(epochs, step)
  local net, criterion, set = problem()
  for _ = 1, epochs do
    for _, sample in set:each() do
      net:zeroGradParameters()
      criterion:forward(net:forward(sample.input), sample.target)
      net:backward(sample.input, criterion:backward(net.output, sample.target))
      step(net)
    end
  end
  return (net:getParameters())
end

describe('tnt.SGDEngine', function()
  it('takes the steps of updateParameters', function()
    local net, criterion, set = problem()
    tnt.SGDEngine():train { network = net, criterion = criterion, iterator = set:iterator(), lr = 0.1, maxepoch = 3 }
    assertClose(byHand(3, function(other) other:updateParameters(0.1) end), (net:getParameters()))
  end)

  it('calls hooks in order, with the state', function()
    local net, criterion, set = problem()
    local engine, calls = tnt.SGDEngine(), {}
    local names = {
      'onStart', 'onStartEpoch', 'onSample', 'onForward', 'onForwardCriterion', 'onBackwardCriterion', 'onBackward', 'onUpdate',
      'onEndEpoch', 'onEnd',
    }
    for _, name in ipairs(names) do
      engine.hooks[name] = function(state) calls[#calls + 1] = ('%s %d %d'):format(name, state.epoch, state.t) end
    end
    engine:train { network = net, criterion = criterion, iterator = tnt.DatasetIterator(set:resample { size = 2 }), lr = 0, maxepoch = 1 }
    assert.same({
      'onStart 0 0', 'onStartEpoch 0 0', 'onSample 0 0', 'onForward 0 0', 'onForwardCriterion 0 0', 'onBackwardCriterion 0 0',
      'onBackward 0 0', 'onUpdate 0 1', 'onSample 0 1', 'onForward 0 1', 'onForwardCriterion 0 1', 'onBackwardCriterion 0 1',
      'onBackward 0 1', 'onUpdate 0 2', 'onEndEpoch 1 2', 'onEnd 1 2',
    }, calls)
    assert.error_matches(function() engine.hooks.onNothing = print end, 'unknown hook <onNothing>')
  end)

  it('goes by what hooks write into the state', function()
    local net, criterion, set = problem()
    local engine = tnt.SGDEngine()
    engine.hooks.onEndEpoch = function(state)
      if state.epoch == 2 then state.maxepoch = 0 end
    end
    local state = engine:train { network = net, criterion = criterion, iterator = set:iterator(), lr = 0.1 }
    assert.equal(2, state.epoch)
  end)

  it('tests without learning', function()
    local net, criterion, set = problem()
    local before, meter, engine = net:getParameters():clone(), tnt.AverageValueMeter(), tnt.SGDEngine()
    engine.hooks.onForwardCriterion = function(state) meter:add(state.criterion.output) end
    local state = engine:test { network = net, iterator = set:iterator(), criterion = criterion }
    assertClose(before, (net:getParameters()))
    assert.equal(4, state.t)
    assert.is_false(state.training)
    assert.is_false(net.train)
    local sum = 0
    for _, sample in set:each() do sum = sum + criterion:forward(net:forward(sample.input), sample.target) end
    assert.is_true(math.abs(meter:value() - sum / 4) < 1e-14)
  end)
end)

describe('tnt.OptimEngine', function()
  it('takes the steps of an algorithm of optim', function()
    local net, criterion, set = problem()
    local engine = tnt.OptimEngine()
    local seen
    engine.hooks.onStart = function(state) seen = state end
    engine:train { network = net, criterion = criterion, iterator = set:iterator(), optimMethod = optim.sgd,
      config = { learningRate = 0.1, momentum = 0.9 }, maxepoch = 2 }
    local other, parameters, gradients
    local config = { learningRate = 0.1, momentum = 0.9 }
    local expected = byHand(2, function(network)
      if network ~= other then
        other = network
        local kept = {}
        for i, g in ipairs(select(2, network:parameters())) do kept[i] = g:clone() end
        parameters, gradients = network:getParameters()
        for i, g in ipairs(select(2, network:parameters())) do g:copy(kept[i]) end
      end
      optim.sgd(function() return 0, gradients end, parameters, config)
    end)
    assertClose(expected, seen.params)
    assert.equal(8, seen.t)
  end)

  it('computes anew where an algorithm asks again', function()
    local net, criterion, set = problem()
    local engine, losses = tnt.OptimEngine(), {}
    engine.hooks.onUpdate = function(state) losses[#losses + 1] = state.criterion:forward(state.network:forward(state.sample.input),
      state.sample.target) end
    local first = criterion:forward(net:forward(set:get(1).input), set:get(1).target)
    engine:train { network = net, criterion = criterion, iterator = tnt.DatasetIterator(set:resample { size = 1 }),
      optimMethod = optim.lbfgs, config = { maxIter = 5, learningRate = 0.5 }, maxepoch = 1 }
    assert.is_true(losses[1] < first)
  end)
end)
