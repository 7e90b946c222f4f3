--- Trains a model on batches of data.
--
-- If the optimiser is an object such as optim.Adam(parameters), or the class, optim.Adam, the model computes on the tape: a module or a
-- function, with a criterion or a function of output and target. If it is a function such as optim.sgd, module and criterion follow
-- Torch7's protocol.
--
-- Fields, for hooks: `model`, `criterion`, `optimizer`, `schedule`; `epoch`, the present one, `step`, the number of steps made, `batch`,
-- the number of batches of the epoch; `input`, `target`, `output` and `loss` of the last batch; `values`, the measures of the last epoch
-- by name (`loss`, `validation.loss`, those of meters, `learningRate`), and `history`, those of all epochs; `best`, { value, epoch, step };
-- `average`; `gradientNorm` of the last step before it was clipped, with the option `clipGradNorm`; `memory`; `reason` of the end.
-- @classmod trainer.Trainer
-- @usage local trainer = Trainer { model = net, criterion = c, optimizer = steps, data = loader, epochs = 3 }
-- trainer:on('epoch', function(t) print(t.epoch, t.values.loss) end)
-- trainer:run()
local torch, C, check, trainer = require 'torch', require 'libmoontorch', require 'torch.check', require 'trainer'
local regions = require 'torch.start.regions'
local hooks, loop, Metrics = require 'trainer.hooks', require 'trainer.loop', require 'trainer.metrics'
local progress, records = require 'trainer.progress', require 'trainer.records'
local optionsOf, snapshot = require 'trainer.options', require 'trainer.snapshot'

local Trainer = torch.class('trainer.Trainer', trainer)

local function move(value, device)
  if type(value) == 'table' and type(value.to) == 'function' then value:to(device) end
end

-- Makes the optimiser, and its schedule, of a class of optimisers.
local function makeOptimizer(self, options)
  self.optimizer = self._ranks:optimizerOf(self.model, options.optimizer, options.config)
  options.optimizer = self.optimizer
  if type(self.schedule) ~= 'function' then return end
  self.schedule = self.schedule(self.optimizer)
  check.that(type(self.schedule) == 'table' and type(self.schedule.step) == 'function',
    'Trainer: schedule: its result has no method step, expected one of optim.schedule')
end

-- Returns the averages of the weights.
local function averageOf(self, average)
  if type(average) ~= 'function' then return average end
  average = average(self._protocol:parametersToAverage())
  check.that(torch.isTypeOf(average, 'optim.WeightAverage'), 'Trainer: average: its result, expected an optim.EMA or optim.SWA')
  return average
end

--- @tparam table options
--
-- - `model`, `criterion`, `optimizer`: see above; `config`: the options of an algorithm such as optim.sgd, or of a class such as
--   optim.Adam, of which the trainer makes an object, for all parameters
-- - `data`: a data.DataLoader, a list of batches, or a function that returns an iterator for each epoch; a batch is { input =, target = }
--   or { input, target }; `prepare`: a function that returns input and target of other batches
-- - `epochs`: number of passes over the data; `validation`: data that the model is measured on after each epoch
-- - `meters`: meters of torchnet, or functions of output and target that return a number, by name
-- - `hooks`: functions of the trainer by name: `start`, `batch` (a batch was read), `backward` (the gradients of a step are computed),
--   `step` (the optimiser has stepped), `epoch` (an epoch has ended, with its validation), `end`
-- - `schedule`: of optim.schedule, or, with a class as the optimiser, a function of the object that returns one; it steps after each
--   epoch, or after each step with `scheduleEvery = 'step'`
-- - `accumulate`: number of batches per step (1), whose gradients are averaged
-- - `clipGradNorm`: the largest norm of the gradients of a step: larger ones are scaled (optim.clipGradNorm)
-- - `average`: an optim.EMA or optim.SWA of the parameters, or a function of these that returns one: it is updated after each step, and
--   validated in place of the weights
-- - `precision`: 'bfloat16' or 'float16' computes in 16 bits where that is safe (torch.autocast); `scaler`: an optim.GradScaler with other
--   options than the default's for float16
-- - `device`: to which the model and all batches are moved, such as 'cuda'
-- - `checkpoints`: a folder, or { folder =, every =, keep =, best = }: a checkpoint is written after each epoch, after every `every` steps,
--   and when the run is stopped; the last `keep` (3) ones stay, and the best one, unless `best` is false
-- - `monitor`: the measure that decides which epoch is the best ('validation.loss', or 'loss' without validation); `goal`: 'min' or 'max';
--   `patience`: number of epochs without improvement, by more than `minDelta` (0), after which the run stops
-- - `logs`: loggers, such as trainer.CSVLogger, trainer.JSONLogger, trainer.SummaryWriter and optim.Logger, whose `add` gets the measures
--   of each epoch; `stepLogs`: loggers that get `epoch`, `step`, `stepLoss` and `learningRate` after every `logEvery` (1) steps
-- - `progress`: false draws no progress bar; `plot`: true draws the curves of the losses in a notebook, or a list of measures
-- - `checkNaN`: true raises an error when a loss or a gradient is not finite, which names the op, the line and the module
-- - `distributed`: true trains with all ranks of torch.distributed, as one process would: each takes its part of every batch. Or a table of
--   options of nn.DistributedDataParallel, or with `strategy`, which shares out the state of a class of optimisers ('shardOptimizer'),
--   gradients, too ('shardGradOp'), and the parameters ('fullShard'). The model may be an nn.FullyShardedDataParallel. Or, also with a
--   class, `tensorParallel = n` and `plan`, which spread the layers of each copy of the network over n ranks (nn.TensorParallel), or
--   `pipeline = n`, `microBatches` and `schedule`, which spread its stages (nn.PipelineParallel). See docs/packages/trainer.md
-- - `generators`: a list of the program's generators, and `memory`: a table of its values, which checkpoints contain
-- @raise if an option is unknown or of the wrong kind
function Trainer:__init(options)
  options = optionsOf(options)
  self.model, self.criterion, self.optimizer = options.model, options.criterion, options.optimizer
  self.schedule, self.scheduleEvery, self.scaler = options.schedule, options.scheduleEvery, options.scaler
  self.epochs, self.accumulate = options.epochs, options.accumulate
  self._metrics = Metrics.new('Trainer', options.meters)
  self._data, self._validation, self._prepare, self._device = options.data, options.validation, options.prepare, options.device
  self._hooks = options.hooks
  if options.device then
    move(self.model, options.device)
    move(self.criterion, options.device)
  end
  self._ranks = options.ranks
  if options.isClass and not self.model:isTracked() then self.model:requiresGrad() end
  options.model, self.model = self._ranks:wrap(self.model)
  if options.isClass then makeOptimizer(self, options) end
  self._protocol = require(options.isClassic and 'trainer.classic' or 'trainer.tape').new(options)
  self.average = options.average and averageOf(self, options.average)
  self.monitor, self.goal, self.patience, self.minDelta = options.monitor, options.goal, options.patience, options.minDelta
  self.memory, self._generators, self._checkpoints = options.memory, options.generators, options.checkpoints
  self.epoch, self.step, self.batch, self.history, self.values, self._running = 1, 0, 0, {}, {}, false
  self._checkNaN, self._logEvery, self._clipGradNorm = options.checkNaN, options.logEvery, options.clipGradNorm
  self._logs, self._stepLogs = {}, {}
  if self._ranks.isFirst then
    self._logs, self._stepLogs, self._progress, self._plot = options.logs, options.stepLogs, options.progress, options.plot
  end
  self.seed = self._ranks:first(torch.initialSeed) % 2 ^ 31
  if self._ranks.size > 1 then
    for _, source in ipairs { self._data, self._validation } do source:share(self._ranks) end
  end
