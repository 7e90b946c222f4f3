--- Adds patches at their places in images: the gradient of nn.Unfold by its input.
-- Shapes: x (N, C kH kW, patches) -> (N, C, H, W), or both without N.
-- @classmod nn.Fold

--- @function __init
-- @tparam int|{int,int} outputSize
-- @tparam int|{int,int} kernelSize
-- @tparam[opt=1] int|{int,int} dilation
-- @tparam[opt=0] int|{int,int} padding
-- @tparam[opt=1] int|{int,int} stride
local Fold = require 'nn.support.layer' {
  name = 'nn.Fold', call = 'fold', prints = require 'nn.support.window_text',
  samples = { { 'Fold({ 3, 4 }, 2)', { 2, 8, 6 }, rows = true }, { 'Fold(4, 2, { padding = 1, stride = 2 })', { 2, 4, 9 } } },
}
Fold.__givesWay = true      -- Torch7 lacks it

return Fold
