--- log(1 + exp(beta x)) / beta, and x where beta x > threshold. (nn.SoftPlus derives its gradient from the output, as in Torch7.)
-- @classmod nn.Softplus
local nn = require 'nn'

--- @tparam[opt=1] number beta
-- @tparam[opt=20] number threshold
local Softplus = nn.declare {
  name = 'nn.Softplus',
  options = { { 'beta', 'number', default = 1, field = 'beta' }, { 'threshold', 'number', default = 20, field = 'threshold' } },
  formula = 'where(gt(mul(input, beta), threshold), input, div(softplus(mul(input, beta)), beta))',
  samples = { { 'Softplus()', { 4, 3 }, rows = true }, { 'Softplus(2.5, 1.5)', { 4, 3 }, rows = true } },
}
Softplus.__givesWay = true

return Softplus
