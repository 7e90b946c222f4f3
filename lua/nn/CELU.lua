--- x where it is positive, else alpha (exp(x / alpha) - 1).
-- Source: Barron (2017), "Continuously Differentiable Exponential Linear Units", arXiv:1704.07483.
-- @classmod nn.CELU
local nn = require 'nn'

--- @tparam[opt=1] number alpha not 0
-- @tparam[opt=false] boolean inplace write over the input
local CELU = nn.declare {
  name = 'nn.CELU',
  inplace = true,
  options = {
    { 'alpha', 'number', default = 1, field = 'alpha' },
    { 'inplace', 'inplace', default = false, field = 'inplace' },
  },
  formula = 'where(le(input, 0), mul(expm1(div(where(le(input, 0), input, 0), alpha)), alpha), input)',
  gradient = 'where(le(output, 0), cmul(g, add(div(output, alpha), 1)), g)',
  samples = { { 'CELU()', { 4, 3 }, rows = true }, { 'CELU(0.7)', { 4, 3 }, rows = true } },
}
CELU.__givesWay = true

return CELU
