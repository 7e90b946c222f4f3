--- x (x / 6 + 1/2) between -3 and 3, 0 below, x above.
-- Source: Howard et al. (2019), "Searching for MobileNetV3", ICCV, section 5.2.
-- @classmod nn.Hardswish
local nn = require 'nn'

--- @tparam[opt=false] boolean inplace accepted, but ignored: backward needs the input
local Hardswish = nn.declare {
  name = 'nn.Hardswish',
  options = { { 'inplace', 'inplace', default = false, field = 'inplace' } },
  formula = 'cmul(input, div(clamp(add(input, 3), 0, 6), 6))',
  samples = { { 'Hardswish()', { 4, 3 }, rows = true } },
}
Hardswish.__givesWay = true

return Hardswish
