--- x where it is positive, else negval x: elementwise, any shape.
-- Source: Maas et al. (2013), "Rectifier Nonlinearities Improve Neural Network Acoustic Models", ICML, section 2.
-- @classmod nn.LeakyReLU
local torch, check = require 'torch', require 'torch.check'

local LeakyReLU, parent = require 'nn.support.elementwise'('nn.LeakyReLU', function(x, module)
  return torch.where(torch.gt(x, 0), x, torch.mul(x, module.negval))
end, nil, function(g, x, module) return torch.where(torch.gt(x, 0), g, torch.mul(g, module.negval)) end, 'input')

--- @tparam[opt=0.01] number negval slope below 0
-- @tparam[opt=false] boolean inplace write over the input; off for a negative slope, whose output doesn't tell where the input was positive
function LeakyReLU:__init(negval, inplace)
  parent.__init(self)
  self.negval = type(negval) == 'number' and negval or 1 / 100
  self.inplace = check.inplace(inplace)
  if self.negval < 0 then self.inplace = false end
end

function LeakyReLU:__tostring__()
  return ('%s(%g)'):format(torch.type(self), self.negval)
end

return LeakyReLU
