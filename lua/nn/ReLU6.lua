--- min(max(0, x), 6), elementwise, any shape. The gradient is 0 at 0 and at 6.
-- @classmod nn.ReLU6
local torch, check = require 'torch', require 'torch.check'
local nn = require 'nn'

local ReLU6, parent = require 'nn.support.elementwise'('nn.ReLU6', function(x, module)
  return nn.HardTanh.compute({ min_val = 0, max_val = 6, inplace = module.inplace }, x)
end, nil, function(g, x) return torch.where(torch.cmul(torch.gt(x, 0), torch.lt(x, 6)), g, 0) end, 'input')

--- @tparam[opt=false] boolean inplace write over the input
function ReLU6:__init(inplace)
  parent.__init(self)
  self.inplace = check.inplace(inplace)
end

return ReLU6
