--- Rectifier: max(0, x), elementwise, any shape. The gradient at 0 is 0.
-- @classmod nn.ReLU
local torch = require 'torch'
require 'nn'

local ReLU, parent = torch.class('nn.ReLU', 'nn.Threshold')

--- @tparam[opt=false] boolean inplace write over the input
function ReLU:__init(inplace)
  parent.__init(self, 0, 0, inplace)
end

function ReLU:compute(input)
  if self.inplace then return input:relu() end
  return torch.relu(input)
end
ReLU.letsGo = ReLU.compute

-- By the input: what comes next may write over the output.
ReLU.saved = { of = ReLU.compute, inplace = true, gradient = function(_, input, gradOutput)
  return torch.isTensor(input) and input:isSameSizeAs(gradOutput) and torch.relu_grad(gradOutput, input) or nil
end }

return ReLU
