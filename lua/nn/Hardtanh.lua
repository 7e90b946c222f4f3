--- nn.HardTanh by PyTorch's name: clamps x to two bounds, minVal (-1) and maxVal (1).
-- @classmod nn.Hardtanh
local nn = require 'nn'

local Hardtanh = nn.declare {
  name = 'nn.Hardtanh', parent = 'nn.HardTanh',
  samples = { { 'Hardtanh()', { 4, 3 }, rows = true }, { 'Hardtanh(-0.4, 0.9)', { 4, 3 }, rows = true } },
}
Hardtanh.__givesWay = true

return Hardtanh
