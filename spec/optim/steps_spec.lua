-- optim.sgd and optim.adam against the published update rules in plain Lua numbers, on one tensor, on lists and as objects.
local torch = require 'torch'
local optim = require 'optim'
local close = require 'spec.support.close'
local assertClose, relative = close.assertClose, close.relative

-- f(x) = sum of (i x_i^2) / 2, so that the gradient is i x_i.
local function slope(values)
  local gradient = {}
  for i = 1, #values do gradient[i] = i * values[i] end
  return gradient
end

local start = { 1, -2, 0.5, 3, -1, 2, 0.25 }

local function copyOf(values)
  local copy = {}
  for i = 1, #values do copy[i] = values[i] end
  return copy
end

-- Plain numbers; after Sutskever et al. (2013) and Torch7's description of optim.sgd.
local function plainSgd(values, c, steps, isClass)
  local x, buffer = copyOf(values), nil
  local momentum = c.momentum or 0
  local dampening = c.dampening or (isClass and 0 or momentum)
  for t = 0, steps - 1 do
    local g, used = slope(x), {}
    for i = 1, #x do g[i] = g[i] + (c.weightDecays and c.weightDecays[i] or c.weightDecay or 0) * x[i] end
    if momentum ~= 0 then
      if not buffer then
        buffer = copyOf(g)
      else
        for i = 1, #x do buffer[i] = momentum * buffer[i] + (1 - dampening) * g[i] end
      end
    end
    for i = 1, #x do used[i] = momentum == 0 and g[i] or c.nesterov and g[i] + momentum * buffer[i] or buffer[i] end
    local rate = (c.learningRate or 1e-3) / (1 + t * (c.learningRateDecay or 0))
    for i = 1, #x do x[i] = x[i] - rate * (c.learningRates and c.learningRates[i] or 1) * used[i] end
  end
  return x
end

-- Kingma & Ba (2015), algorithm 1, in the order of the end of its section 2.
local function plainAdam(values, c, steps, isClass)
  local x, m, v = copyOf(values), {}, {}
  local b1, b2 = c.beta1 or 0.9, c.beta2 or 0.999
  for t = 1, steps do
    local g = slope(x)
    local rate = (c.learningRate or 1e-3) / (1 + (t - 1) * (c.learningRateDecay or 0))
    for i = 1, #x do
      local gi = g[i] + (c.weightDecay or 0) * x[i]
      m[i] = b1 * (m[i] or 0) + (1 - b1) * gi
      v[i] = b2 * (v[i] or 0) + (1 - b2) * gi * gi
      local root = math.sqrt(1 - b2 ^ t)
      local epsilon = (c.epsilon or 1e-8) * (isClass and root or 1)  -- PyTorch adds it after the correction
      x[i] = x[i] - rate * root / (1 - b1 ^ t) * m[i] / (math.sqrt(v[i]) + epsilon)
    end
  end
  return x
end

