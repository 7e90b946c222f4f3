--- Schedules of learning rates: functions that make them, by the formulas of PyTorch's classes in torch.optim.lr_scheduler.
-- Each one gets a target, an optimiser such as optim.Adam(...) or the config of a function such as optim.sgd, and a table of options; it
-- sets the first rates at once. count is the number of steps made, from 0; base, a group's rate before. optim.Schedule has the methods.
-- @usage local steps = optim.SGD(net:parameters(), { learningRate = 0.1 })
-- local schedule = optim.schedule.cosine(steps, { period = 100, warmup = 5 })
-- for epoch = 1, 100 do train(steps); schedule:step() end
-- @module optim.schedules
local torch, check = require 'torch', require 'torch.check'
local Schedule = require 'optim.Schedule'
local settings = require 'optim.schedule_options'

local floor, min, max, cos, pi = math.floor, math.min, math.max, math.cos, math.pi

local schedule = {}

local function create(kind, target, given)
  return Schedule(kind, target, settings.read('optim.schedule.' .. kind.name, kind.options, given))
end

local count, share, any = { kind = 'int', min = 1 }, { kind = 'number', min = 0, max = 1 }, { kind = 'number', min = 0 }

local function with(rule, default)
  local copy = { default = default }
  for name, value in pairs(rule) do copy[name] = value end
  return copy
end

local step = {
  name = 'step', options = { stepSize = count, gamma = with(any, 0.1) },
  rate = function(o, t, base) return base * o.gamma ^ floor(t / o.stepSize) end,
}

--- Multiplies the rates by `gamma` after every `stepSize` steps.
-- @param target an optimiser, or a table of options
-- @tparam table options `stepSize`, `gamma` (0.1)
-- @treturn optim.Schedule
function schedule.step(target, options) return create(step, target, options) end

local multistep = {
  name = 'multistep', options = { milestones = { kind = 'counts' }, gamma = with(any, 0.1) },
  rate = function(o, t, base)
    local passed = 0
    for _, milestone in ipairs(o.milestones) do
      if milestone <= t then passed = passed + 1 end
    end
    return base * o.gamma ^ passed
  end,
}

--- Multiplies the rates by `gamma` at each milestone.
-- @param target an optimiser, or a table of options
-- @tparam table options `milestones`, a list of counts; `gamma` (0.1)
-- @treturn optim.Schedule
function schedule.multistep(target, options) return create(multistep, target, options) end

local constant = {
  name = 'constant', options = { factor = with(share, 1 / 3), totalSteps = with(count, 5) },
  rate = function(o, t, base) return t < o.totalSteps and base * o.factor or base end,
}

--- Multiplies the rates by `factor` in the first `totalSteps` steps.
-- @param target an optimiser, or a table of options
-- @tparam[opt] table options `factor` (1/3), `totalSteps` (5)
-- @treturn optim.Schedule
function schedule.constant(target, options) return create(constant, target, options) end

local linear = {
  name = 'linear', options = { startFactor = with(share, 1 / 3), endFactor = with(share, 1), totalSteps = with(count, 5) },
  rate = function(o, t, base) return base * (o.startFactor + (o.endFactor - o.startFactor) * min(t, o.totalSteps) / o.totalSteps) end,
}

--- Moves the rates' factor from `startFactor` to `endFactor` in `totalSteps` steps, on a line: for a warm-up, for example.
-- @param target an optimiser, or a table of options
-- @tparam[opt] table options `startFactor` (1/3), `endFactor` (1), `totalSteps` (5)
-- @treturn optim.Schedule
function schedule.linear(target, options) return create(linear, target, options) end

local exponential = {
  name = 'exponential', options = { gamma = any },
  rate = function(o, t, base) return base * o.gamma ^ t end,
}

--- Multiplies the rates by `gamma` after each step.
-- @param target an optimiser, or a table of options
-- @tparam table options `gamma`
-- @treturn optim.Schedule
function schedule.exponential(target, options) return create(exponential, target, options) end

local polynomial = {
  name = 'polynomial', options = { totalSteps = with(count, 5), power = with(any, 1) },
  rate = function(o, t, base) return base * (1 - min(t, o.totalSteps) / o.totalSteps) ^ o.power end,
}

--- Lowers the rates to 0 in `totalSteps` steps: base (1 - count / totalSteps)^power.
-- @param target an optimiser, or a table of options
-- @tparam[opt] table options `totalSteps` (5), `power` (1)
-- @treturn optim.Schedule
function schedule.polynomial(target, options) return create(polynomial, target, options) end

