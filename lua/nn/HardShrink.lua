--- x where |x| > lambda, else 0: elementwise, any shape.
-- @classmod nn.HardShrink

--- @tparam[opt=0.5] number lambda
local HardShrink = require 'nn'.declare {
  name = 'nn.HardShrink',
  options = { { 'lambda', 'number', default = 0.5, field = 'lambda' } },
  formula = 'where(gt(abs(input), lambda), input, 0)',
  samples = { { 'HardShrink()', { 4, 3 }, rows = true }, { 'HardShrink(0.2)', { 4, 3 }, rows = true } },
}

return HardShrink
