--- A schedule: sets the learning rates of an optimiser before each step, by the number of steps made. `optim.schedule` makes them.
-- The target is an object of a class such as optim.Adam, each group with a rate of its own, or the config of a function such as optim.sgd.
-- The rates that the target has when its first schedule is made are the base rates; later schedules have the same ones, unless the program
-- changes the rates.
-- @classmod optim.Schedule
local torch, check = require 'torch', require 'torch.check'
local kindOf = require('torch.check.message').kind

local Schedule = torch.class 'optim.Schedule'
Schedule.__givesWay = true

-- A table with options -> { base, last }: its first rate, and the last one that a schedule set.
local known = setmetatable({}, { __mode = 'k' })

-- The group or config itself, and a function each that reads and writes an option there.
local function slotOfGroup(optimizer, i)
  return {
    key = optimizer.groups[i],
    get = function(name) return optimizer:option(name, i) end,
    set = function(name, value) optimizer:setOption(name, value, i) end,
    has = function(name) return optimizer._rule.known[name] ~= nil end,
  }
end

local function slotOfConfig(config)
  return {
    key = config,
    get = function(name) return config[name] end,
    set = function(name, value) config[name] = value end,
    has = function(name) return config[name] ~= nil end,
  }
end

local function isOptimizer(target) return torch.isTypeOf(target, 'optim.Optimizer') end

-- Returns what has the options: the optimiser of one that wraps another, as optim.Lookahead.
local function unwrapped(target) return type(target) == 'table' and torch.typename(target) and target.optimizer or target end

local function slotsOf(where, target)
  target = unwrapped(target)
  if isOptimizer(target) then
    local slots = {}
    for i = 1, #target.groups do slots[i] = slotOfGroup(target, i) end
    return slots
  end
  if type(target) ~= 'table' or torch.typename(target) then
    check.raise(('%s: target: %s, expected an optimiser or a table of options'):format(where, kindOf(target)))
  end
  if type(target.learningRate) ~= 'number' then check.raise(where .. ': target: no learningRate, expected a table that has one') end
  return { slotOfConfig(target) }
end

-- Returns the base rate of a slot.
local function baseOf(slot)
  local rate, seen = slot.get 'learningRate', known[slot.key]
  if seen and seen.last == rate then return seen.base end
  return rate
end

--- Made by the functions of optim.schedule.
-- @tparam table kind name, options, and functions: rate(options, count, base, group), momentum(options, count, group)
-- @param target
-- @tparam table options
function Schedule:__init(kind, target, options)
  check.that(type(kind) == 'table' and kind.rate, 'optim.Schedule: kind: made by optim.schedule.cosine, ...')
  local where = 'optim.schedule.' .. kind.name
  self.kind, self.options, self.count, self.target, self.base = kind, options, 0, target, {}
  for i, slot in ipairs(slotsOf(where, target)) do self.base[i] = baseOf(slot) end
  if kind.prepare then kind.prepare(where, self) end
  self:_apply()
end

-- The option that has the momentum.
local function momentumOf(slot) return slot.has 'beta1' and 'beta1' or 'momentum' end

-- Checks that the target has a momentum.
function Schedule:_needsMomentum(where)
  for _, slot in ipairs(slotsOf(where, self.target)) do
    if not slot.has(momentumOf(slot)) then
      check.raise(where .. ': target: neither momentum nor beta1, expected an optimiser with one; or cycleMomentum = false')
    end
  end
end

function Schedule:_rate(i, count, base) return self.kind.rate(self.options, count, base, i, self) end

function Schedule:_momentum(i, count) return self.kind.momentum and self.kind.momentum(self.options, count, i, self) end

