--- x^p, elementwise, any shape.
-- @classmod nn.Power
local torch = require 'torch'

local Power, parent = require 'nn.support.elementwise'('nn.Power', function(x, module) return torch.pow(x, module.pow) end)

--- @tparam number p
function Power:__init(p)
  parent.__init(self)
  self.pow = p
end

return Power
