--- Square root, elementwise, any shape. The gradient at 0 is 0.
-- @classmod nn.Sqrt
local torch = require 'torch'

local Sqrt, parent = require 'nn.support.elementwise'('nn.Sqrt', function(x)
  local zero = torch.eq(x, 0)
  return torch.where(zero, 0, torch.sqrt(torch.where(zero, 1, x)))
end, nil, function(g, y) return torch.where(torch.eq(y, 0), 0, torch.div(torch.cdiv(g, y), 2)) end)

--- @tparam[opt=0] number eps kept in the field of that name, without influence
function Sqrt:__init(eps)
  parent.__init(self)
  self.eps = eps or 0
end

return Sqrt
