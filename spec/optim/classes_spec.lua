-- The classes of the tape's interface: fifty steps against PyTorch's figures, groups, options, state and types.
local torch, optim = require 'torch', require 'optim'
local figures = require 'spec.optim.class_figures'
local close = require 'spec.support.close'
local assertClose, relative = close.assertClose, close.relative

-- The parameters of class_figures.py.
local function start(count)
  local matrix, vector = torch.DoubleTensor(3, 4), torch.DoubleTensor(5)
  for i = 0, 2 do
    for j = 0, 3 do matrix[i + 1][j + 1] = math.sin(7 * i + 3 * j + 1) end
  end
  for i = 0, 4 do vector[i + 1] = math.cos(5 * i + 1) end
  local list = { matrix:requiresGrad(), vector:requiresGrad() }
  return count == 1 and { list[1] } or list
end

local function flattened(parameters)
  local all = {}
  for _, p in ipairs(parameters) do
    for _, v in ipairs(p:detach():double():view(-1):totable()) do all[#all + 1] = v end
  end
  return all
end

-- Sets the gradients of class_figures.py; returns the value.
local function evaluate(parameters, t, noise)
  local flat, sum, value = flattened(parameters), 0, 0
  for i, p in ipairs(flat) do sum, value = sum + p, value + i * (p * p / 2 + 0.1 * math.cos(3 * p)) end
  local at = 0
  for _, p in ipairs(parameters) do
    local g = {}
    for k = 1, p:nElement() do
      local i = at + k
      g[k] = i * (flat[i] - 0.3 * math.sin(3 * flat[i])) + 0.02 * sum + noise * 0.5 * math.cos(t * i)
    end
    at = at + #g
    p.grad = torch.DoubleTensor(g):viewAs(p):type(p:type())
  end
  return value + sum ^ 2 / 100
end

local function copy(t)
  local c = {}
  for k, v in pairs(t) do c[k] = v end
  return c
end

describe('steps, usually fifty, are those of PyTorch, or of the paper, with', function()
  for i, case in ipairs(figures) do
    local name, options, expected, count = unpack(case)
    it(('optim.%s, case %d'):format(name, i), function()
      local noise = name == 'LBFGS' and 0 or 1
      local parameters = start(name == 'Muon' and 1 or 2)
      local optimizer = optim[name](parameters, copy(options))
      for t = 1, count do optimizer:step(function() return evaluate(parameters, t, noise) end) end
      assertClose(expected, flattened(parameters), relative(1e-12))
    end)
  end
end)

local sameFunction = {}
for name in ('NAdam RAdam Lion LAMB LARS Adafactor Muon RMSprop Shampoo'):gmatch '%S+' do sameFunction[name] = true end

describe('the function of Torch7\'s protocol has the steps of the class on a list:', function()
  for i, case in ipairs(figures) do
    local name, options, expected, count = unpack(case)
    if sameFunction[name] and not options.maximize then
      it(('optim.%s, case %d'):format(name:lower(), i), function()
        local parameters, state = start(name == 'Muon' and 1 or 2), {}
        for k, p in ipairs(parameters) do parameters[k] = p:detach() end
        for t = 1, count do
          optim[name:lower()](function(list)
            local tracked = {}
            for k, p in ipairs(list) do tracked[k] = p:clone():requiresGrad() end
            local value, gradients = evaluate(tracked, t, 1), {}
            for k, p in ipairs(tracked) do gradients[k] = p.grad end
            return value, gradients
          end, parameters, copy(options), state)
        end
        assertClose(expected, flattened(parameters), relative(1e-12))
      end)
    end
  end
end)

local everyClass = {}
for _, case in ipairs(figures) do everyClass[case[1]] = true end
everyClass.CG = true

-- One parameter of two dimensions, as Muon wants.
local function matrix() return torch.DoubleTensor { { 1, -2 }, { 3, 0.5 } }:requiresGrad() end

-- Returns a closure for one parameter: f = sum of i x_i^2 / 2.
local function bowl(x)
  return function()
    local at = x:detach()
    local g = torch.cmul(at, torch.range(1, x:nElement()):view(2, 2))
    x.grad = g
    return g:dot(at) / 2
  end
end

describe('every class', function()
  for name in pairs(everyClass) do
    it('descends, and continues bit for bit from its saved state: ' .. name, function()
      local x = matrix()
      local optimizer = optim[name]({ x }, {})
      local first = optimizer:step(bowl(x))
      for _ = 1, 4 do optimizer:step(bowl(x)) end
      assert.is_true(bowl(x)() < first)
      local state = torch.deserialize(torch.serialize(optimizer:stateDict()))
      local y = x:detach():clone():requiresGrad()
      local again = optim[name]({ y }, {})
      again:loadStateDict(state)
      for _ = 1, 3 do
        optimizer:step(bowl(x))
        again:step(bowl(y))
      end
      assert.is_true(torch.equal(x:detach(), y:detach()))
      local same = torch.deserialize(torch.serialize(optimizer))
      same:step(bowl(same.parameters[1]:requiresGrad()))      -- files do not say that
      optimizer:step(bowl(x))
      assert.is_true(torch.equal(x:detach(), same.parameters[1]:detach()))
    end)

    it('leaves parameters without a gradient as they are, and takes maximize: ' .. name, function()
      local x, other = matrix(), matrix()
      local optimizer = optim[name]({ x, other }, { maximize = true })
      local before = other:detach():clone()
      local f = bowl(x)
      local first = f()
      local slope = x.grad:clone()
      optimizer:step(f)
      assert.is_true(torch.equal(before, other:detach()))
      if not ('CG LBFGS'):find(name, 1, true) then
        assert.is_true(f() > first)
        local expected = torch.cmul(matrix():detach(), torch.range(1, 4):view(2, 2))
        assert.is_true(torch.equal(slope, expected))                 -- the step has not changed the gradient
      end
    end)

    it('refuses options that it does not have, or that are out of range: ' .. name, function()
      local function refused(config, message)
        local good, text = pcall(function() return optim[name]({ matrix() }, config) and nil end)
        assert.is_false(good)
        assert.is_truthy(text:find(message, 1, true), text)
      end
      refused({ momentumm = 1 }, ('optim.%s: config: momentumm, expected one of '):format(name))
      refused({ maximize = 3 }, ('optim.%s: config: maximize: number, expected true or false'):format(name))
      if name ~= 'CG' then
        refused({ lr = 1 }, ('optim.%s: config: lr, expected learningRate'):format(name))
        refused({ learningRate = -1 }, ('optim.%s: config: learningRate: -1, expected a number, 0 or more'):format(name))
        refused({ learningRate = 0 / 0 }, 'learningRate: ' .. tostring(0 / 0) .. ', expected a number')
        refused({ learningRate = '1' }, 'learningRate: string, expected a number')
      end
    end)
  end

  for _, name in ipairs { 'LBFGS', 'CG' } do
    it('climbs with maximize: ' .. name, function()
      local x = torch.DoubleTensor { 1, -1 }:requiresGrad()
      local steps = optim[name]({ x }, { maximize = true })
      local first
      for _ = 1, 5 do
        first = first or steps:step(function()
          steps:zeroGrad()
          local height = torch.sum(torch.pow(torch.add(x, -3), 2)) * -1
          height:backward()
          return height
        end):item()
      end
      assert.equal(-20, first)
      assertClose({ 3, 3 }, x:detach():totable(), 1e-5)
    end)
  end

  it('does not change a gradient by the weight decay', function()
    for _, name in ipairs { 'SGD', 'Adam', 'AdamW', 'RMSprop', 'Adagrad', 'NAdam', 'ASGD', 'LARS', 'Lion' } do
      local x = torch.DoubleTensor { 1, -1 }:requiresGrad()
      x.grad = torch.DoubleTensor { 2, 3 }
      optim[name]({ x }, { weightDecay = 0.5 }):step()
      assert.same({ 2, 3 }, x.grad:totable(), name)
    end
  end)

  it('divides a single element by the root of the sum of its squares: Shampoo', function()
    local x = torch.zeros(1, 1):double():requiresGrad()
    local steps = optim.Shampoo({ x }, { learningRate = 1, epsilon = 0.25 })
    x.grad = torch.DoubleTensor { { 3 } }
    steps:step()
    assertClose({ -3 / math.sqrt(9.25) }, x:detach():view(-1):totable(), relative(1e-14))
    steps:step()
    assertClose({ -3 / math.sqrt(9.25) - 3 / math.sqrt(18.25) }, x:detach():view(-1):totable(), relative(1e-14))
    local empty = torch.zeros(0, 3):requiresGrad()
    empty.grad = torch.zeros(0, 3)
    optim.Shampoo({ empty }):step()
  end)

  it('leaves zeros by the least relative step: Adafactor', function()
    local x = torch.zeros(3):double():requiresGrad()
    x.grad = torch.DoubleTensor { 4, 4, 4 }
    optim.Adafactor({ x }, { learningRate = 0.5, epsilon2 = 0.25 }):step()
    assertClose({ -0.125, -0.125, -0.125 }, x:detach():totable(), relative(1e-14))
  end)

  it('checks options that a program has changed before a step, which then changes nothing', function()
    for name in pairs(everyClass) do
      for message, change in pairs {
        ['config: learningRate: string, expected a number'] = function(steps) steps.config.learningRate = 'a' end,
        ['config: lr, expected learningRate'] = function(steps) steps.config.lr = 1 end,
        ['config: maximize: number, expected true or false'] = function(steps) steps.config.maximize = 1 end,
        ['group 1: learningRate: -1, expected a number, 0 or more'] = function(steps) steps.groups[1].learningRate = -1 end,
        ['group 2: rate, expected one of '] = function(steps) steps.groups[2].rate = 1 end,
      } do
        local x, y = matrix(), matrix()
        local steps = optim[name] { { parameters = { x } }, { parameters = { y } } }
        change(steps)
        x.grad, y.grad = torch.ones(2, 2), torch.ones(2, 2)
        local good, text = pcall(steps.step, steps, function() return 1 end)
        assert.is_false(good)
        if name ~= 'CG' or not message:find 'learningRate' then
          assert.is_truthy(text:find(('optim.%s: %s'):format(name, message), 1, true), text)
        end
        assert.is_true(torch.equal(matrix():detach(), x:detach()))
        assert.is_true(torch.equal(matrix():detach(), y:detach()))
        assert.is_nil(next(steps.state))
      end
    end
    local x = matrix()
    local steps = optim.Adam({ x }, {})
    for name, value in pairs { beta1 = 1, beta2 = 0 / 0, epsilon = -1 } do
      steps.config[name] = value
      assert.error_matches(function() steps:step() end, 'optim.Adam: config: ' .. name)
      steps.config[name] = nil
    end
    local muon = optim.Muon({ x }, {})
    muon.config.coefficients = { 1 }
    assert.error_matches(function() muon:step() end, 'optim.Muon: config: coefficients: expected a list of three numbers')
    muon.config.coefficients = { 2, -1.5, 0.5 }
    muon:step()
  end)

  it('knows options of PyTorch\'s', function()
    for _, case in ipairs {
      { 'Adam', { betas = { 0.9, 0.99 } }, 'betas, expected beta1 and beta2' },
      { 'Adam', { eps = 1 }, 'eps, expected epsilon' },
      { 'AdamW', { weight_decay = 1 }, 'weight_decay, expected weightDecay' },
      { 'Rprop', { etas = {} }, 'etas, expected etaminus and etaplus' },
      { 'NAdam', { momentum_decay = 1 }, 'momentum_decay, expected momentumDecay' },
      { 'Adam', { beta1 = 1 }, 'beta1: 1, expected a number from 0 to below 1' },
      { 'LBFGS', { lineSearch = 'wolfe' }, "lineSearch: wolfe, expected 'strongWolfe' or false" },
      { 'Adam', { foreach = true }, 'foreach, expected no such option: a step is one pass over all parameters' },
      { 'SGD', { fused = true }, 'fused, expected no such option' },
      { 'Shampoo', { interval = 1.5 }, 'interval: 1.5' }, { 'Shampoo', { interval = 0 }, 'interval: 0' },
      { 'Shampoo', { maxSize = 2.5 }, 'maxSize: 2.5' }, { 'Shampoo', { epsilon = 0 }, 'epsilon: 0, expected a number above 0' },
      { 'Muon', { adjust = 'x' }, "adjust: x, expected 'original'" },
      { 'Muon', { coefficients = { 1, 2 } }, 'expected a list of three numbers' },
      { 'SGD', { nesterov = true }, 'Nesterov momentum requires a momentum and zero dampening' },
      { 'SGD', { nesterov = true, momentum = 0.9, dampening = 0.1 }, 'Nesterov momentum requires a momentum and zero dampening' },
      { 'Adafactor', { clipThreshold = 0.5 }, 'clipThreshold: 0.5, expected a number, 1 or more' },
      { 'Adafactor', { epsilon1 = -1 }, 'epsilon1: -1, expected a number, 0 or more, or false' },
    } do
      local good, text = pcall(function() return optim[case[1]]({ matrix() }, case[2]) and nil end)
      assert.is_false(good)
      assert.is_truthy(text:find(case[3], 1, true), text)
    end
    assert.error_matches(function() optim.Muon { torch.ones(3) } end, 'optim.Muon: parameters: a tensor of 1 dimensions, expected matrices')
    assert.error_matches(function() optim.Adam { torch.LongTensor { 1 } } end,
      'parameters: number 1: a torch.LongTensor, expected a tensor of floats')
    assert.error_matches(function() optim.Optimizer({ matrix() }) end, 'optim.Optimizer: a base class without a rule')
  end)
end)

describe('groups of parameters', function()
  local function step(optimizer, ...)
    for _, x in ipairs { ... } do x.grad = torch.ones(x:size()) end
    optimizer:step()
  end

  it('have options of their own, and those of the config else', function()
    local x, y, z = torch.zeros(2):requiresGrad(), torch.zeros(1):requiresGrad(), torch.zeros(1):requiresGrad()
    local optimizer = optim.SGD({ { parameters = { x }, learningRate = 0.5 }, { parameters = { y } } }, { learningRate = 0.25 })
    step(optimizer, x, y)
    assert.same({ { -0.5, -0.5 }, { -0.25 } }, { x:detach():totable(), y:detach():totable() })
    optimizer.config.learningRate = 1
    optimizer.groups[1].learningRate = 2
    step(optimizer, x, y)
    assert.same({ { -2.5, -2.5 }, { -1.25 } }, { x:detach():totable(), y:detach():totable() })
    optimizer:addGroup { parameters = { z }, momentum = 0.5 }
    assert.equal(3, #optimizer.parameters)
    step(optimizer, z)
    step(optimizer, z)
    assert.same({ -1 - 1.5 }, z:detach():totable())
    assert.equal(0.5, optimizer:option('momentum', 3))
    assert.equal(0, optimizer:option 'momentum')
    optimizer:setOption('learningRate', 0)
    local before = x:detach():clone()
    step(optimizer, x)
    assert.is_true(torch.equal(before, x:detach()))
    optimizer:zeroGrad()
    assert.is_nil(x.grad)
    assert.is_nil(z.grad)
  end)

  it('has its options in the config if there is one', function()
    local x = torch.zeros(1):requiresGrad()
    local config = {}
    local optimizer = optim.SGD({ x }, config)
    optimizer:setOption('learningRate', 0.5)
    assert.same({ learningRate = 0.5 }, config)
    config.learningRate = 0.25
    assert.equal(0.25, optimizer:option 'learningRate')
  end)

  it('say what is wrong with them, and change nothing', function()
    local x, y = torch.zeros(2):requiresGrad(), torch.zeros(1):requiresGrad()
    local optimizer = optim.Adam { { parameters = { x } } }
    for message, group in pairs {
      ['addGroup: group: a number, expected a table with parameters'] = 3,
      ['addGroup: group: parameters: nil, expected a list of tensors'] = {},
      ['addGroup: group: params, expected parameters'] = { params = { y } },
      ['addGroup: group: parameters: number 2 is in another group'] = { parameters = { y, x } },
      ['addGroup: group: beta3, expected one of amsgrad, beta1'] = { parameters = { y }, beta3 = 1 },
    } do
      local good, text = pcall(optimizer.addGroup, optimizer, group)
      assert.is_false(good)
      assert.is_truthy(text:find('optim.Adam.' .. message, 1, true), text)
      assert.equal(1, #optimizer.groups)
      assert.equal(1, #optimizer.parameters)
    end
    assert.error_matches(function() optim.Adam { { parameters = { x } }, { parameters = { x } } } end,
      'group 2: parameters: number 1 is in another group')
    assert.error_matches(function() optim.Adam { { parameters = { x }, lr = 1 } } end,
      'optim.Adam: group 1: lr, expected learningRate')
    assert.error_matches(function() optimizer:option('learningRate', 2) end,
      'optim.Adam.option: group: 2, expected a whole number from 1 to 1')
    assert.error_matches(function() optimizer:option 'rate' end, 'optim.Adam.option: rate, expected one of')
    assert.error_matches(function() optimizer:setOption('beta1', 2) end, 'optim.Adam.setOption: beta1: 2')
    local search = optim.LBFGS { { parameters = { x } }, { parameters = { y } } }
    assert.error_matches(function() search:step(function() return 1 end) end,
      'optim.LBFGS.step: groups: 2, expected one')
    assert.error_matches(function() optim.LBFGS({ x }):step() end, 'optim.LBFGS.step: closure: nil')
    assert.error_matches(function() optim.CG({ x }):step(function() return 'a' end) end,
      'optim.CG.step: closure: returned string, expected the loss')
  end)

  it('count the steps of each parameter apart', function()
    local x, y = torch.DoubleTensor { 1 }:requiresGrad(), torch.DoubleTensor { 1 }:requiresGrad()
    local both = optim.Adam({ x, y }, { learningRate = 0.1 })
    x.grad = torch.DoubleTensor { 1 }
    both:step()
    y.grad = torch.DoubleTensor { 1 }
    for _ = 1, 2 do both:step() end
    local z = torch.DoubleTensor { 1 }:requiresGrad()
    local alone = optim.Adam({ z }, { learningRate = 0.1 })
    z.grad = torch.DoubleTensor { 1 }
    for _ = 1, 2 do alone:step() end
    assert.equal(z:item(), y:item())
    z.grad = torch.DoubleTensor { 1 }
    alone:step()
    assert.equal(z:item(), x:item())
    assert.same({ 3, 2 }, { both.state[1].t, both.state[2].t })
  end)
end)

describe('the state of an optimiser', function()
  local function trained(config)
    local x, y = torch.DoubleTensor { 1, 2 }:requiresGrad(), torch.DoubleTensor { 3 }:requiresGrad()
    local optimizer = optim.Adam({ { parameters = { x } }, { parameters = { y }, learningRate = 0.5 } }, config)
    x.grad, y.grad = torch.DoubleTensor { 1, -1 }, torch.DoubleTensor { 2 }
    optimizer:step()
    return optimizer, x, y
  end

  it('is loaded only by an optimiser with the same class and parameters; else nothing changes', function()
    local state = trained { learningRate = 0.3 }:stateDict()
    assert.equal(0.3, state.groups[1].learningRate)
    assert.same({ 2 }, state.groups[2].parameters)
    local target = trained { learningRate = 0.1 }
    local before = torch.serialize(target)
    local function changed(f)
      local bad = torch.deserialize(torch.serialize(state))
      f(bad)
      return bad
    end
    for message, bad in pairs {
      ['state: 3, expected a table'] = 3,
      ['state: of nil, expected one of optim.Adam'] = {},
      ['state: of optim.SGD, expected one of optim.Adam'] = changed(function(s) s.class = 'optim.SGD' end),
      ['state: 1 groups, expected 2 as in the optimiser'] = changed(function(s) s.groups[2] = nil end),
      ['state: group 1: 2 parameters, expected 1 as in the optimiser'] = changed(function(s) s.groups[1].parameters = { 1, 2 } end),
      ['state: group 2: beta2: 7, expected'] = changed(function(s) s.groups[2].beta2 = 7 end),
      ['state: parameter 1: m has 3 elements, expected 2'] = changed(function(s) s.state[1].m = torch.ones(3) end),
      ['state: parameter 3, expected one from 1 to 2'] = changed(function(s) s.state[3] = { t = 1 } end),
      ['state: parameter 2: a table, expected a table with the number t'] = changed(function(s) s.state[2] = {} end),
      ['state: state: nil, expected a table'] = changed(function(s) s.state = nil end),
      ['state: groups: nil, expected a table'] = changed(function(s) s.groups = nil end),
    } do
      local good, text = pcall(target.loadStateDict, target, bad)
      assert.is_false(good)
      assert.is_truthy(text:find('optim.Adam.loadStateDict: ' .. message, 1, true), text)
      assert.equal(before, torch.serialize(target))
    end
    target:loadStateDict(state)
    assert.equal(0.3, target:option('learningRate', 1))
    assert.equal(0.5, target:option('learningRate', 2))
  end)

  it('is copied, in the type of the parameters', function()
    local source = trained {}
    local x, y = torch.FloatTensor { 1, 2 }:requiresGrad(), torch.FloatTensor { 3 }:requiresGrad()
    local target = optim.Adam { { parameters = { x } }, { parameters = { y } } }
    target:loadStateDict(source:stateDict())
    assert.equal('torch.FloatTensor', target.state[1].m:type())
    local before = target.state[1].m:clone()
    source:step()
    assert.is_true(torch.equal(before, target.state[1].m))
  end)

  it('has a float32 state of 16-bit parameters with masterWeights', function()
    local x = torch.BFloat16Tensor { 1 }:requiresGrad()
    local optimizer = optim.SGD({ x }, { learningRate = 2 ^ -10, masterWeights = true, momentum = 0.5 })
    local function step()
      x.grad = torch.BFloat16Tensor { 1 }
      optimizer:step()
    end
    step()
    assert.equal(1 - 2 ^ -10, optimizer.state[1].master[1])
    local again = optim.SGD({ x }, { masterWeights = true })
    again:loadStateDict(torch.deserialize(torch.serialize(optimizer:stateDict())))
    optimizer = again
    step()
    assert.equal(1 - 2.5 * 2 ^ -10, optimizer.state[1].master[1])
    assert.equal('torch.FloatTensor', optimizer.state[1].dfdx:type())
  end)
end)

describe('small parameters make their steps together, with the bits of steps alone:', function()
  local elementwise = { 'NAdam', 'RAdam', 'Lion', 'Adamax', 'Adagrad', 'Adadelta', 'RMSprop' }

  local function sized()
    local list = {}
    for i, sizes in ipairs { { 2, 3 }, { 4 }, { 5000 }, { 0 }, { 1 }, { 3, 1, 2 } } do
      list[i] = torch.DoubleTensor(unpack(sizes))
      for k = 1, list[i]:nElement() do list[i]:view(-1)[k] = math.sin(k + 10 * i) end
      list[i]:requiresGrad()
    end
    return list
  end

  local function slopes(list, t)
    for i, x in ipairs(list) do x.grad = torch.cos(x:detach() * (t + i)):type(x:type()) end
  end

  -- One optimiser of all, and one of each.
  local function both(name, options)
    local together, alone, each = sized(), sized(), {}
    for i, x in ipairs(alone) do each[i] = optim[name]({ x }, options) end
    return together, alone, optim[name](together, options), each
  end

  local function same(together, alone, what)
    for i, x in ipairs(together) do assert.is_true(torch.equal(x:detach(), alone[i]:detach()), what .. ', parameter ' .. i) end
  end

  local function steps(together, alone, optimizer, each, from, to)
    for t = from, to do
      slopes(together, t)
      slopes(alone, t)
      optimizer:step()
      for _, single in ipairs(each) do single:step() end
      same(together, alone, 'step ' .. t)
    end
  end

  for _, name in ipairs(elementwise) do
    it(name, function()
      local together, alone, optimizer, each = both(name, { weightDecay = 0.1, learningRate = 0.03 })
      steps(together, alone, optimizer, each, 1, 3)
      -- One stays for a step, and has its own count from then on.
      slopes(together, 4)
      slopes(alone, 4)
      together[2].grad, alone[2].grad = nil, nil
      optimizer:step()
      for _, single in ipairs(each) do single:step() end
      steps(together, alone, optimizer, each, 5, 6)
    end)

    it(name .. ', from a loaded state, and with a new parameter', function()
      local together, alone, optimizer, each = both(name, {})
      steps(together, alone, optimizer, each, 1, 2)
      local again = optim[name](together, {})
      again:loadStateDict(torch.deserialize(torch.serialize(optimizer:stateDict())))
      steps(together, alone, again, each, 3, 4)
      local x, y = torch.ones(2):requiresGrad(), torch.ones(2):requiresGrad()
      again:addGroup { parameters = { x } }
      together[#together + 1], alone[#alone + 1], each[#each + 1] = x, y, optim[name]({ y }, {})
      steps(together, alone, again, each, 5, 6)
    end)
  end

  it('none of them is lost if two share memory', function()
    for _, name in ipairs(elementwise) do
      local function stepped(other)
        local x = torch.DoubleTensor { 1, 2, 3 }
        local list = { x:narrow(1, 1, 2):requiresGrad(), other(x) }
        local optimizer = optim[name](list, { learningRate = 0.1 })
        for _, p in ipairs(list) do p.grad = torch.ones(p:size()) end
        optimizer:step()
        return x
      end
      local alone = stepped(function() return torch.zeros(4):requiresGrad() end)
      local shared = stepped(function(x) return x:narrow(1, 2, 2):requiresGrad() end)
      assertClose({ 2 * (2 - alone[2]) }, { 2 - shared[2] }, relative(1e-9))
      assert.equal(alone[1], shared[1])
    end
  end)

  it('not if they begin to share memory later', function()
    local x, y = torch.DoubleTensor { 1, 2 }:requiresGrad(), torch.DoubleTensor { 1, 2 }:requiresGrad()
    local optimizer = optim.RMSprop({ x, y }, { learningRate = 0.1, alpha = 0 })
    local function step()
      x.grad, y.grad = torch.ones(2), torch.ones(2)
      optimizer:step()
    end
    step()
    torch.noGrad(function() y:set(x:detach()) end)
    local before = x:detach():clone()
    step()
    assertClose(torch.add(before, -0.2), x:detach(), relative(1e-7))
  end)
end)

it('parameters and gradients of several types are stepped alike', function()
  for _, name in ipairs { 'NAdam', 'RMSprop', 'Lion', 'Adam', 'SGD', 'Adamax', 'LAMB', 'Rprop' } do
    local list = { torch.DoubleTensor(3), torch.FloatTensor(3), torch.FloatTensor(2, 2) }
    for _, x in ipairs(list) do
      x:fill(1):requiresGrad()
      x.grad = torch.ones(x:size()):type(x:type())
    end
    local optimizer = optim[name](list, {})
    for _ = 1, 2 do optimizer:step() end
    for _, x in ipairs(list) do assertClose({ list[1][1]:item() }, { x:detach():view(-1)[2] }, relative(1e-6)) end
    assert.same({ 'torch.DoubleTensor', 'torch.FloatTensor' }, { list[1]:type(), list[3]:type() })
  end
end)

describe('parameters on several devices', function()
  for _, name in ipairs { 'SGD', 'Adam', 'AdamW', 'Lion' } do
    it('have the steps that they have alone: optim.' .. name, function()
      local function trained(isSpread)
        local x, y = torch.DoubleTensor { 1, -2 }:requiresGrad(), torch.zeros(3):to('meta'):requiresGrad()
        local steps = optim[name](isSpread and { y, x } or { x }, { learningRate = 0.1, weightDecay = 0.2 })
        for _ = 1, 3 do
          x.grad, y.grad = torch.mul(x:detach(), 2), y:detach():clone()
          steps:step()
        end
        return x:detach():totable()
      end
      assert.same(trained(false), trained(true))
    end)
  end

  it('have averages', function()
    local x, y = torch.DoubleTensor { 1, 3 }, torch.zeros(2):to 'meta'
    local average = optim.EMA({ y, x }, { decay = 0.75 })
    average:update()
    x:fill(5)
    average:update()
    assert.same({ 2, 3.5 }, average.averages[2]:totable())
  end)
end)
