--- The patches of images, as columns.
-- Shapes: x (N, C, H, W) -> (N, C kH kW, patches), or both without N.
-- @classmod nn.Unfold

--- @function __init
-- @tparam int|{int,int} kernelSize
-- @tparam[opt=1] int|{int,int} dilation
-- @tparam[opt=0] int|{int,int} padding zeros
-- @tparam[opt=1] int|{int,int} stride
local Unfold = require 'nn.support.layer' {
  name = 'nn.Unfold', call = 'unfold', widens = false, prints = require 'nn.support.window_text',
  samples = {
    { 'Unfold(2)', { 2, 2, 3, 4 }, rows = true },
    { 'Unfold({ 2, 3 }, { padding = 1, stride = 2, dilation = 2 })', { 1, 2, 5, 6 } },
  },
}
Unfold.__givesWay = true      -- Torch7 lacks it

return Unfold
