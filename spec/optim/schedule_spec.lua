-- Schedules of learning rates: every step of PyTorch's, states, both interfaces, and errors.
local torch, optim = require 'torch', require 'optim'
local figures = require 'spec.optim.schedule_figures'
local close = require 'spec.support.close'
local assertClose, relative = close.assertClose, close.relative

-- The metrics of schedule_figures.py.
local function metricAt(t) return t < 12 and 1 / (1 + 0.2 * t) or 0.3 + 0.01 * math.sin(t) end

local function optimizer(own)
  local groups = {}
  for i, rate in ipairs { 0.1, 0.03 } do groups[i] = { parameters = { torch.zeros(1):requiresGrad() }, learningRate = rate } end
  return own.beta1 and optim.Adam(groups, own) or optim.SGD(groups, own)
end

-- Makes the schedule of a case; those of chained and sequential ones are lists of a name and options.
local function make(kind, text, target)
  local options = assert(loadstring('return {' .. text .. '}'))()
  if kind == 'lambda' then return optim.schedule.lambda(target, options.f) end
  if kind ~= 'chained' and kind ~= 'sequential' then return optim.schedule[kind](target, options) end
  local parts = {}
  for i, part in ipairs(options) do parts[i] = optim.schedule[part[1]](target, part[2]) end
  if kind == 'chained' then return optim.schedule.chained(target, parts) end
  return optim.schedule.sequential(target, { schedules = parts, milestones = options.milestones })
end

describe('PyTorch has the same rates before each of 40 steps:', function()
  for i, case in ipairs(figures) do
    local kind, text, own, expected, momenta = unpack(case)
    it(('optim.schedule.%s, case %d'):format(kind, i), function()
      local target = optimizer(own)
      local schedule = make(kind, text, target)
      local preview = kind ~= 'plateau' and schedule:values(40)
      for t = 0, 39 do
        local rates = schedule:learningRates()
        local here = { expected[2 * t + 1], expected[2 * t + 2] }
        assertClose(here, rates, relative(1e-12))
        for k = 1, 2 do
          assert.equal(rates[k], target:option('learningRate', k))
          if preview then assert.equal(rates[k], preview[t + 1][k]) end
        if preview then assert.same({ 40, 2 }, preview:size():totable()) end
        end
        if momenta[t + 1] then
          assertClose({ momenta[t + 1] }, { target:option(own.beta1 and 'beta1' or 'momentum', 2) }, relative(1e-12))
        end
        if t < 39 then schedule:step(kind == 'plateau' and metricAt(t) or nil) end
      end
    end)

    it(('it continues from its state: case %d'):format(i), function()
      local target = optimizer(own)
      local schedule = make(kind, text, target)
      for t = 0, 14 do schedule:step(kind == 'plateau' and metricAt(t) or nil) end
      local saved = torch.deserialize(torch.serialize { schedule:stateDict(), target:stateDict() })
      local other = optimizer(own)
      local again = make(kind, text, other)
      other:loadStateDict(saved[2])
      again:loadStateDict(saved[1])
      for t = 15, 30 do
        assert.same(schedule:learningRates(), again:learningRates())
        for _, each in ipairs { schedule, again } do each:step(kind == 'plateau' and metricAt(t) or nil) end
      end
    end)
  end
end)

