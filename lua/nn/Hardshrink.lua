--- nn.HardShrink by PyTorch's name: x where |x| > lambd, else 0.
-- @classmod nn.Hardshrink
local nn = require 'nn'

--- @tparam[opt=0.5] number lambd
local Hardshrink = nn.declare {
  name = 'nn.Hardshrink', parent = 'nn.HardShrink',
  options = { { 'lambd', 'number', default = 0.5, field = 'lambda' } },
  samples = { { 'Hardshrink()', { 4, 3 }, rows = true }, { 'Hardshrink(0.2)', { 4, 3 }, rows = true } },
}
Hardshrink.__givesWay = true

return Hardshrink
