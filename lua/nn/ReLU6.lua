--- min(max(0, x), 6), elementwise, any shape. The gradient is 0 at 0 and at 6.
-- @classmod nn.ReLU6

--- @tparam[opt=false] boolean inplace write over the input
local ReLU6 = require 'nn'.declare {
  name = 'nn.ReLU6', inplace = true,
  options = { { 'inplace', 'inplace', default = false, field = 'inplace' } },
  formula = 'clamp(input, 0, 6)',
  gradient = 'where(cmul(gt(input, 0), lt(input, 6)), g, 0)',
  samples = { { 'ReLU6()', { 4, 3 }, rows = true } },
}

return ReLU6
