--- Mean and standard deviation of numbers.
-- @module torchnet.meter.averagevaluemeter
local torch, argcheck, tnt = require 'torch', require 'argcheck', require 'torchnet.env'

--- @type tnt.AverageValueMeter
local AverageValueMeter = torch.class('tnt.AverageValueMeter', 'tnt.Meter', tnt)

AverageValueMeter.__init = argcheck {
  help = 'Mean and standard deviation of numbers.',
  { name = 'self', type = 'tnt.AverageValueMeter' }, call = function(self) self:reset() end,
}

--- Removes all numbers.
function AverageValueMeter:reset() self.n, self.mean, self.squares = 0, 0, 0 end

--- Adds a number, n times.
-- @function add
-- @number value
-- @number[opt=1] n
AverageValueMeter.add = argcheck {
  { name = 'self', type = 'tnt.AverageValueMeter' }, { name = 'value', type = 'number' }, { name = 'n', type = 'number', default = 1 },
  call = function(self, value, n)
    self.n = self.n + n
    local difference = value - self.mean
    self.mean = self.mean + difference * n / self.n
    self.squares = self.squares + n * difference * (value - self.mean)
  end,
}

--- @treturn number mean; NaN without numbers
-- @treturn number standard deviation, with n - 1; NaN for one number
function AverageValueMeter:value()
  if self.n == 0 then return 0 / 0, 0 / 0 end
  if self.n <= 1 then return self.mean, 0 / 0 end
  return self.mean, math.sqrt(self.squares / (self.n - 1))
end

return { AverageValueMeter = tnt.AverageValueMeter }