describe('a schedule', function()
  it('sets the rate of a config of Torch7\'s functions', function()
    local config = { learningRate = 0.5, momentum = 0.9 }
    local schedule = optim.schedule.exponential(config, { gamma = 0.5 })
    local x = torch.DoubleTensor { 0 }
    for _ = 1, 3 do
      optim.sgd(function() return 0, torch.DoubleTensor { 1 } end, x, config)
      schedule:step()
    end
    assert.equal(0.0625, config.learningRate)
    local cycle = optim.schedule.oneCycle(config, { maximum = 1, totalSteps = 10 })
    assert.equal(0.95, config.momentum)
    assertClose({ 0.04 }, cycle:learningRates(), relative(1e-14))
  end)

  it('has the base rates of the first one, unless the program changes them', function()
    local target = optim.SGD({ torch.zeros(1):requiresGrad() }, { learningRate = 0.5 })
    local first = optim.schedule.exponential(target, { gamma = 0.5 })
    first:step()
    assert.equal(0.25, target.config.learningRate)
    optim.schedule.constant(target, { factor = 0.5, totalSteps = 1 })
    assert.equal(0.25, target.config.learningRate)
    target.config.learningRate = 2
    optim.schedule.constant(target, { factor = 0.5, totalSteps = 1 })
    assert.equal(1, target.config.learningRate)
  end)

  it('starts a group that is added later from its rate', function()
    local target = optimizer {}
    local schedule = optim.schedule.exponential(target, { gamma = 0.5 })
    target:addGroup { parameters = { torch.zeros(1):requiresGrad() }, learningRate = 8 }
    schedule:step()
    assert.same({ 0.05, 0.015, 4 }, schedule:learningRates())
  end)

  it('draws itself by one line', function()
    local plot = require 'plot'
    plot.figure()
    plot.plot(optim.schedule.cosine(optimizer {}, { period = 20 }):values(20))
    assert.is_truthy(plot.svg():find '<path')
  end)
end)

it('a plateau schedule does not make changes below epsilon', function()
  local config = { learningRate = 1 }
  local schedule = optim.schedule.plateau(config, { patience = 0, factor = 0.5, epsilon = 0.3 })
  for _, rate in ipairs { 1, 0.5, 0.5 } do
    schedule:step(1)
    assert.equal(rate, config.learningRate)
  end
end)

it('a new schedule has a state that can be loaded, and values of one step or more', function()
  local schedule = optim.schedule.constant({ learningRate = 1 })
  schedule:loadStateDict(schedule:stateDict())
  assert.equal(0, schedule.count)
  assert.error_matches(function() schedule:values(0) end, 'optim.Schedule.values: steps: 0, expected a whole number, 1 or more')
end)

describe('beyond the end of', function()
  it('oneCycle there is an error, and nothing changes', function()
    local target = optimizer { momentum = 0.5 }
    local schedule = optim.schedule.oneCycle(target, { maximum = 1, totalSteps = 3 })
    for _ = 1, 3 do schedule:step() end
    local before = schedule:learningRates()
    assert.error_matches(function() schedule:step() end, 'optim.Schedule.step: step 4 of a oneCycle schedule of 3 steps is beyond its end')
    assert.same(before, schedule:learningRates())
    assert.equal(3, schedule.count)
    assert.error_matches(function() schedule:values(5) end, 'beyond its end')
  end)

  it('its part of a sequential schedule, too', function()
    local target = optimizer { momentum = 0.5 }
    local parts = { optim.schedule.constant(target), optim.schedule.oneCycle(target, { maximum = 1, totalSteps = 2 }) }
    local schedule = optim.schedule.sequential(target, { schedules = parts, milestones = { 2 } })
    for _ = 1, 4 do schedule:step() end
    assert.error_matches(function() schedule:step() end, 'beyond its end')
  end)
end)

