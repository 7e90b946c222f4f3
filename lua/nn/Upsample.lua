--- Resizes images, sequences and volumes: nn.functional.interpolate as a layer.
-- Shapes: x (N, C, …), with 1 to 3 dimensions after the channels -> the same with `size`, or with sizes times `scaleFactor`, rounded down.
-- @classmod nn.Upsample

--- @function __init
-- @tparam[opt] int|{int,...} size of the result
-- @tparam[opt] number|{number,...} scaleFactor instead
-- @tparam[opt='nearest'] string mode 'nearest', 'nearest-exact', 'area', 'linear', 'bilinear', 'bicubic' or 'trilinear'
-- @tparam[opt=false] boolean alignCorners
-- @tparam[opt=false] boolean recomputeScaleFactor
-- @tparam[opt=false] boolean antialias
local Upsample = require 'nn.support.layer' {
  name = 'nn.Upsample', call = 'interpolate',
  prints = function(self) return ('(%s)'):format(self.mode) end,
  samples = {
    { 'Upsample({ scaleFactor = 2 })', { 2, 2, 3 } },
    { "Upsample({ 4, 2 }, { mode = 'bilinear', alignCorners = true })", { 2, 1, 3, 4 } },
    { "Upsample({ scaleFactor = 1.4, mode = 'bicubic' })", { 1, 2, 3, 4 } },
    { "Upsample({ size = 3, mode = 'trilinear' })", { 1, 2, 2, 4, 3 } },
  },
}
Upsample.__givesWay = true      -- Torch7 lacks it

return Upsample