end

--- Adds a hook, after those of its name.
-- @string name start, batch, backward, step, epoch or end
-- @tparam function fn of the trainer
-- @treturn trainer.Trainer self
function Trainer:on(name, fn)
  hooks.add(self._hooks, 'Trainer.on', name, fn)
  return self
end

--- Ends the run after the present step.
-- @string[opt='stop'] reason the field `reason`
function Trainer:stop(reason) self.reason = check.text('Trainer.stop', 'reason', reason == nil and 'stop' or reason) end

-- Trains. The first Ctrl-C ends the run after the present step.
local function run(self)
  local function setRunning(value)
    local former = self._running
    self._running = value
    C.holdInterrupts(value)
    if not value then progress.close(self) end
    return former
  end
  regions.call(setRunning, true, loop.run, self)
  return { reason = self.reason, epochs = self.epoch - 1, steps = self.step, values = self.values, best = self.best }
end

local function checkIdle(self, where) check.that(not self._running, where .. ': called from a hook of the same trainer') end

--- Trains. A run that was stopped continues where it ended; Ctrl-C stops it, too.
-- @treturn table `reason` of the end ('epochs', 'patience', 'interrupt', or that of `stop`), `epochs` and `steps` done, `values` of the
-- last epoch, `best`: { value, epoch, step } by the measure `monitor`
-- @raise if the folder has checkpoints of another run
function Trainer:run()
  checkIdle(self, 'Trainer.run')
  local isNew = self._checkpoints and self.step == 0
  if isNew and self._ranks:first(self._checkpoints.find, self._checkpoints) then
    check.raise(('Trainer.run: checkpoints: %s has checkpoints of an earlier run, expected a folder without; resume() continues it')
      :format(self._checkpoints.folder))
  end
  return run(self)
end

--- Reads a checkpoint: sets the model, the optimiser, the schedule, the position in the data, the generators and all else that a run needs.
-- @string[opt='last'] which 'last', 'best', or a file
-- @treturn trainer.Trainer self
-- @raise if there is none, if it is damaged, or of another model, optimiser or data; then nothing changes
function Trainer:load(which)
  local where = 'Trainer.load'
  checkIdle(self, where)
  which = which == nil and 'last' or check.name(where, 'which', which)
  local isWord = which == 'last' or which == 'best'
  check.that(self._checkpoints or not isWord, where .. ": which: expected a file: the trainer has no option 'checkpoints'")
  local name = self._ranks:first(function()
    local found = isWord and self._checkpoints:find(which) or not isWord and which
    if not found then check.raise(('%s: which: %s has no checkpoint'):format(where, self._checkpoints.folder)) end
    return found
  end)
  local state = self._ranks:read(where, name, self.average)
  snapshot.restore(self, state, ('%s: checkpoint: %s'):format(where, name))
  self._positions = state.logs
  return self
end

--- Continues from a checkpoint, in the middle of an epoch, too: the parameters become those of a run without interruption, to the last bit.
-- Without a checkpoint in the folder it trains from the beginning.
-- @string[opt='last'] which 'last', 'best', or a file
-- @treturn table as `run`
-- @raise as `load`
function Trainer:resume(which)
  local begins = which == nil and self._checkpoints and not self._ranks:first(self._checkpoints.find, self._checkpoints)
  if begins then return self:run() end
  self:load(which)
  records.resume(self._logs, self._positions.epochs)
  records.resume(self._stepLogs, self._positions.steps)
  return run(self)
end

function Trainer:__tostring__() return ('trainer.Trainer: epoch %d of %d, %d steps'):format(self.epoch, self.epochs, self.step) end

return { Trainer = trainer.Trainer }