describe('a schedule refuses', function()
  local S = optim.schedule
  for message, call in pairs {
    ['optim.schedule.step: target: a number, expected an optimiser or a table of options'] = function() S.step(3, { stepSize = 1 }) end,
    ['optim.schedule.step: target: no learningRate, expected a table that has one'] = function() S.step({}, { stepSize = 1 }) end,
    ['optim.schedule.step: stepSize: nil, expected a whole number, 1 or more'] = function() S.step(optimizer {}) end,
    ['optim.schedule.step: options: step_size, expected stepSize'] = function() S.step(optimizer {}, { step_size = 1 }) end,
    ['optim.schedule.step: options: foo, expected one of gamma, stepSize'] = function() S.step(optimizer {}, { foo = 1 }) end,
    ['optim.schedule.cosine: options: T_max, expected period'] = function() S.cosine(optimizer {}, { T_max = 1 }) end,
    ['optim.schedule.cosine: minimum: -1, expected a number, 0 or more'] = function()
      S.cosine(optimizer {}, { period = 2, minimum = -1 })
    end,
    ['optim.schedule.cosine: growth: 1.5, expected a whole number'] = function() S.cosine(optimizer {}, { period = 2, growth = 1.5 }) end,
    ['optim.schedule.multistep: milestones: expected a list of whole numbers'] = function()
      S.multistep(optimizer {}, { milestones = { 2, 1 } })
    end,
    ['optim.schedule.linear: startFactor: 2, expected a number from 0 to 1'] = function() S.linear(optimizer {}, { startFactor = 2 }) end,
    ["optim.schedule.oneCycle: anneal: cos, expected 'cosine' or 'linear'"] = function()
      S.oneCycle(optimizer { momentum = 0.9 }, { maximum = 1, totalSteps = 2, anneal = 'cos' })
    end,
    ['optim.schedule.oneCycle: maximum: 3 numbers, expected one, or 2 as the groups'] = function()
      S.oneCycle(optimizer { momentum = 0.9 }, { maximum = { 1, 2, 3 }, totalSteps = 2 })
    end,
    ['optim.schedule.oneCycle: target: neither momentum nor beta1'] = function()
      S.oneCycle({ learningRate = 1 }, { maximum = 1, totalSteps = 2 })
    end,
    ["optim.schedule.cyclic: mode: saw, expected 'exponential' or 'triangular' or 'triangular2'"] = function()
      S.cyclic(optimizer {}, { minimum = 0, maximum = 1, mode = 'saw' })
    end,
    ['optim.schedule.lambda: f: number, expected a function'] = function() S.lambda(optimizer {}, 3) end,
    ['optim.schedule.lambda: f: 3 functions, expected one, or 2 as the groups'] = function()
      S.lambda(optimizer {}, { print, print, print })
    end,
    ['optim.schedule.lambda: f: result: -1, expected a number, 0 or more'] = function()
      S.lambda(optimizer {}, function() return -1 end)
    end,
    ['optim.Schedule.step: metric: nil, expected a number'] = function() S.plateau(optimizer {}):step() end,
    ['optim.Schedule.values: plateau: its rates depend on the metric'] = function() S.plateau(optimizer {}):values(3) end,
    ['optim.schedule.chained: schedules: expected a list of schedules'] = function() S.chained(optimizer {}, {}) end,
    ['optim.schedule.chained: schedules: number 1 is no schedule'] = function() S.chained(optimizer {}, { 3 }) end,
    ['optim.schedule.chained: schedules: number 1: plateau, expected one whose rate'] = function()
      local o = optimizer {}
      S.chained(o, { S.plateau(o) })
    end,
    ['optim.schedule.sequential: milestones: 2, expected 1, one less than schedules'] = function()
      local o = optimizer {}
      S.sequential(o, { schedules = { S.constant(o), S.linear(o) }, milestones = { 1, 2 } })
    end,
    ['optim.Schedule.loadStateDict: state: of step, expected one of constant'] = function()
      S.constant(optimizer {}):loadStateDict(S.step(optimizer {}, { stepSize = 1 }):stateDict())
    end,
    ['optim.Schedule.loadStateDict: state: 1 groups, expected 2'] = function()
      S.constant(optimizer {}):loadStateDict(S.constant({ learningRate = 1 }):stateDict())
    end,
    ['optim.Schedule.loadStateDict: state: count: 0.5, expected a whole number'] = function()
      S.constant(optimizer {}):loadStateDict { kind = 'constant', count = 0.5, base = { 1, 2 } }
    end,
    ['optim.Schedule: kind: made by optim.schedule.cosine'] = function() optim.Schedule() end,
  } do
    it(message, function()
      local good, text = pcall(call)
      assert.is_false(good)
      assert.is_truthy(text:find(message, 1, true), text)
    end)
  end
end)
