--- nn.SoftSign by PyTorch's name: x / (1 + |x|).
-- @classmod nn.Softsign
local nn = require 'nn'

local Softsign = nn.declare {
  name = 'nn.Softsign', parent = 'nn.SoftSign',
  samples = { { 'Softsign()', { 4, 3 }, rows = true } },
}
Softsign.__givesWay = true

return Softsign
