--- Resizes images by bilinear interpolation; the corners keep their positions.
-- Shapes: x (N, C, H, W) -> (N, C, …) with `size`, or with sizes times `scaleFactor`, rounded down.
-- @classmod nn.UpsamplingBilinear2d
local nn = require 'nn'

--- @function __init
-- @tparam[opt] int|{int,int} size of the result
-- @tparam[opt] number|{number,number} scaleFactor instead
local UpsamplingBilinear2d = nn.declare {
  name = 'nn.UpsamplingBilinear2d',
  options = {
    { 'size', 'sizes', min = 1, optional = true, field = 'size' },
    { 'scaleFactor', 'numbers', min = 0, optional = true, field = 'scaleFactor' },
  },
  compute = function(self, input) return nn.functional.interpolate(input, self.size, self.scaleFactor, 'bilinear', true) end,
  samples = {
    { 'UpsamplingBilinear2d(4)', { 2, 2, 3, 2 } }, { 'UpsamplingBilinear2d({ scaleFactor = { 2, 1.5 } })', { 1, 2, 3, 3 } },
  },
}
UpsamplingBilinear2d.__givesWay = true      -- Torch7 lacks it

return UpsamplingBilinear2d