-- Returns the position in a cycle and its length; every cycle is `growth` times as long as the last one.
local function cycleAt(t, period, growth)
  while t >= period do
    t, period = t - period, period * growth
  end
  return t, period
end

local cosine = {
  name = 'cosine',
  options = {
    period = count, minimum = with(any, 0), restarts = { kind = 'flag', default = false }, growth = with(count, 1),
    warmup = { kind = 'int', min = 0, default = 0 }, warmupFactor = with(share, 0),
  },
  rate = function(o, t, base)
    if t < o.warmup then return base * (o.warmupFactor + (1 - o.warmupFactor) * t / o.warmup) end
    local position, period = t - o.warmup, o.period
    if o.restarts then position, period = cycleAt(position, period, o.growth) end
    return o.minimum + (base - o.minimum) * (1 + cos(pi * position / period)) / 2
  end,
}

--- Moves the rates to `minimum` in `period` steps along half a wave of the cosine; then they rise again, or with `restarts` jump back.
-- Before, the rates rise on a line from warmupFactor times the base in `warmup` steps.
-- Source: Loshchilov & Hutter (2017), "SGDR: Stochastic Gradient Descent with Warm Restarts", ICLR, equation 5.
-- @param target an optimiser, or a table of options
-- @tparam table options `period`, `minimum` (0), `restarts` (false), `growth` (1: the factor of the period after each restart), `warmup`
--   (0), `warmupFactor` (0)
-- @treturn optim.Schedule
function schedule.cosine(target, options) return create(cosine, target, options) end

-- The value of a phase; `part` goes from 0 to 1.
local anneal = {
  cosine = function(from, to, part) return to + (from - to) / 2 * (1 + cos(pi * part)) end,
  linear = function(from, to, part) return from + (to - from) * part end,
}

-- Returns the values between which a oneCycle schedule is at t, and the part of the way.
local function phaseAt(o, t, lowest, highest, final, isMomentum)
  local peak, last = o.warmFraction * o.totalSteps - 1, o.totalSteps - 1
  local ends = { { peak, lowest, highest }, { last, highest, isMomentum and lowest or final } }
  if o.threePhase then
    ends = { { peak, lowest, highest }, { 2 * peak, highest, lowest }, { last, lowest, isMomentum and lowest or final } }
  end
  local from = 0
  for i, phase in ipairs(ends) do
    if t <= phase[1] or i == #ends then return phase[2], phase[3], min(1, (t - from) / (phase[1] - from)) end
    from = phase[1]
  end
end

local oneCycle = {
  name = 'oneCycle',
  options = {
    maximum = { kind = 'rates' }, totalSteps = count, warmFraction = with(share, 0.3),
    anneal = { kind = 'choice', choices = anneal, default = 'cosine' }, cycleMomentum = { kind = 'flag', default = true },
    minMomentum = with(share, 0.85), maxMomentum = with(share, 0.95), divFactor = with(any, 25), finalDivFactor = with(any, 1e4),
    threePhase = { kind = 'flag', default = false },
  },
  prepare = function(where, self)
    settings.perGroup(where, 'maximum', self)
    if self.options.cycleMomentum then self:_needsMomentum(where) end
  end,
  verify = function(o, t)
    if t > o.totalSteps then
      check.raise(('optim.Schedule.step: step %d of a oneCycle schedule of %d steps is beyond its end'):format(t, o.totalSteps))
    end
  end,
  rate = function(o, t, _, i, self)
    local highest = self.maximum[i] or self.maximum[1]
    local lowest = highest / o.divFactor
    return anneal[o.anneal](phaseAt(o, t, lowest, highest, lowest / o.finalDivFactor))
  end,
  momentum = function(o, t)
    return o.cycleMomentum and anneal[o.anneal](phaseAt(o, t, o.maxMomentum, o.minMomentum, nil, true)) or nil
  end,
}

--- Raises the rates to `maximum` in the first `warmFraction` of the steps, from maximum / divFactor, and then lowers them to that number /
-- finalDivFactor. The momentum (or beta1) goes the other way, unless cycleMomentum is false.
-- Source: Smith & Topin (2018), "Super-Convergence: Very Fast Training of Neural Networks Using Large Learning Rates", arXiv:1708.07120.
-- @param target an optimiser, or a table of options
-- @tparam table options `maximum` (a number, or a list of one for each group), `totalSteps`, `warmFraction` (0.3), `anneal` ('cosine', or
--   'linear'), `cycleMomentum` (true), `minMomentum` (0.85), `maxMomentum` (0.95), `divFactor` (25), `finalDivFactor` (1e4), `threePhase`
--   (false: with true, the rates go back to the first one as fast as they rose, and then to the last one)
-- @treturn optim.Schedule its step raises an error beyond `totalSteps`
function schedule.oneCycle(target, options) return create(oneCycle, target, options) end

