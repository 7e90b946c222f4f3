-- `masterWeights`: steps of parameters in 16 bits on copies in float32.
local torch, optim = require 'torch', require 'optim'

local start = { 1, -2, 0.5, 3, -1, 2, 0.25 }

local algorithms = {
  sgd = { learningRate = 1e-3, momentum = 0.9 }, asgd = { eta0 = 1e-3 }, adam = {}, adamw = {}, adamax = {}, adagrad = {}, adadelta = {},
  rmsprop = {}, nag = {}, rprop = {}, nadam = {}, radam = {}, lion = {}, lamb = {}, lars = {}, adafactor = {},
}

local function copy(t)
  local c = {}
  for k, v in pairs(t) do c[k] = v end
  return c
end

describe('With masterWeights', function()
  for name, options in pairs(algorithms) do
    -- The same by hand: the algorithm on a FloatTensor, whose gradient is evaluated at the 16-bit parameter.
    it('optim.' .. name .. ' makes its steps in float32', function()
      for _, kind in ipairs { 'torch.BFloat16Tensor', 'torch.HalfTensor' } do
        local config, byHand = copy(options), copy(options)
        config.masterWeights = true
        local x, expected = torch.FloatTensor(start):type(kind), torch.FloatTensor(start)
        for _ = 1, 30 do
          local same, losses = optim[name](function(at)
            assert.is_true(rawequal(x, at))
            return 2, torch.mul(at, 0.5)
          end, x, config)
          assert.is_true(rawequal(x, same))
          assert.same({ 2 }, losses)
          optim[name](function(at) return 2, torch.mul(at:type(kind), 0.5):float() end, expected, byHand)
        end
        assert.is_true(torch.equal(expected, config.masters))
        assert.is_true(torch.equal(expected:type(kind), x))
        assert.equal(kind, x:type())
      end
    end)
  end

  it('steps that 16 bits would round away add up', function()
    local function after(masters)
      local x, config = torch.BFloat16Tensor { 1 }, { learningRate = 1e-3, masterWeights = masters }
      for _ = 1, 100 do optim.sgd(function() return 0, torch.BFloat16Tensor { 1 } end, x, config) end
      return x[1]
    end
    assert.equal(1, after(false))                                  -- 1 - 0.001 rounds to 1
    assert.near(0.9, after(true), 2 ^ -9)
  end)

  it('lists and objects mix types', function()
    local short, long = torch.BFloat16Tensor { 1, 2 }:requiresGrad(), torch.FloatTensor { 3 }:requiresGrad()
    local steps = optim.Adam({ short, long }, { learningRate = 1e-3, masterWeights = true })
    for _ = 1, 20 do
      steps:zeroGrad()
      torch.add(torch.sum(torch.pow(short, 2)), torch.sum(torch.pow(long, 2))):backward()
      steps:step()
    end
    assert.is_true(short:isLeaf() and short:type() == 'torch.BFloat16Tensor')
    -- Adam's first steps are as long as its rate.
    assert.near(0.98, short:detach()[1], 2 ^ -8)
    assert.near(1.98, short:detach()[2], 2 ^ -7)
    assert.near(2.98, long:detach()[1], 1e-3)
    assert.equal('torch.FloatTensor', steps.state[1].m:type())
  end)

  it('a parameter that the program has changed begins anew', function()
    local x, config = torch.BFloat16Tensor { 1 }, { learningRate = 2 ^ -10, masterWeights = true }
    local function step() optim.sgd(function() return 0, torch.BFloat16Tensor { 1 } end, x, config) end
    step()
    assert.equal(1 - 2 ^ -10, config.masters[1])
    x:fill(4)
    step()
    assert.equal(4 - 2 ^ -10, config.masters[1])
  end)

  it('a state from a file goes on with all its bits', function()
    local function step(x, state)
      optim.sgd(function() return 0, torch.BFloat16Tensor { 1 } end, x, { learningRate = 2 ^ -10, masterWeights = true }, state)
    end
    local x, state = torch.BFloat16Tensor { 1 }, {}
    step(x, state)
    local y, again = unpack(torch.deserialize(torch.serialize { x, state }))
    step(y, again)
    assert.equal(1 - 2 ^ -9, again.masters[1])
  end)

  it('parameters of more bits are stepped as ever', function()
    local x, config = torch.DoubleTensor { 1 }, { learningRate = 0.5, masterWeights = true }
    optim.sgd(function(at) return 0, at:clone() end, x, config)
    assert.equal(0.5, x[1])
    assert.is_nil(config.masters)
  end)

  -- Two crossed classes: here rounding to 16 bits removes most of each step.
  it('a network in bfloat16 reaches the loss of one in float32', function()
    local nn = require 'nn'
    local x = torch.randn(256, 2):float()
    local y = torch.cmul(x[{ {}, 1 }], x[{ {}, 2 }]):gt(0):long() + 1
    local function lossAfterTraining(kind, masters)
      torch.manualSeed(2)
      local net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2)):type(kind):requiresGrad()
      local criterion = nn.CrossEntropyCriterion():float()
      local steps = optim.Adam(net:parameters(), { learningRate = 2e-3, masterWeights = masters })
      local input, loss = x:type(kind), nil
      for _ = 1, 300 do
        steps:zeroGrad()
        loss = criterion(torch.to(net(input), 'float32'), y)
        loss:backward()
        steps:step()
      end
      return loss:item()
    end
    local expected = lossAfterTraining 'torch.FloatTensor'
    assert.near(expected, lossAfterTraining('torch.BFloat16Tensor', true), 0.05 * expected)
    assert.is_true(lossAfterTraining('torch.BFloat16Tensor', false) > 1.1 * expected)
  end)

  it('an object follows its network into another type', function()
    local nn = require 'nn'
    local net = nn.Linear(2, 2):float():requiresGrad()
    local steps = optim.Adam(net:parameters(), { masterWeights = true })
    local function step(kind)
      steps:zeroGrad()
      torch.sum(net(torch.ones(1, 2):type(kind))):backward()
      steps:step()
    end
    step 'torch.FloatTensor'
    net:bfloat16()
    step 'torch.BFloat16Tensor'
    assert.equal('torch.FloatTensor', steps.state[1].m:type())
    assert.equal('torch.BFloat16Tensor', net.weight:type())
    net:float()
    step 'torch.FloatTensor'
  end)
end)
