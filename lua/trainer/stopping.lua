--- The best epoch by a measure, and the end of a run that doesn't improve any more.
-- @module trainer.stopping
local check = require 'torch.check'

local stopping = {}

--- Returns whether a run has not improved for `patience` epochs.
-- @tparam trainer.Trainer self
-- @int done number of epochs done
-- @treturn bool
function stopping.isExhausted(self, done) return self.patience ~= nil and done - (self.best and self.best.epoch or 0) >= self.patience end

--- Records the measure of an epoch that has ended, and stops the trainer if it is not better than the best one for `patience` epochs.
-- @tparam trainer.Trainer self
-- @treturn bool whether it is the best epoch so far
function stopping.record(self)
  local value, best = self.values[self.monitor], self.best
  if type(value) ~= 'number' then
    local names = {}
    for name, other in pairs(self.values) do
      if type(other) == 'number' then names[#names + 1] = name end
    end
    table.sort(names)
    check.raise(('Trainer: monitor: %s, expected one of %s'):format(self.monitor, table.concat(names, ', ')))
  end
  local gain = best and (self.goal == 'min' and best.value - value or value - best.value) or math.huge
  if value == value and gain > self.minDelta then
    self.best = { value = value, epoch = self.epoch, step = self.step }
    return true
  end
  if stopping.isExhausted(self, self.epoch) then self:stop 'patience' end
  return false
end

return stopping
