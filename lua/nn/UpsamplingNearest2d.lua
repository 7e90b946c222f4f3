--- Repeats the nearest element of an image.
-- Shapes: x (N, C, H, W) -> (N, C, …) with `size`, or with sizes times `scaleFactor`, rounded down.
-- @classmod nn.UpsamplingNearest2d
local nn = require 'nn'

--- @function __init
-- @tparam[opt] int|{int,int} size of the result
-- @tparam[opt] number|{number,number} scaleFactor instead
local UpsamplingNearest2d = nn.declare {
  name = 'nn.UpsamplingNearest2d',
  options = {
    { 'size', 'sizes', min = 1, optional = true, field = 'size' },
    { 'scaleFactor', 'numbers', min = 0, optional = true, field = 'scaleFactor' },
  },
  compute = function(self, input) return nn.functional.interpolate(input, self.size, self.scaleFactor, 'nearest', false) end,
  samples = {
    { 'UpsamplingNearest2d(4)', { 2, 2, 3, 2 } }, { 'UpsamplingNearest2d({ scaleFactor = { 2, 1.5 } })', { 1, 2, 3, 3 } },
  },
}
UpsamplingNearest2d.__givesWay = true      -- Torch7 lacks it

return UpsamplingNearest2d
