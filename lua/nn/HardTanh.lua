--- x between two bounds, else the bound: elementwise, any shape. The gradient at the bounds is 0.
-- @classmod nn.HardTanh
local torch, check = require 'torch', require 'torch.check'

local HardTanh, parent = require 'nn.support.elementwise'('nn.HardTanh', function(x, module)
  local min, max = module.min_val or -1, module.max_val or 1      -- old files don't say
  if not x:isTracked() then return torch.clamp(x, min, max) end
  return torch.where(torch.cmul(torch.gt(x, min), torch.lt(x, max)), x, torch.clamp(x:detach(), min, max))
end, nil, function(g, x, module)
  local min, max = module.min_val or -1, module.max_val or 1
  return torch.where(torch.cmul(torch.gt(x, min), torch.lt(x, max)), g, 0)
end, 'input')

--- @tparam[opt=-1] number min
-- @tparam[opt=1] number max
-- @tparam[opt=false] boolean inplace write over the input
function HardTanh:__init(min, max, inplace)
  parent.__init(self)
  self.min_val, self.max_val = min or -1, max or 1
  self.inplace = check.inplace(inplace)
  check.that(self.max_val > self.min_val, 'max_value must be larger than min_value')
end

return HardTanh