-- The height of the cycle at t, from 0 to 1, and the factor of the mode.
local function waveAt(o, t)
  local down = o.stepsDown or o.stepsUp
  local total = o.stepsUp + down
  local cycle = floor(1 + t / total)
  local x, top = 1 + t / total - cycle, o.stepsUp / total
  local height = x <= top and x / top or (x - 1) / (top - 1)
  if o.mode == 'triangular2' then return height, 1 / 2 ^ (cycle - 1) end
  return height, o.mode == 'exponential' and o.gamma ^ t or 1
end

local cyclic = {
  name = 'cyclic',
  options = {
    minimum = { kind = 'rates' }, maximum = { kind = 'rates' }, stepsUp = with(count, 2000), stepsDown = with(count, false),
    mode = { kind = 'choice', choices = { triangular = true, triangular2 = true, exponential = true }, default = 'triangular' },
    gamma = with(any, 1), cycleMomentum = { kind = 'flag', default = true }, minMomentum = with(share, 0.8), maxMomentum = with(share, 0.9),
  },
  prepare = function(where, self)
    settings.perGroup(where, 'minimum', self)
    settings.perGroup(where, 'maximum', self)
    if self.options.cycleMomentum then self:_needsMomentum(where) end
  end,
  rate = function(o, t, _, i, self)
    local height, factor = waveAt(o, t)
    local low, high = self.minimum[i] or self.minimum[1], self.maximum[i] or self.maximum[1]
    return low + (high - low) * max(0, height) * factor
  end,
  momentum = function(o, t)
    if not o.cycleMomentum then return nil end
    local height, factor = waveAt(o, t)
    return o.maxMomentum - (o.maxMomentum - o.minMomentum) * max(0, height) * factor
  end,
}

--- Moves the rates between `minimum` and `maximum`, up in `stepsUp` steps and down in `stepsDown`. The momentum (or beta1) goes the other
-- way, unless cycleMomentum is false.
-- Source: Smith (2017), "Cyclical Learning Rates for Training Neural Networks", WACV, section 3.
-- @param target an optimiser, or a table of options
-- @tparam table options `minimum` and `maximum` (numbers, or lists of one for each group), `stepsUp` (2000), `stepsDown` (stepsUp), `mode`
--   ('triangular'; 'triangular2': each cycle is half as high as the last one; 'exponential': heights are multiplied by gamma^count),
--   `gamma` (1), `cycleMomentum` (true), `minMomentum` (0.8), `maxMomentum` (0.9)
-- @treturn optim.Schedule
function schedule.cyclic(target, options) return create(cyclic, target, options) end

local ofFunction = {
  name = 'lambda', options = {},
  rate = function(_, t, base, i, self)
    local f = self.functions[i] or self.functions[1]
    return base * check.number('optim.schedule.lambda', 'f: result', f(t), { min = 0 })
  end,
}

