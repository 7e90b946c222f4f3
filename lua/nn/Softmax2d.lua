--- Softmax over the channels of images: (N, channels, H, W) or (channels, H, W).
-- @classmod nn.Softmax2d
local nn = require 'nn'

local Softmax2d = nn.declare {
  name = 'nn.Softmax2d',
  formula = 'softmax(input, -3)', dims = { 3, 4 },
  samples = { { 'Softmax2d()', { 2, 3, 2, 2 }, rows = true } },
}
Softmax2d.__givesWay = true

return Softmax2d
