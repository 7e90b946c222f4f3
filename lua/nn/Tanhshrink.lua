--- nn.TanhShrink by PyTorch's name: x - tanh(x).
-- @classmod nn.Tanhshrink
local nn = require 'nn'

local Tanhshrink = nn.declare {
  name = 'nn.Tanhshrink', parent = 'nn.TanhShrink',
  samples = { { 'Tanhshrink()', { 4, 3 }, rows = true } },
}
Tanhshrink.__givesWay = true

return Tanhshrink
