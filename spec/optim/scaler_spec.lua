-- optim.GradScaler: its rule against plain numbers, skipped steps, and errors.
local torch, optim = require 'torch', require 'optim'

local inf = math.huge

local function leaf(...) return torch.FloatTensor { ... }:requiresGrad() end

-- Sets a gradient, as a backward pass of a scaled loss would.
local function give(parameter, ...) parameter.grad = torch.FloatTensor { ... } end

describe('optim.GradScaler', function()
  it('begins with 65536, which doubles after 2000 steps and halves after one that is not finite', function()
    local scaler = optim.GradScaler()
    assert.equal(65536, scaler:getScale())
    assert.same({ scale = 65536, growthFactor = 2, backoffFactor = 0.5, growthInterval = 2000, growthTracker = 0 }, scaler:state())
  end)

  -- PyTorch's documentation of torch.amp.GradScaler.update and of its arguments, in plain numbers.
  it('follows the published rule', function()
    local c = { scale = 1024, growthFactor = 3, backoffFactor = 0.25, growthInterval = 3 }
    local scaler, x = optim.GradScaler(c), leaf(0)
    local steps = optim.SGD({ x }, { learningRate = 1 })
    local scale, good = c.scale, 0
    for i, isFinite in ipairs { true, true, false, true, true, true, true, false, false, true, true, true, true, true, true, true } do
      give(x, isFinite and i or (i % 2 == 0 and inf or 0 / 0))
      assert.equal(isFinite, scaler:step(steps))
      scaler:update()
      if isFinite then
        good = good + 1
        if good == c.growthInterval then scale, good = scale * c.growthFactor, 0 end
      else
        scale, good = scale * c.backoffFactor, 0
      end
      assert.equal(scale, scaler:getScale())
      assert.equal(good, scaler:state().growthTracker)
    end
  end)

  it('does not grow beyond float32', function()
    local scaler, x = optim.GradScaler { scale = 2 ^ 127, growthInterval = 1 }, leaf(0)
    give(x, 1)
    scaler:step(optim.SGD { x })
    scaler:update()
    assert.equal(2 ^ 127, scaler:getScale())
  end)

  it('scales what a backward pass begins with, and the step undoes it', function()
    local scaler, x = optim.GradScaler(), leaf(1, -2)
    local steps = optim.SGD({ x }, { learningRate = 0.25 })
    local loss = torch.sum(torch.pow(x, 2))
    local scaled = scaler:scale(loss)
    assert.equal(65536 * 5, scaled:item())
    scaled:backward()
    assert.same({ 2 * 65536, -4 * 65536 }, x.grad:totable())
    assert.is_true(scaler:step(steps))
    assert.same({ 0.5, -1 }, x:detach():totable())
    assert.same({ 2, -4 }, x.grad:totable())
    assert.equal(65536 * 3, scaler:scale(3))
    assert.same({ 65536, 2 * 65536 }, scaler:scale { 1, 2 })
    assert.equal('torch.FloatTensor', scaler:scale(torch.HalfTensor { 2 }):type())
    assert.equal(131072, scaler:scale(torch.HalfTensor { 2 })[1])
    assert.equal('torch.HalfTensor', scaler:scale(torch.HalfTensor { 1e-5, 1e-4 }):type())
  end)

  it('leaves a step out, the memory of the optimiser too, where one gradient of many is not finite', function()
    local scaler, list = optim.GradScaler(), {}
    for i = 1, 20 do list[i] = leaf(i, i) end
    local steps = optim.Adam(list, { learningRate = 0.1 })
    for _, bad in ipairs { inf, -inf, 0 / 0 } do
      for i = 1, 20 do give(list[i], 1, i == 17 and bad or 1) end
      assert.is_false(scaler:step(steps))
      for i = 1, 20 do assert.same({ i, i }, list[i]:detach():totable()) end
      assert.is_nil(steps.state.t)
      scaler:update()
    end
    assert.equal(65536 / 8, scaler:getScale())
  end)

  it('lets two optimisers have their own steps, and one update', function()
    local scaler, x, y = optim.GradScaler(), leaf(1), leaf(1)
    local first, second = optim.SGD({ x }, { learningRate = 1 }), optim.SGD({ y }, { learningRate = 1 })
    give(x, 65536)
    give(y, inf)
    assert.is_true(scaler:step(first))
    assert.is_false(scaler:step(second))
    scaler:update()
    assert.same({ 0 }, x:detach():totable())
    assert.same({ 1 }, y:detach():totable())
    assert.equal(32768, scaler:getScale())
  end)

  it('unscales before the step for who clips', function()
    local scaler, x = optim.GradScaler(), leaf(0, 0)
    local steps = optim.SGD({ x }, { learningRate = 1 })
    give(x, 3 * 65536, 4 * 65536)
    scaler:unscale(steps)
    assert.near(5, optim.clipGradNorm(steps.parameters, 1), 1e-6)
    assert.is_true(scaler:step(steps))
    assert.near(-0.6, x:detach()[1], 1e-5)
    assert.near(-0.8, x:detach()[2], 1e-5)
  end)

  it('counts a parameter that is there twice once', function()
    local scaler, x = optim.GradScaler { scale = 4 }, leaf(0)
    give(x, 4)
    scaler:unscale { x, x }
    assert.same({ 1 }, x.grad:totable())
  end)

  it('takes the functions of optim', function()
    local scaler, x, config = optim.GradScaler { scale = 8 }, torch.FloatTensor { 1, -2 }, { learningRate = 0.5 }
    local factor = 1
    local function opfunc(at) return 7, scaler:scale(torch.mul(at, factor)) end
    local same, losses, done = scaler:step(optim.sgd, opfunc, x, config)
    assert.is_true(rawequal(x, same))
    assert.same({ 7 }, losses)
    assert.is_true(done)
    assert.same({ 0.5, -1 }, x:totable())
    scaler:update()
    factor = inf
    same, losses, done = scaler:step(optim.sgd, opfunc, x, config)
    assert.is_true(rawequal(x, same))
    assert.same({ 7 }, losses)
    assert.is_false(done)
    assert.same({ 0.5, -1 }, x:totable())
    assert.equal(1, config.evalCounter)
    scaler:update()
    assert.equal(4, scaler:getScale())
  end)

  it('allows an opfunc to unscale, and clip', function()
    local scaler, x = optim.GradScaler { scale = 8 }, torch.FloatTensor { 1 }
    scaler:step(optim.sgd, function(at)
      local g = scaler:scale(at)
      scaler:unscale(g)
      assert.same({ 1 }, g:totable())
      return 0, g:mul(0.5)
    end, x, { learningRate = 1 })
    assert.same({ 0.5 }, x:totable())
  end)

  it('passes everything on where it is not enabled', function()
    local scaler, x = optim.GradScaler { enabled = false }, leaf(1)
    assert.equal(1, scaler:getScale())
    assert.equal(3, scaler:scale(3))
    give(x, inf)
    scaler:unscale { x }
    assert.is_true(scaler:step(optim.SGD({ x }, { learningRate = 1 })))
    assert.same({ -inf }, x:detach():totable())
    scaler:update()
    assert.is_true((select(3, scaler:step(optim.sgd, function(at) return 0, at end, torch.FloatTensor { 1 }))))
  end)

  it('continues from its state, and from a file', function()
    local scaler, x = optim.GradScaler { scale = 8, growthInterval = 2 }, leaf(0)
    give(x, 1)
    scaler:step(optim.SGD { x })
    scaler:update()
    local other = optim.GradScaler()
    other:setState(scaler:state())
    local copy = torch.deserialize(torch.serialize(scaler))
    for _, each in ipairs { scaler, other, copy } do
      give(x, 1)
      each:step(optim.SGD { x })
      each:update()
      assert.equal(16, each:getScale())
    end
  end)

  it('refuses invalid arguments', function()
    local x = leaf(1)
    local steps = optim.SGD { x }
    local function scaler() return optim.GradScaler() end
    local function refused(message, f)
      local good, got = pcall(f)
      assert.is_false(good)
      assert.equal('optim.GradScaler' .. message, got:match 'scaler_spec.lua:%d+: (.*)$' or got)
    end
    refused(': options: lossScale, expected one of scale, growthFactor, backoffFactor, growthInterval, enabled',
      function() return optim.GradScaler { lossScale = 1 } end)
    refused(": scale: 'big', expected a number from 1e-45 to 3.4028234663853e+38",
      function() return optim.GradScaler { scale = 'big' } end)
    refused(': growthInterval: 0.5, expected a whole number, 1 or more', function() return optim.GradScaler { growthInterval = 0.5 } end)
    refused('.scale: loss: a boolean, expected a number, a tensor of floats or a list of them', function() scaler():scale(true) end)
    refused('.unscale: optimiser: a number, expected an optimiser, or a list of parameters or gradients',
      function() scaler():unscale(3) end)
    refused('.step: optimiser: number, expected a function', function() scaler():step(3) end)
    refused('.step: optimiser: none of its parameters has a gradient', function() scaler():step(steps) end)
    refused('.update: no step was made since the last update', function() scaler():update() end)
    refused('.unscale: optimiser: its gradients were unscaled already since the last update', function()
      give(x, 1)
      local s = scaler()
      s:unscale(steps)
      s:unscale(steps)
    end)
    refused('.step: optimiser: its step was made already since the last update', function()
      give(x, 1)
      local s = scaler()
      s:step(steps)
      s:step(steps)
    end)
    refused('.unscale: gradient 1: a torch.HalfTensor, expected one of float32: what is too small there is lost with the scale; '
      .. 'parameters stay in float32 under torch.autocast', function() scaler():unscale { torch.HalfTensor { 1 } } end)
    refused('.step: optimiser: optim.lbfgs, expected an algorithm that takes one gradient, at x',
      function() scaler():step(optim.lbfgs, function(at) return 0, at end, torch.FloatTensor { 1 }) end)
    refused('.setState: options: lr, expected one of scale, growthFactor, backoffFactor, growthInterval, growthTracker',
      function() scaler():setState { lr = 1 } end)
  end)
end)

