--- A sigmoid of three lines: x / 6 + 1/2 between -3 and 3, 0 below, 1 above.
-- @classmod nn.Hardsigmoid
local nn = require 'nn'

--- @tparam[opt=false] boolean inplace write over the input
local Hardsigmoid = nn.declare {
  name = 'nn.Hardsigmoid', inplace = true,
  options = { { 'inplace', 'inplace', default = false, field = 'inplace' } },
  formula = 'div(clamp(add(input, 3), 0, 6), 6)',
  gradient = 'where(cmul(gt(output, 0), lt(output, 1)), div(g, 6), 0)',
  samples = { { 'Hardsigmoid()', { 4, 3 }, rows = true } },
}
Hardsigmoid.__givesWay = true

return Hardsigmoid
