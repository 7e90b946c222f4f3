--- Checks the options of a trainer.
-- @module trainer.options
local torch, check = require 'torch', require 'torch.check'
local hooks, precision, sourceOf = require 'trainer.hooks', require 'trainer.precision', require 'trainer.source'
local Checkpoints, random = require 'trainer.checkpoints', require 'trainer.random'
local livePlot, records, ranks = require 'trainer.live_plot', require 'trainer.records', require 'trainer.ranks'
local kindOf = require('torch.check.message').kind

local where = 'Trainer'

local names = {
  'model', 'criterion', 'optimizer', 'config', 'data', 'epochs', 'validation', 'meters', 'prepare', 'device', 'hooks', 'schedule',
  'scheduleEvery', 'accumulate', 'precision', 'scaler', 'checkpoints', 'monitor', 'goal', 'patience', 'minDelta', 'generators', 'memory',
  'logs', 'stepLogs', 'logEvery', 'progress', 'plot', 'checkNaN', 'distributed', 'clipGradNorm', 'average',
}

local function required(given, name, expected)
  if given[name] == nil then check.raise(('%s: %s: nothing, expected %s'):format(where, name, expected)) end
  return given[name]
end

local function has(value, method) return type(value) == 'table' and type(value[method]) == 'function' end

-- Checks what each step needs: a model, a criterion and an optimiser of one protocol.
local function readStep(options, given)
  options.model = required(given, 'model', 'a module or a function')
  options.criterion = required(given, 'criterion', 'a criterion, or a function of output and target')
  local optimizer = required(given, 'optimizer', 'an object such as optim.Adam(parameters), or a function such as optim.sgd')
  options.optimizer, options.isClassic = optimizer, type(optimizer) == 'function'
  if options.isClassic then
    if not (has(options.model, 'getParameters') and has(options.model, 'backward')) then
      check.raise(('%s: model: %s, expected a module, for an algorithm of optim'):format(where, kindOf(options.model)))
    end
    if not (has(options.criterion, 'forward') and has(options.criterion, 'backward')) then
      check.raise(('%s: criterion: %s, expected a criterion, for an algorithm of optim'):format(where, kindOf(options.criterion)))
    end
    options.config = given.config == nil and {} or check.table(where, 'config', given.config)
    return
  end
  options.isClass = has(optimizer, 'step') and optimizer._rule ~= nil and optimizer.parameters == nil
  if options.isClass then
    check.instance(where, 'model', options.model, 'a module, for a class of optimisers')
    options.config = given.config == nil and {} or check.table(where, 'config', given.config)
    check.callable(where, 'criterion', options.criterion)
    return
  end
  if not (has(optimizer, 'step') and has(optimizer, 'zeroGrad') and type(optimizer.parameters) == 'table') then
    check.raise(('%s: optimizer: %s, expected an object such as optim.Adam(parameters), a class such as optim.Adam, or a function such as '
      .. 'optim.sgd'):format(where, kindOf(optimizer)))
  end
  check.that(given.config == nil, where .. ': config: given with an object as the optimizer, expected nil: the object has its own')
  check.callable(where, 'model', options.model)
  check.callable(where, 'criterion', options.criterion)
end

local function readSchedule(options, given)
  options.schedule = given.schedule
  local isMaker = options.isClass and type(given.schedule) == 'function'
  if given.schedule ~= nil and not isMaker and not has(given.schedule, 'step') then
    check.raise(('%s: schedule: %s, expected one of optim.schedule%s'):format(where, kindOf(given.schedule),
      options.isClass and ', or a function of the optimiser that returns one' or ''))
  end
  options.scheduleEvery = check.choice(where, 'scheduleEvery', given.scheduleEvery or 'epoch', { 'epoch', 'step' })
end

local function readAverage(options, given)
  local average = given.average
  if average ~= nil and type(average) ~= 'function' and not torch.isTypeOf(average, 'optim.WeightAverage') then
    check.raise(('%s: average: %s, expected an optim.EMA or optim.SWA, or a function of the parameters that returns one'):format(where,
      kindOf(average)))
  end
  options.average = average
