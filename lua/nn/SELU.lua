--- s x where it is positive, else s a (exp(x) - 1), with the a and s for which layers keep mean 0 and variance 1.
-- Source: Klambauer et al. (2017), "Self-Normalizing Neural Networks", NIPS, equation 2.
-- @classmod nn.SELU
local nn = require 'nn'

--- @tparam[opt=false] boolean inplace write over the input
local SELU = nn.declare {
  name = 'nn.SELU',
  inplace = true,
  options = { { 'inplace', 'inplace', default = false, field = 'inplace' } },
  formula = 'mul(where(le(input, 0), mul(expm1(where(le(input, 0), input, 0)), 1.6732632423543772), input), 1.0507009873554805)',
  gradient = 'where(le(output, 0), cmul(g, add(output, 1.7580993408473766)), mul(g, 1.0507009873554805))',
  samples = { { 'SELU()', { 4, 3 }, rows = true } },
}
SELU.__givesWay = true

return SELU
