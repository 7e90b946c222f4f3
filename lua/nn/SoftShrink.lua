--- x - lambda above lambda, x + lambda below -lambda, else 0: elementwise, any shape.
-- @classmod nn.SoftShrink
local torch = require 'torch'

local SoftShrink, parent = require 'nn.support.elementwise'('nn.SoftShrink', function(x, module)
  return torch.csub(x, torch.clamp(x, -module.lambda, module.lambda))
end)

--- @tparam[opt=0.5] number lambda
function SoftShrink:__init(lambda)
  parent.__init(self)
  self.lambda = lambda or 0.5
end

return SoftShrink
