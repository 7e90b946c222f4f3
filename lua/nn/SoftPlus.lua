--- log(1 + e^(beta x)) / beta, elementwise, any shape; x itself where beta x is above the field `threshold`, 20.
-- Source: Dugas et al. (2001), "Incorporating Second-Order Functional Knowledge for Better Option Pricing", NIPS.
-- @classmod nn.SoftPlus

--- @tparam[opt=1] number beta
local SoftPlus = require 'nn'.declare {
  name = 'nn.SoftPlus',
  options = { { 'beta', 'number', default = 1, field = 'beta' } },
  formula = 'where(gt(mul(input, beta), threshold), input, div(softplus(mul(input, beta)), beta))',
  gradient = 'where(gt(mul(output, beta), threshold), g, cmul(g, rsub(exp(mul(output, -beta)), 1)))',
  samples = { { 'SoftPlus()', { 4, 3 }, rows = true }, { 'SoftPlus(2.5)', { 4, 3 }, rows = true } },
}

-- For modules in old files, which lack it.
SoftPlus.beta, SoftPlus.threshold = 1, 20

return SoftPlus
