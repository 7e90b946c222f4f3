--- Trains a model on batches of data.
--
-- If the optimiser is an object such as optim.Adam, the model computes on the tape: a module or a function, with a criterion or a function
-- of output and target. If it is a function such as optim.sgd, module and criterion follow Torch7's protocol.
--
-- Fields, for hooks: `model`, `criterion`, `optimizer`, `schedule`; `epoch`, the present one, `step`, the number of steps made, `batch`,
-- the number of batches of the epoch; `input`, `target`, `output` and `loss` of the last batch; `values`, the measures of the last epoch
-- by name (`loss`, `validation.loss`, those of meters, `learningRate`), and `history`, those of all epochs; `reason` of the end.
-- @classmod trainer.Trainer
-- @usage local trainer = Trainer { model = net, criterion = c, optimizer = steps, data = loader, epochs = 3 }
-- trainer:on('epoch', function(t) print(t.epoch, t.values.loss) end)
-- trainer:run()
local torch, check, trainer = require 'torch', require 'torch.check', require 'trainer'
local regions = require 'torch.start.regions'
local hooks, loop, Metrics = require 'trainer.hooks', require 'trainer.loop', require 'trainer.metrics'
local optionsOf = require 'trainer.options'

local Trainer = torch.class('trainer.Trainer', trainer)

local function move(value, device)
  if type(value) == 'table' and type(value.to) == 'function' then value:to(device) end
end

--- @tparam table options
--
-- - `model`, `criterion`, `optimizer`: see above; `config`: the options of an algorithm such as optim.sgd
-- - `data`: a data.DataLoader, a list of batches, or a function that returns an iterator for each epoch; a batch is { input =, target = }
--   or { input, target }; `prepare`: a function that returns input and target of other batches
-- - `epochs`: number of passes over the data; `validation`: data that the model is measured on after each epoch
-- - `meters`: meters of torchnet, or functions of output and target that return a number, by name
-- - `hooks`: functions of the trainer by name: `start`, `batch` (a batch was read), `backward` (the gradients of a step are computed),
--   `step` (the optimiser has stepped), `epoch` (an epoch has ended, with its validation), `end`
-- - `schedule`: of optim.schedule, which steps after each epoch, or after each step with `scheduleEvery = 'step'`
-- - `accumulate`: number of batches per step (1), whose gradients are averaged
-- - `precision`: 'bfloat16' or 'float16' computes in 16 bits where that is safe (torch.autocast); `scaler`: an optim.GradScaler with other
--   options than the default's for float16
-- - `device`: to which the model and all batches are moved, such as 'cuda'
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
  self._protocol = require(options.isClassic and 'trainer.classic' or 'trainer.tape').new(options)
  self.monitor = self._validation and 'validation.loss' or 'loss'
  self.epoch, self.step, self.batch, self.history, self.values, self._running = 1, 0, 0, {}, {}, false
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

--- Trains. A run that was stopped continues where it ended.
-- @treturn table `reason` of the end ('epochs', or that of `stop`), `epochs` and `steps` done, `values` of the last epoch
function Trainer:run()
  check.that(not self._running, 'Trainer.run: called from a hook of the same trainer')
  local function setRunning(value)
    local former = self._running
    self._running = value
    return former
  end
  regions.call(setRunning, true, loop.run, self)
  return { reason = self.reason, epochs = self.epoch - 1, steps = self.step, values = self.values }
end

function Trainer:__tostring__() return ('trainer.Trainer: epoch %d of %d, %d steps'):format(self.epoch, self.epochs, self.step) end

return { Trainer = trainer.Trainer }
