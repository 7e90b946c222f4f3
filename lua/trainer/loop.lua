--- The loop of a trainer: epochs of steps, each of one batch or several, and a validation after each epoch.
-- @module trainer.loop
local C = require 'libmoontorch'
local hooks, batch, random = require 'trainer.hooks', require 'trainer.batch', require 'trainer.random'
local snapshot, stopping, records = require 'trainer.snapshot', require 'trainer.stopping', require 'trainer.records'
local nanCheck, progress, livePlot = require 'trainer.nan_check', require 'trainer.progress', require 'trainer.live_plot'

local loop = {}

-- The model's mode, if it has one.
local function setMode(self, mode)
  local model = self._protocol.model
  if type(model) == 'table' and type(model[mode]) == 'function' then model[mode](model) end
end

local function call(self, name) hooks.call(self._hooks, name, self) end

-- Computes the gradients of up to `accumulate` batches. Returns the batches with their numbers of samples, and the mean of their losses;
-- nil at the end of the epoch.
local function gradients(self, following)
  local protocol, group, losses, states = self._protocol, {}, 0, {}
  for i = 1, self.accumulate do
    local given = random.following(following, self.seed, self.epoch, self.batch)
    if given == nil then break end
    self.batch = self.batch + 1
    local size, partLoss
    self.input, self.target, size = batch.part(given, self, self._data)
    if size > 0 then call(self, 'batch') end
    if i == 1 then protocol:zero() end
    states[i] = self._checkNaN and nanCheck.begin(self) or nil
    self.loss, partLoss, self.output = self._ranks:add(protocol, self.input, self.target, size, 1 / self.accumulate)
    if self._checkNaN then nanCheck.loss(self, states[i]) end
    losses, group[i] = losses + self.loss, { input = self.input, target = self.target, size = size }
    if size > 0 and self._ranks.measures then self._metrics:add(partLoss, size, self.output, self.target) end
  end
  if #group == 0 then return nil end
  if #group < self.accumulate then protocol:multiply(self.accumulate / #group) end
  if self._checkNaN then nanCheck.gradients(self, states, group) end
  return group, losses / #group
end

-- Limits the norm of the gradients.
local function clip(self)
  if self._clipGradNorm then self.gradientNorm = self._ranks:clip(self._protocol, self._clipGradNorm) end
end

-- Returns a function that computes the gradients of the same batches anew, and returns the mean loss.
local function again(self, group)
  local protocol = self._protocol
  return function()
    protocol:zero()
    local losses = 0
    for _, part in ipairs(group) do
      losses = losses + self._ranks:add(protocol, part.input, part.target, part.size, 1 / #group)
    end
    clip(self)
    return losses / #group
  end
end

--- Makes a step of a trainer.
-- @tparam trainer.Trainer self
-- @tparam function following returns the next batch
-- @treturn bool whether the epoch continues
function loop.step(self, following)
  local protocol = self._protocol
  local group, loss = gradients(self, following)
  if not group then return false end
  self.loss = loss
  if self.scaler.enabled then
    protocol:unscale()
    self._ranks:agreeOnScale(self.scaler)
  end
  clip(self)
  call(self, 'backward')
  local isLogged = #self._stepLogs > 0 and (self.step + 1) % self._logEvery == 0
  local rate = isLogged and protocol:learningRate()      -- of this step: the schedule changes it
  protocol:step(again(self, group), loss)
  self.step = self.step + 1
  if self.average then self.average:update() end
  if self.schedule and self.scheduleEvery == 'step' then self.schedule:step() end
  if isLogged then
    records.add(self._stepLogs, { epoch = self.epoch, step = self.step, stepLoss = loss, learningRate = rate })
  end
  progress.step(self, #group)
  call(self, 'step')
  if C.heldInterrupts() > 0 then self:stop 'interrupt' end
  self.reason = self._ranks:agreed(self.reason)
  return #group == self.accumulate      -- of a smaller group the data have ended: a loader is in its next epoch
end

-- Measures the model on the validation data.
local function validate(self)
  local metrics = self._metrics:clone()
  self._ranks:shareBuffers()
  setMode(self, 'evaluate')
  local following, count = self._validation:begin(0), 0
  local function nextBatch() return random.following(following, self.seed, -self.epoch, count) end
  for given in nextBatch do
    count = count + 1
    local input, target, size = batch.part(given, self, self._validation)
    local loss, output = self._ranks:evaluate(self._protocol, input, target, size)
    if loss then metrics:add(loss, size, output, target) end
  end
  setMode(self, 'training')
  metrics:joint(self._ranks, 'validation.', self.values)
end

-- Measures the averages of the weights in their place, if the trainer keeps some.
local function validateAverage(self)
  if not self.average then return validate(self) end
  self.average:apply()
  local done, problem = pcall(validate, self)
  self.average:restore()
  if not done then error(problem, 0) end
end

-- A plateau schedule decides by a measure.
local function advanceSchedule(self)
  if not self.schedule or self.scheduleEvery ~= 'epoch' then return end
  local kind = self.schedule.kind
  if kind and kind.step then self.schedule:step(self.values[self.monitor]) else self.schedule:step() end
end

local function save(self, isBest)
  if self._checkpoints then self._checkpoints:save(self._ranks, self.step, snapshot.take(self), self.average, isBest) end
end

-- Ends an epoch: validation, records, hooks, a checkpoint.
local function finish(self)
  progress.close(self)
  self.values = { epoch = self.epoch, step = self.step, learningRate = self._protocol:learningRate() }
  self._metrics:joint(self._ranks, '', self.values)
  if self._validation then validateAverage(self) end
  advanceSchedule(self)
  self.history[#self.history + 1] = self.values
  local isBest = stopping.record(self)
  records.add(self._logs, self.values)
  livePlot.draw(self)
  call(self, 'epoch')
  if C.heldInterrupts() > 0 then self:stop 'interrupt' end
  self.reason = self._ranks:agreed(self.reason)
  self.epoch, self.batch = self.epoch + 1, 0
  self._metrics:reset()
  save(self, isBest)
end

--- Trains until the last epoch's end, or until something stops the trainer between two steps.
-- @tparam trainer.Trainer self
function loop.run(self)
  self.reason = stopping.isExhausted(self, self.epoch - 1) and 'patience' or nil      -- of a run that was resumed after its end
  self._ranks:begin()
  call(self, 'start')
  self.reason = self._ranks:agreed(self.reason)
  while self.epoch <= self.epochs and not self.reason do
    setMode(self, 'training')
    random.begin(self.seed, self.epoch, -1)
    local following = self._data:begin(self.batch)
    progress.begin(self)
    local continues, every = true, self._checkpoints and self._checkpoints.every
    while continues and not self.reason do
      continues = loop.step(self, following)
      if continues and every and self.step % every == 0 then save(self, false) end
    end
    if continues then
      progress.close(self)
      self._data:leave()
      save(self, false)
    else
      finish(self)
    end
  end
  self.reason = self.reason or 'epochs'
  call(self, 'end')
end

return loop