--- Multiplies the base rates by the result of a function of the number of steps made. Files and states don't contain the function.
-- @param target an optimiser, or a table of options
-- @tparam function|{function,...} f count -> factor; or a list of one for each group
-- @treturn optim.Schedule
function schedule.lambda(target, f)
  local functions = type(f) == 'table' and not getmetatable(f) and f or { f }
  check.that(#functions > 0, 'optim.schedule.lambda: f: an empty list, expected a function')
  for _, each in ipairs(functions) do check.callable('optim.schedule.lambda', 'f', each) end
  local kind = setmetatable({
    prepare = function(where, self)
      local groups = #self.base
      if #functions ~= 1 and #functions ~= groups then
        check.raise(('%s: f: %d functions, expected one, or %d as the groups'):format(where, #functions, groups))
      end
      self.functions = functions
    end,
  }, { __index = ofFunction })
  return create(kind, target, {})
end

local plateau = {
  name = 'plateau',
  options = {
    mode = { kind = 'choice', choices = { min = true, max = true }, default = 'min' }, factor = with(share, 0.1),
    patience = { kind = 'int', min = 0, default = 10 }, threshold = with(any, 1e-4),
    thresholdMode = { kind = 'choice', choices = { relative = true, absolute = true }, default = 'relative' },
    cooldown = { kind = 'int', min = 0, default = 0 }, minimum = with(any, 0), epsilon = with(any, 1e-8),
  },
  state = { best = true, badSteps = true, cooldownLeft = true },
  prepare = function(_, self)
    self.best, self.badSteps, self.cooldownLeft = self.options.mode == 'min' and math.huge or -math.huge, 0, 0
  end,
  rate = function(_, _, base) return base end,
  step = function(self, metric)
    local o = self.options
    if torch.isTensor(metric) and metric:nElement() == 1 then metric = metric:detach():view(1)[1] end
    if type(metric) ~= 'number' then
      local text = 'optim.Schedule.step: metric: %s, expected a number: the rates of a plateau schedule depend on it'
      check.raise(text:format(torch.type(metric)))
    end
    self.count = self.count + 1
    local sign = o.mode == 'min' and -1 or 1
    local limit = o.thresholdMode == 'relative' and self.best * (1 + sign * o.threshold) or self.best + sign * o.threshold
    local isBetter = o.mode == 'min' and metric < limit or o.mode == 'max' and metric > limit
    if isBetter then
      self.best, self.badSteps = metric, 0
    else
      self.badSteps = self.badSteps + 1
    end
    if self.cooldownLeft > 0 then self.cooldownLeft, self.badSteps = self.cooldownLeft - 1, 0 end
    if self.badSteps > o.patience then
      self:_lower(o.factor, o.minimum, o.epsilon)
      self.cooldownLeft, self.badSteps = o.cooldown, 0
    end
  end,
}

--- Multiplies the rates by `factor` when a metric has not improved in more than `patience` steps. Its `step` gets the metric.
-- @param target an optimiser, or a table of options
-- @tparam[opt] table options `mode` ('min'; 'max' if more is better), `factor` (0.1), `patience` (10), `threshold` (1e-4) and
--   `thresholdMode` ('relative', or 'absolute'): the least improvement; `cooldown` (0): steps to wait after a change; `minimum` (0) of the
--   rates; `epsilon` (1e-8): smaller changes are not made
-- @treturn optim.Schedule
function schedule.plateau(target, options) return create(plateau, target, options) end

local function isSchedule(value) return torch.isTypeOf(value, 'optim.Schedule') end

-- Checks the list of schedules of a compound one, whose rates are functions of the count.
local function parts(where, list, refused)
  check.that(type(list) == 'table' and #list > 0, where .. ': schedules: expected a list of schedules')
  for i, part in ipairs(list) do
    check.that(isSchedule(part), ('%s: schedules: number %d is no schedule'):format(where, i))
    if part.kind.step or refused and part.kind.momentum then
      check.raise(('%s: schedules: number %d: %s, expected one whose rate is a factor of the base rate'):format(where, i, part.kind.name))
    end
  end
end

local chained = {
  name = 'chained', options = { schedules = { kind = 'list' } },
  prepare = function(where, self) parts(where, self.options.schedules, true) end,
  rate = function(o, t, base, i)
    local rate = base
    for _, part in ipairs(o.schedules) do rate = base == 0 and 0 or rate * (part:_rate(i, t, base) / base) end
    return rate
  end,
}

--- Multiplies the factors of several schedules of the same target, such as a warm-up and a decay. Call only its `step`.
-- @param target an optimiser, or a table of options
-- @tparam {optim.Schedule,...} schedules
-- @treturn optim.Schedule
function schedule.chained(target, schedules) return create(chained, target, { schedules = schedules }) end

-- Returns the schedule of a count, and its own count.
local function partAt(o, t)
  local i, from = 1, 0
  while o.milestones[i] and t >= o.milestones[i] do
    from = o.milestones[i]
    i = i + 1
  end
  return o.schedules[i], t - from
end

local sequential = {
  name = 'sequential', options = { schedules = { kind = 'list' }, milestones = { kind = 'counts' } },
  prepare = function(where, self)
    local o = self.options
    parts(where, o.schedules)
    if #o.milestones ~= #o.schedules - 1 then
      check.raise(('%s: milestones: %d, expected %d, one less than schedules'):format(where, #o.milestones, #o.schedules - 1))
    end
  end,
  verify = function(o, t)
    local part, own = partAt(o, t)
    if part.kind.verify then part.kind.verify(part.options, own) end
  end,
  rate = function(o, t, base, i)
    local part, own = partAt(o, t)
    return part:_rate(i, own, base)
  end,
  momentum = function(o, t, i)
    local part, own = partAt(o, t)
    return part:_momentum(i, own)
  end,
}

--- Follows one schedule after the other: the second begins at the first milestone, and so on. Call only its `step`.
-- @param target an optimiser, or a table of options
-- @tparam table options `schedules`, a list of schedules of the same target; `milestones`, a list of counts, one less than schedules
-- @treturn optim.Schedule
function schedule.sequential(target, options) return create(sequential, target, options) end

return schedule
