--- x where it is positive, else negval x: elementwise, any shape.
-- Source: Maas et al. (2013), "Rectifier Nonlinearities Improve Neural Network Acoustic Models", ICML, section 2.
-- @classmod nn.LeakyReLU
local check = require 'torch.check'

local LeakyReLU, parent = require 'nn'.declare {
  name = 'nn.LeakyReLU', inplace = true,
  formula = 'where(gt(input, 0), input, mul(input, negval))',
  gradient = 'where(gt(input, 0), g, mul(g, negval))',
  prints = function(self) return ('(%g)'):format(self.negval) end,
  samples = { { 'LeakyReLU()', { 4, 3 }, rows = true }, { 'LeakyReLU(0.3)', { 4, 3 }, rows = true } },
}

--- @tparam[opt=0.01] number negval slope below 0
-- @tparam[opt=false] boolean inplace write over the input; ignored for a negative slope, because the output then doesn't show which inputs
--   were positive
function LeakyReLU:__init(negval, inplace)
  parent.__init(self)
  self.negval = type(negval) == 'number' and negval or 1 / 100
  self.inplace = check.inplace(inplace)
  if self.negval < 0 then self.inplace = false end
end

return LeakyReLU
