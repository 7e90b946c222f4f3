--- The maximum of each of a fixed number of windows at pseudo-random positions, for volumes.
-- Shapes: x (N, C, …) or (C, …) -> the same with outputSize, or sizes times outputRatio. With `returnIndices` the result is a table
-- {maxima, positions}.
-- Source: Graham (2014), "Fractional Max-Pooling", arXiv:1412.6071.
-- @classmod nn.FractionalMaxPool3d

--- @function __init
-- @tparam int|{int,...} kernelSize
-- @tparam[opt] int|{int,...} outputSize
-- @tparam[opt] number|{number,...} outputRatio of the sizes of output and input, if there is no outputSize
-- @tparam[opt=false] boolean returnIndices
-- @tparam[opt] torch.Tensor randomSamples (N, C, 3), numbers from 0 to 1, that all forwards use
local FractionalMaxPool = require 'nn.support.layer' {
  name = 'nn.FractionalMaxPool3d', call = 'fractionalMaxPool3d', widens = false, once = true,
  prints = require 'nn.support.window_text',
}
FractionalMaxPool.__givesWay = true      -- Torch7 lacks it

return FractionalMaxPool