end

-- Checks what a checkpoint needs: states of the optimiser and the schedule.
local function readCheckpoints(options, given)
  options.checkpoints = given.checkpoints ~= nil and Checkpoints.new(where, given.checkpoints) or nil
  for _, name in ipairs { 'optimizer', 'schedule' } do
    local value = options[name]
    if options.checkpoints and value and type(value) ~= 'function' and not (has(value, 'stateDict') and has(value, 'loadStateDict')) then
      check.raise(('%s: %s: without stateDict and loadStateDict, expected both, for checkpoints'):format(where, name))
    end
  end
  options.generators = random.read(where, given.generators)
  options.memory = given.memory == nil and {} or check.table(where, 'memory', given.memory)
end

local function readMonitor(options, given)
  local usual = options.validation and 'validation.loss' or 'loss'
  options.monitor = check.text(where, 'monitor', given.monitor == nil and usual or given.monitor)
  options.goal = check.choice(where, 'goal', given.goal or 'min', { 'min', 'max' })
  options.patience = given.patience ~= nil and check.int(where, 'patience', given.patience, { min = 1 }) or nil
  options.minDelta = check.number(where, 'minDelta', given.minDelta or 0, { min = 0 })
end

local function readReports(options, given)
  options.logs, options.stepLogs = records.read(where, 'logs', given.logs), records.read(where, 'stepLogs', given.stepLogs)
  options.logEvery = check.int(where, 'logEvery', given.logEvery or 1, { min = 1 })
  options.progress = check.flag(where, 'progress', given.progress) ~= false
  options.plot = livePlot.read(where, given.plot)
  options.checkNaN = check.flag(where, 'checkNaN', given.checkNaN) or false
end

-- The name of a device to which a tensor can be moved: `to` also accepts the names of types, and loads CUDA.
local function deviceOf(name)
  name = check.text(where, 'device', name)
  local good, moved = pcall(torch.to, torch.Tensor(1), name)
  if not good and moved:find 'CUDA: ' then check.raise(('%s: device: %s'):format(where, moved:match 'CUDA: .*')) end
  if not good or moved:device():sub(1, #name) ~= name then
    check.raise(("%s: device: '%s', expected one of %s"):format(where, name, table.concat(torch.devices(), ', ')))
  end
  return name
end

--- @tparam table given
-- @treturn table
return function(given)
  if type(given) ~= 'table' then
    check.raise(('%s: options: %s, expected a table such as { model = ... }'):format(where, kindOf(given)))
  end
  check.options(where, given, names)
  local options = {}
  readStep(options, given)
  options.data = sourceOf(where, 'data', required(given, 'data', 'a loader, a list of batches, or a function'))
  options.validation = given.validation ~= nil and sourceOf(where, 'validation', given.validation) or nil
  options.epochs = check.int(where, 'epochs', required(given, 'epochs', 'a number of passes'), { min = 0 })
  options.prepare = given.prepare ~= nil and check.callable(where, 'prepare', given.prepare) or nil
  options.hooks = hooks.read(where, given.hooks)
  readSchedule(options, given)
  options.accumulate = check.int(where, 'accumulate', given.accumulate or 1, { min = 1 })
  options.precision, options.within = given.precision, precision.region(where, given.precision)
  options.scaler = precision.scaler(where, given.scaler, given.precision)
  options.clipGradNorm = given.clipGradNorm ~= nil and check.number(where, 'clipGradNorm', given.clipGradNorm, { min = 0 }) or nil
  options.meters = given.meters
  readAverage(options, given)
  readCheckpoints(options, given)
  readMonitor(options, given)
  readReports(options, given)
  if options.scaler.enabled and not options.isClassic and (options.optimizer._rule or {}).search then
    check.raise(('%s: optimizer: %s, expected one without a search: losses are scaled'):format(where, torch.typename(options.optimizer)))
  end
  options.device = given.device ~= nil and deviceOf(given.device) or nil
  options.ranks = ranks.read(given.distributed, options)
  return options
end
