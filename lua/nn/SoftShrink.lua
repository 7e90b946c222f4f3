--- x - lambda above lambda, x + lambda below -lambda, else 0: elementwise, any shape.
-- Source: Donoho (1995), "De-noising by soft-thresholding", IEEE Trans. Inf. Theory 41(3).
-- @classmod nn.SoftShrink

--- @tparam[opt=0.5] number lambda
local SoftShrink = require 'nn'.declare {
  name = 'nn.SoftShrink',
  options = { { 'lambda', 'number', default = 0.5, field = 'lambda' } },
  formula = 'csub(input, clamp(input, -lambda, lambda))',
  samples = { { 'SoftShrink()', { 4, 3 }, rows = true }, { 'SoftShrink(0.2)', { 4, 3 }, rows = true } },
}

return SoftShrink
