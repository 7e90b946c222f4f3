--- x tanh(log(1 + exp(x))).
-- Source: Misra (2020), "Mish: A Self Regularized Non-Monotonic Activation Function", BMVC.
-- @classmod nn.Mish
local nn = require 'nn'

--- @tparam[opt=false] boolean inplace accepted, but ignored: backward needs the input
local Mish = nn.declare {
  name = 'nn.Mish',
  options = { { 'inplace', 'inplace', default = false, field = 'inplace' } },
  formula = 'cmul(input, tanh(softplus(input)))',
  samples = { { 'Mish()', { 4, 3 }, rows = true } },
}
Mish.__givesWay = true

return Mish
