--- Seconds, or seconds per unit of work.
-- @module torchnet.meter.timemeter
local torch, argcheck, clock, tnt = require 'torch', require 'argcheck', require 'torch.clock', require 'torchnet.env'

--- @type tnt.TimeMeter
local TimeMeter = torch.class('tnt.TimeMeter', 'tnt.Meter', tnt)

--- @function __init
-- @bool[opt=false] unit whether to divide the value by the units that `incUnit` counts
TimeMeter.__init = argcheck {
  help = 'Seconds, or seconds a unit of work.',
  { name = 'self', type = 'tnt.TimeMeter' }, { name = 'unit', type = 'boolean', default = false, help = 'divide by the units' },
  call = function(self, unit)
    self.unit = unit
    self:reset()
  end,
}

--- Restarts the clock at 0.
function TimeMeter:reset() self.n, self.spent, self.began = 0, 0, clock.monotonic() end

--- Stops the clock.
function TimeMeter:stop()
  if not self.began then return end
  self.spent, self.began = self.spent + clock.monotonic() - self.began, nil
end

--- Resumes the clock.
function TimeMeter:resume() self.began = self.began or clock.monotonic() end

--- Counts units of work.
-- @function incUnit
-- @number[opt=1] value number of units
TimeMeter.incUnit = argcheck {
  { name = 'self', type = 'tnt.TimeMeter' }, { name = 'value', type = 'number', default = 1 },
  call = function(self, value) self.n = self.n + value end,
}

--- @treturn number
function TimeMeter:value()
  local seconds = self.spent + (self.began and clock.monotonic() - self.began or 0)
  return self.unit and seconds / self.n or seconds
end

return { TimeMeter = tnt.TimeMeter }
