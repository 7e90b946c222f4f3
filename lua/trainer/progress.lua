--- The progress bar of an epoch: xlua's, which draws nothing where the output is no terminal.
-- @module trainer.progress
local bars = require 'xlua.bar'

local progress = {}

--- Begins the bar of an epoch.
-- @tparam trainer.Trainer self
function progress.begin(self)
  if not self._progress then return end
  self._bar = bars.Bar(self._data:size(), { description = ('epoch %d/%d'):format(self.epoch, self.epochs) }):update(self.batch)
end

--- Shows a step.
-- @tparam trainer.Trainer self
-- @int count number of its batches
function progress.step(self, count)
  if self._bar then self._bar:set({ loss = self.loss }):update(count) end
end

--- Ends the bar.
-- @tparam trainer.Trainer self
function progress.close(self)
  if self._bar then self._bar:close() end
  self._bar = nil
end

return progress
