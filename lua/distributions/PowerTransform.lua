--- The map x^exponent of positive numbers.
-- @classmod distributions.PowerTransform
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local check = require 'torch.check'
require 'distributions.Transform'

local PowerTransform = torch.class('distributions.PowerTransform', 'distributions.Transform')
PowerTransform.domain, PowerTransform.codomain = constraints.positive, constraints.positive

--- @number exponent not 0
function PowerTransform:__init(exponent)
  check.number('distributions.PowerTransform', 'exponent', exponent)
  check.that(exponent ~= 0, 'distributions.PowerTransform: exponent: 0, expected another number', 'range')
  self.exponent, self.sign = exponent, exponent > 0 and 1 or -1
end

function PowerTransform:_call(x) return torch.pow(x, self.exponent) end
function PowerTransform:_inverse(y) return torch.pow(y, 1 / self.exponent) end
function PowerTransform:_logDet(x) return torch.log(x) * (self.exponent - 1) + math.log(math.abs(self.exponent)) end

return PowerTransform