-- Sets the rates of the present count.
function Schedule:_apply()
  local slots, rates = slotsOf('optim.Schedule', self.target), {}
  for i, slot in ipairs(slots) do
    local base = self.base[i] or baseOf(slot)                        -- of a group that was added later
    self.base[i] = base
    rates[i] = self:_rate(i, self.count, base)
  end
  for i, slot in ipairs(slots) do
    slot.set('learningRate', rates[i])
    known[slot.key] = { base = self.base[i], last = rates[i] }
    local momentum = self:_momentum(i, self.count)
    if momentum then slot.set(momentumOf(slot), momentum) end
  end
end

-- Multiplies the present rates, if that changes them by more than epsilon.
function Schedule:_lower(factor, minimum, epsilon)
  for i, slot in ipairs(slotsOf('optim.Schedule', self.target)) do
    local before = slot.get 'learningRate'
    local rate = math.max(before * factor, minimum)
    if before - rate > epsilon then
      slot.set('learningRate', rate)
      known[slot.key] = { base = self.base[i], last = rate }
    end
  end
end

--- Sets the rates of the next step. Call it after each step of the optimiser, or after each epoch.
-- @tparam[opt] number metric of a plateau schedule: the loss, or another measure
-- @raise beyond the end of a oneCycle schedule
function Schedule:step(metric)
  local kind = self.kind
  if kind.step then
    kind.step(self, metric)
  else
    if kind.verify then kind.verify(self.options, self.count + 1) end
    self.count = self.count + 1
    self:_apply()
  end
end

--- Returns the present rates.
-- @treturn {number,...} one of each group
function Schedule:learningRates()
  local rates = {}
  for i, slot in ipairs(slotsOf('optim.Schedule.learningRates', self.target)) do rates[i] = slot.get 'learningRate' end
  return rates
end

--- Returns the rates of all steps, for a plot: plot.plot(schedule:values(100)).
-- @tparam int steps number of steps, from the first
-- @treturn torch.DoubleTensor steps x groups
-- @raise for a plateau schedule, whose rates depend on the metric, and beyond the end of a oneCycle schedule
function Schedule:values(steps)
  check.int('optim.Schedule.values', 'steps', steps, { min = 1 })
  local kind = self.kind
  check.that(not kind.step, ('optim.Schedule.values: %s: its rates depend on the metric'):format(kind.name))
  if kind.verify then kind.verify(self.options, steps - 1) end
  local rows = {}
  for count = 0, steps - 1 do
    local row = {}
    for i, base in ipairs(self.base) do row[i] = self:_rate(i, count, base) end
    rows[count + 1] = row
  end
  return torch.DoubleTensor(rows)
end

--- Returns the state that a program needs to continue later; the optimiser's own state is separate.
-- @treturn table `kind`, `count`, `base`, and what a plateau schedule has seen
function Schedule:stateDict()
  local state = { kind = self.kind.name, count = self.count, base = {} }
  for i, base in ipairs(self.base) do state.base[i] = base end
  for name in pairs(self.kind.state or {}) do state[name] = self[name] end
  return state
end

--- Continues from a state, and sets the rates.
-- @tparam table state result of `stateDict`
-- @raise if it is of another kind, or has another number of groups; then nothing changes
function Schedule:loadStateDict(state)
  local where, kind = 'optim.Schedule.loadStateDict', self.kind
  check.table(where, 'state', state)
  if state.kind ~= kind.name then check.raise(('%s: state: of %s, expected one of %s'):format(where, tostring(state.kind), kind.name)) end
  local base = check.table(where, 'state: base', state.base)
  if #base ~= #self.base then check.raise(('%s: state: %d groups, expected %d'):format(where, #base, #self.base)) end
  for i, rate in ipairs(base) do check.number(where, 'state: base ' .. i, rate, { min = 0 }) end
  check.int(where, 'state: count', state.count, { min = 0 })
  for name in pairs(kind.state or {}) do check.number(where, 'state: ' .. name, state[name]) end
  if kind.verify then kind.verify(self.options, state.count) end
  self.count, self.base = state.count, { unpack(base) }
  for name in pairs(kind.state or {}) do self[name] = state[name] end
  if not kind.step then self:_apply() end
end

return Schedule
