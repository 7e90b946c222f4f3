--- x where it is positive, else alpha (e^x - 1): elementwise, any shape.
-- Source: Clevert et al. (2016), "Fast and Accurate Deep Network Learning by Exponential Linear Units", ICLR, eq. 13.
-- @classmod nn.ELU
local torch, check = require 'torch', require 'torch.check'

local ELU, parent = require 'nn.support.elementwise'('nn.ELU', function(x, module)
  local below = torch.le(x, 0)
  return torch.where(below, torch.mul(torch.expm1(torch.where(below, x, 0)), module.alpha), x)
end, nil, function(g, y, module) return torch.where(torch.le(y, 0), torch.cmul(g, torch.add(y, module.alpha)), g) end)

--- @tparam[opt=1] number alpha
-- @tparam[opt=false] boolean inplace write over the input
function ELU:__init(alpha, inplace)
  parent.__init(self)
  self.alpha = alpha or 1
  check.that(type(self.alpha) == 'number', 'nn.ELU: alpha: a number was expected')
  self.inplace = check.inplace(inplace)
end

function ELU:__tostring__()
  return ('%s (alpha:%f)'):format(torch.type(self), self.alpha)
end

return ELU
