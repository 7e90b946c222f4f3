--- nn.SoftShrink by PyTorch's name: x moved by lambd towards 0, and 0 where |x| <= lambd.
-- @classmod nn.Softshrink
local nn = require 'nn'

--- @tparam[opt=0.5] number lambd
local Softshrink = nn.declare {
  name = 'nn.Softshrink', parent = 'nn.SoftShrink',
  options = { { 'lambd', 'number', min = 0, default = 0.5, field = 'lambda' } },
  samples = { { 'Softshrink()', { 4, 3 }, rows = true }, { 'Softshrink(0.2)', { 4, 3 }, rows = true } },
}
Softshrink.__givesWay = true

return Softshrink
