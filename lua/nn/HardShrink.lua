--- x where |x| > lambda, else 0: elementwise, any shape.
-- @classmod nn.HardShrink
local torch = require 'torch'

local HardShrink, parent = require 'nn.support.elementwise'('nn.HardShrink', function(x, module)
  return torch.where(torch.gt(torch.abs(x:detach()), module.lambda), x, 0)
end)

--- @tparam[opt=0.5] number lambda
function HardShrink:__init(lambda)
  parent.__init(self)
  self.lambda = lambda or 0.5
end

return HardShrink
