--- Mean and standard deviation of the last numbers.
-- @module torchnet.meter.movingaveragevaluemeter
local torch, argcheck, tnt = require 'torch', require 'argcheck', require 'torchnet.env'

--- @type tnt.MovingAverageValueMeter
local Moving = torch.class('tnt.MovingAverageValueMeter', 'tnt.Meter', tnt)

--- @function __init
-- @int windowsize number of last numbers
Moving.__init = argcheck {
  help = 'Mean and standard deviation of the last numbers.',
  { name = 'self', type = 'tnt.MovingAverageValueMeter' },
  { name = 'windowsize', type = 'number', check = function(n) return n >= 1 and n % 1 == 0 end, help = 'how many numbers count' },
  call = function(self, windowsize)
    self.windowsize = windowsize
    self:reset()
  end,
}

--- Removes all numbers.
function Moving:reset() self.n, self.window = 0, torch.DoubleTensor(self.windowsize):zero() end

--- Adds a number.
-- @function add
-- @number value
Moving.add = argcheck {
  { name = 'self', type = 'tnt.MovingAverageValueMeter' }, { name = 'value', type = 'number' },
  call = function(self, value)
    self.window[self.n % self.windowsize + 1] = value
    self.n = self.n + 1
  end,
}

--- @treturn number mean; NaN without numbers
-- @treturn number standard deviation, with n - 1; NaN for one number
function Moving:value()
  local count = math.min(self.n, self.windowsize)
  if count == 0 then return 0 / 0, 0 / 0 end
  local window = self.window:narrow(1, 1, count)
  return window:mean(), count == 1 and 0 / 0 or window:std()
end

return { MovingAverageValueMeter = tnt.MovingAverageValueMeter }
