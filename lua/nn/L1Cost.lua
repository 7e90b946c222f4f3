--- Sum of |x|, whose gradient at 0 is 0. There is no target.
-- @classmod nn.L1Cost
local torch = require 'torch'
require 'nn'

local L1Cost = torch.class('nn.L1Cost', 'nn.Criterion')

function L1Cost:compute(input)
  return torch.sum(torch.abs(input))
end

return L1Cost