describe('torch.unscale', function()
  it('finds one element among many, of any float type', function()
    for _, kind in ipairs { 'torch.HalfTensor', 'torch.BFloat16Tensor', 'torch.FloatTensor', 'torch.DoubleTensor' } do
      for _, bad in ipairs { inf, -inf, 0 / 0, 1 } do
        for _, at in ipairs { 1, 50000, 100003 } do
          local x, found = torch.ones(100003):type(kind), torch.FloatTensor { 0 }
          x[at] = bad
          torch.unscale({ torch.ones(3):float(), x }, found, 0.5)
          assert.equal(bad == 1 and 0 or 1, found[1])
          assert.equal(0.5, x[2])
        end
      end
    end
  end)

  it('refuses invalid arguments', function()
    local x, found = torch.ones(3), torch.zeros(1)
    assert.error_matches(function() torch.unscale({ x }, torch.zeros(2), 1) end,
      'unscale: found: a torch.DoubleTensor of sizes %[2%], expected one of floats with one element')
    assert.error_matches(function() torch.unscale({ x, torch.LongTensor(2) }, found, 1) end,
      'unscale: gradients: tensor 2 is a torch.LongTensor')
    assert.error_matches(function() torch.unscale({ torch.ones(1):expand(3) }, found, 1) end, 'unscale: gradients: tensor 1 was expanded')
  end)
end)

it('optim.GradScaler takes a backoffFactor from 0 to 1, and a growthFactor of 1 or more', function()
  for name, values in pairs { backoffFactor = { -0.5, 1.5 }, growthFactor = { 0.5 } } do
    for _, value in ipairs(values) do
      assert.error_matches(function() optim.GradScaler { [name] = value } end, 'optim.GradScaler: ' .. name .. ': ' .. value, 1, true)
    end
  end
end)