local function onTensor(method, typename, config, steps)
  local x = torch.DoubleTensor(start):type(typename)
  local weights = torch.range(1, #start):type(typename)
  for _ = 1, steps do
    local same, losses = method(function(at) return 5, torch.cmul(at, weights) end, x, config)
    assert.is_true(rawequal(same, x))
    assert.same({ 5 }, losses)
  end
  return x
end

-- The same numbers in two tensors; the first is not contiguous.
local function onList(method, config, steps)
  local all, weights = torch.DoubleTensor(start), torch.range(1, #start):double()
  local strided = torch.DoubleTensor(3, 2):select(2, 1):copy(all:narrow(1, 1, 3))
  local list = { strided, all:narrow(1, 4, 4):clone() }
  for _ = 1, steps do
    method(function(x)
      return 0, { torch.cmul(x[1], weights:narrow(1, 1, 3)), torch.cmul(x[2], weights:narrow(1, 4, 4)) }
    end, list, config)
  end
  return torch.cat(list[1], list[2], 1)
end

local function asObject(class, config, steps)
  local all = torch.DoubleTensor(start)
  local list = { all:narrow(1, 1, 3):clone():requiresGrad(), all:narrow(1, 4, 4):clone():requiresGrad() }
  local weights = torch.range(1, #start):double()
  local stepper = class(list, config)
  for _ = 1, steps do
    stepper:zeroGrad()
    local x = torch.cat(list[1], list[2], 1)
    torch.mul(torch.sum(torch.cmul(torch.cmul(x, x), weights)), 0.5):backward()
    stepper:step()
  end
  return torch.cat(list[1]:detach(), list[2]:detach(), 1)
end

local sgdConfigs = {
  {},
  { learningRate = 0.1, learningRateDecay = 0.5 },
  { learningRate = 0.1, weightDecay = 0.01 },
  { learningRate = 0.1, momentum = 0.9 },
  { learningRate = 0.05, momentum = 0.9, dampening = 0 },
  { learningRate = 0.05, momentum = 0.8, dampening = 0.3, weightDecay = 0.1 },
  { learningRate = 0.02, momentum = 0.9, dampening = 0, nesterov = true, weightDecay = 0.01 },
}
local adamConfigs = {
  {},
  { learningRate = 0.1, learningRateDecay = 0.5 },
  { learningRate = 0.1, beta1 = 0.8, beta2 = 0.9, epsilon = 1e-4, weightDecay = 0.01 },
}

for name, case in pairs {
  sgd = { method = optim.sgd, class = optim.SGD, plain = plainSgd, configs = sgdConfigs },
  adam = { method = optim.adam, class = optim.Adam, plain = plainAdam, configs = adamConfigs },
} do
  describe('optim.' .. name, function()
    -- 1e-14: some 20 roundings in ten steps; float: the same in its epsilon.
    it('follows its rule on one tensor, on a list, and as an object', function()
      for _, config in ipairs(case.configs) do
        local function fresh()
          local copy = {}
          for key, value in pairs(config) do copy[key] = value end
          return copy
        end
        local expected = case.plain(start, config, 10)
        assertClose(expected, onTensor(case.method, 'torch.DoubleTensor', fresh(), 10), relative(1e-14))
        assertClose(expected, onTensor(case.method, 'torch.FloatTensor', fresh(), 10), relative(1e-5))
        assertClose(expected, onList(case.method, fresh(), 10), relative(1e-14))
        assertClose(case.plain(start, config, 10, true), asObject(case.class, fresh(), 10), relative(1e-14))
      end
    end)

    it('keeps its memory in a state table of its own when given one', function()
      local config, state = { learningRate = 0.1, momentum = 0.5 }, {}
      case.method(function(x) return 0, x:clone() end, torch.DoubleTensor { 1 }, config, state)
      assert.same({ learningRate = 0.1, momentum = 0.5 }, config)
      assert.equal(1, state.evalCounter or state.t)
    end)

    it('names a gradient that is not like its parameter', function()
      local x = { torch.DoubleTensor(3), torch.DoubleTensor(2) }
      assert.error_matches(function() case.method(function() return 0, { x[1], torch.DoubleTensor(4) } end, x) end,
        name .. '_step: gradients: tensor 2 .*%[4%], expected .*%[2%]')
      assert.error_matches(function() case.method(function() return 0, { x[1] } end, x) end, 'a list of 1, expected a list of 2')
      assert.error_matches(function() case.method(function() return 0, { x[1], torch.FloatTensor(2) } end, x) end,
        'tensor 2 is a torch.FloatTensor, expected a torch.DoubleTensor')
    end)

    it('says when opfunc gives no gradient, or x is nothing that has one', function()
      local x = torch.DoubleTensor(3)
      assert.error_matches(function() case.method(function() return 0 end, x) end,
        'optim.' .. name .. ': gradient: opfunc returned nil after the loss, expected a tensor of sizes %[3%], as x')
      assert.error_matches(function() case.method(function() return 0, torch.DoubleTensor(1) end, x) end,
        'gradient: opfunc returned a torch.DoubleTensor %[1%] after the loss')
      assert.error_matches(function() case.method(function() return 0 end) end, 'optim.' .. name .. ': x: nil, expected a tensor or')
      assert.error_matches(function() case.method(x, x) end, 'optim.' .. name .. ': opfunc: a torch.DoubleTensor %[3%]')
    end)

    it('gives long tensors the same steps as short ones', function()
      local config = { learningRate = 0.1, momentum = 0.9 }
      local long = torch.DoubleTensor(100003):fill(2)
      local short = torch.DoubleTensor { 2 }
      local function halve(x) return 0, torch.mul(x, 0.5) end
      local copy = { learningRate = 0.1, momentum = 0.9 }
      for _ = 1, 3 do
        case.method(halve, long, config)
        case.method(halve, short, copy)
      end
      assert.equal(short[1], long:min())
      assert.equal(short[1], long:max())
    end)
  end)
end

describe('torch.sgd_step', function()
  it('changes tracked parameters without recording', function()
    local x = torch.ones(3):requiresGrad()
    torch.sgd_step({ x }, { torch.ones(3) }, {}, 0.25)
    assert.same({ 0.75, 0.75, 0.75 }, x:totable())
    assert.is_true(x:isLeaf())
  end)
end)

describe('optim.sgd', function()
  it('takes vectors of rates and of weight decays', function()
    for _, momentum in ipairs { 0, 0.9 } do
      local vectors = { learningRates = { 1, 2, 0.5, 1, 3, 0, 1 }, weightDecays = { 0.1, 0, 0, 0.2, 0, 0.3, 0 } }
      local plain = { learningRate = 0.02, momentum = momentum, learningRates = vectors.learningRates, weightDecays = vectors.weightDecays }
      local config = { learningRate = 0.02, momentum = momentum, learningRates = torch.DoubleTensor(vectors.learningRates),
        weightDecays = torch.DoubleTensor(vectors.weightDecays) }
      assertClose(plainSgd(start, plain, 10), onTensor(optim.sgd, 'torch.DoubleTensor', config, 10), relative(1e-14))
    end
  end)

  it('refuses Nesterov momentum with dampening', function()
    assert.error_matches(function()
      optim.sgd(function(x) return 0, x end, torch.Tensor { 1 }, { momentum = 0.9, nesterov = true })
    end, 'Nesterov momentum requires a momentum and zero dampening')
  end)

  it('reads the learning rate at each call', function()
    local x, config = torch.DoubleTensor { 1 }, { learningRate = 1 }
    optim.sgd(function() return 0, torch.DoubleTensor { 1 } end, x, config)
    config.learningRate = 0.25
    optim.sgd(function() return 0, torch.DoubleTensor { 1 } end, x, config)
    assert.equal(-0.25, x[1])
  end)
end)

describe('a config of a function', function()
  local function step(name, config, state)
    local x = torch.DoubleTensor { 1 }
    optim[name](function() return 0, torch.DoubleTensor { 1 } end, x, config, state)
    return x[1]
  end

  it('has the names of Torch7, which are said where another library\'s came', function()
    for _, name in ipairs { 'sgd', 'adam', 'adamw', 'adamax', 'adagrad', 'rmsprop', 'nag' } do
      for _, case in ipairs {
        { { lr = 0.1 }, 'lr, expected learningRate' },
        { { learning_rate = 0.1, momentum = 0.9 }, 'learning_rate, expected learningRate' },
        { { learningRate = 0.1, weight_decay = 1e-4 }, 'weight_decay, expected weightDecay' },
        { { learningRate = 0.1, betas = { 0.9, 0.99 } }, 'betas, expected beta1 and beta2' },
        { 0.1, 'a number, expected a table such as { learningRate = 0.1 }' },
      } do
        local good, message = pcall(function() return (step(name, case[1])) end)
        assert.is_false(good)
        assert.equal(('optim.%s: config: %s'):format(name, case[2]), message:match 'steps_spec.lua:%d+: (.*)$')
        if type(case[1]) == 'table' then assert.error_matches(function() step(name, case[1], {}) end, 'config: .*, expected ') end
      end
    end
  end)

  it('may hold what a program keeps in it', function()
    local all = { 'sgd', 'adam', 'adamw', 'adamax', 'adagrad', 'adadelta', 'rmsprop', 'nag', 'asgd', 'rprop', 'lbfgs', 'cg' }
    for _, name in ipairs(all) do
      step(name, { lr = 0.1, batchSize = 32 })                       -- a table of all of a program's options
      step(name, { lr = 0.1, learningRate = 0.1 })
      step(name, { learningRate = 0.1, weight_decay = 1, nEpoch = 3 }, {})
    end
    local config = { learningRate = 0.1, state = 'kept', epoch = 1 }
    for _ = 1, 2 do step('sgd', config) end
    config.lr = 0.2                                                  -- between steps it is the program's
    assert.near(0.9, step('sgd', config), 1e-12)
    assert.equal(3, config.evalCounter)
    assert.equal('kept', config.state)
  end)
end)

describe('an optimiser as an object', function()
  it('takes one step with a parameter that is there twice, as that of a module that is used twice', function()
    for _, name in ipairs { 'SGD', 'Adam', 'RMSprop' } do
      local function trained(count)
        local x = torch.DoubleTensor { 1, -2 }:requiresGrad()
        local list = {}
        for i = 1, count do list[i] = x end
        local steps = optim[name](list, { learningRate = 0.1 })
        for _ = 1, 3 do
          steps:zeroGrad()
          torch.sum(torch.cmul(x, x)):backward()
          steps:step()
        end
        return x:detach()
      end
      assert.is_true(torch.equal(trained(1), trained(2)))
    end
  end)

  local parameter = torch.Tensor { 1, 2 }:requiresGrad()

  it('says what it cannot take', function()
    local refused = {
      { 3, nil, 'parameters: a number, expected a list of tensors' },
      { parameter, nil, 'parameters: a torch.DoubleTensor, expected a list of tensors' },
      { require 'nn'.Linear(2, 2), nil, 'parameters: a nn.Linear, expected a list of tensors: net:parameters() gives one' },
      { { parameter }, 0.1, 'config: a number, expected a table such as { learningRate = 0.1 }' },
      { { parameter }, { lr = 0.1 }, 'config: lr, expected learningRate' },
      { { parameter }, { betas = { 0.9, 0.99 } }, 'config: betas, expected beta1 and beta2' },
      { { parameter }, { weight_decay = 0.1 }, 'config: weight_decay, expected weightDecay' },
    }
    for _, case in ipairs(refused) do
      local good, message = pcall(function()
        local steps = optim.SGD(case[1], case[2])
        return steps
      end)
      assert.is_false(good)
      assert.equal('optim.SGD: ' .. case[3], message:match 'steps_spec.lua:%d+: (.*)$')
    end
  end)

  it('takes what parameters() gives, whose second list is no config', function()
    local net = require 'nn'.Linear(2, 2)
    assert.same({}, optim.SGD(net:parameters()).config)
    assert.same({}, optim.Adam({}).parameters)
  end)
end)

describe('a function of an algorithm', function()
  it('says which option is no number, and changes nothing', function()
    for name in ('sgd adam adamw adamax adagrad adadelta rmsprop nag nadam radam lion lamb lars adafactor muon shampoo'):gmatch '%S+' do
      local x, state = torch.ones(2, 2), {}
      local option = name == 'adadelta' and 'rho' or 'learningRate'
      local good, text = pcall(optim[name], function(at) return 1, at:clone() end, x, { [option] = {} }, state)
      assert.is_false(good)
      assert.is_truthy(text:find(('optim.%s: config: %s: table, expected a number'):format(name, option), 1, true), text)
      assert.equal(4, x:sum())
      optim[name](function(at) return 1, at:clone() end, x, { [option] = '0.5' }, {})
    end
  end)
end)

describe('an object of an algorithm', function()
  it('refuses a step where no parameter requires a gradient', function()
    local x = torch.ones(2)
    local steps = optim.SGD({ x }, { learningRate = 1 })
    assert.error_matches(function() steps:step() end, 'optim.SGD: parameters: none requires a gradient; net:requiresGrad%(%)')
    x:requiresGrad()
    steps:step()
    assert.same({ 1, 1 }, x:detach():totable())
    optim.SGD({}):step()
  end)
end)

describe('a step on many tensors', function()
  -- Sizes from 0 to 40000 elements, so that threads divide the list inside and between tensors.
  local sizes = {}
  for i = 1, 300 do sizes[i] = i % 50 == 0 and 40000 or (i * 37) % 97 end

  local function parts(flat)
    local list, at = {}, 1
    for i, n in ipairs(sizes) do
      list[i] = n == 0 and flat:narrow(1, 1, 0) or flat:narrow(1, at, n)
      at = at + n
    end
    return list
  end

  local function copies(list, order)
    local all = {}
    for i = 1, #list do
      local k = order == 'backwards' and #list + 1 - i or i
      all[k] = list[k]:clone()
    end
    return all
  end

  it('has the bits of a step on one, for any number of threads', function()
    local total, threads = 0, torch.getnumthreads()
    for _, n in ipairs(sizes) do total = total + n end
    local function values(low) return torch.FloatTensor(total):uniform(low, 1) end
    local x, g, m, v = values(-1), values(-1), values(-1), values(0)
    for _, count in ipairs { 1, 2, 5 } do
      torch.setnumthreads(count)
      local px, pg, pm, pv = copies(parts(x), 'backwards'), copies(parts(g)), copies(parts(m), 'backwards'), copies(parts(v))
      local fx, fm, fv = x:clone(), m:clone(), v:clone()
      torch.adam_step({ fx }, { g }, { fm }, { fv }, 0.1, 0.9, 0.99, 1e-3, 0.01)
      torch.adam_step(px, pg, pm, pv, 0.1, 0.9, 0.99, 1e-3, 0.01)
      torch.sgd_step({ fx }, { g }, { fm }, 0.1, 0.9, 0.1, 0.01, true)
      torch.sgd_step(px, pg, pm, 0.1, 0.9, 0.1, 0.01, true)
      for _, pair in ipairs { { fx, px }, { fm, pm }, { fv, pv } } do
        for i, part in ipairs(parts(pair[1])) do assert.is_true(torch.equal(part, pair[2][i]), count .. ' threads, tensor ' .. i) end
      end
    end
    torch.setnumthreads(threads)
  end)

  it('goes from one to the next if they share memory, in other layouts and types, too', function()
    for _, kind in ipairs { 'torch.FloatTensor', 'torch.HalfTensor' } do
      local x = torch.zeros(5):type(kind)
      local first, second = torch.ones(5):type(kind), torch.ones(5):mul(2):type(kind)
      torch.sgd_step({ x, x }, { first, second }, {}, 0.5)               -- 0 - 0.5 * 1 - 0.5 * 2
      assert.same({ -1.5, -1.5, -1.5, -1.5, -1.5 }, x:totable())
      torch.sgd_step({ x:narrow(1, 1, 3), x:narrow(1, 3, 3) }, { first:narrow(1, 1, 3), second:narrow(1, 1, 3) }, {}, 0.5)
      assert.same({ -2, -2, -3, -2.5, -2.5 }, x:totable())
      local strided = torch.zeros(3, 2):type(kind):t()
      torch.sgd_step({ strided, x }, { torch.ones(2, 3):type(kind), first }, {}, 0.5)
      assert.same({ { -0.5, -0.5, -0.5 }, { -0.5, -0.5, -0.5 } }, strided:totable())
      assert.same({ -2.5, -2.5, -3.5, -3, -3 }, x:totable())
    end
  end)

  it('makes states that are apart for all parameters, in the shapes of these', function()
    local list = { torch.ones(2, 3):requiresGrad(), torch.ones(4):requiresGrad(), torch.ones(0):requiresGrad() }
    local steps = optim.Adam(list, { learningRate = 0.5 })
    for i, x in ipairs(list) do x.grad = torch.ones(x:size()) * i end
    steps:step()
    for i, x in ipairs(list) do
      assert.same(x:size():totable(), steps.state[i].m:size():totable())
      assertClose(torch.ones(x:size()):mul(0.1 * i), steps.state[i].m, relative(1e-14))
      assertClose(torch.ones(x:size()):mul(0.001 * i * i), steps.state[i].v, relative(1e-12))
    end
  end)
end)
