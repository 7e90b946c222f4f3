--- log(1 + e^(beta x)) / beta, elementwise, any shape; x itself where beta x is above the field `threshold`, 20.
-- @classmod nn.SoftPlus
local torch = require 'torch'

local SoftPlus, parent = require 'nn.support.elementwise'('nn.SoftPlus', function(x, module)
  local scaled = torch.mul(x, module.beta)
  return torch.where(torch.gt(scaled, module.threshold), x, torch.div(torch.softplus(scaled), module.beta))
end, nil, function(g, y, module)
  local scaled = torch.mul(y, module.beta)
  return torch.where(torch.gt(scaled, module.threshold), g, torch.cmul(g, torch.rsub(torch.exp(torch.neg(scaled)), 1)))
end)

--- @tparam[opt=1] number beta
function SoftPlus:__init(beta)
  parent.__init(self)
  self.beta = beta or 1
  self.threshold = 20
end

-- Of modules in old files, which lack it.
SoftPlus.beta, SoftPlus.threshold = 1, 20

return SoftPlus
