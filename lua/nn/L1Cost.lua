--- Sum of |x|. Its gradient at 0 is 0. There is no target.
-- @classmod nn.L1Cost
local nn = require 'nn'

local L1Cost = nn.declare {
  name = 'nn.L1Cost', parent = 'nn.Criterion',
  formula = 'sum(abs(input))',
  samples = { { 'L1Cost()', { 4, 3 }, { 1 } } },
}

return L1Cost
