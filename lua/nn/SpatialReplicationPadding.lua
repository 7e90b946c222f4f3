--- Adds a border that repeats the outermost elements of images; negative widths crop.
-- Shapes: x (C, H, W) -> (C, pad_t + H + pad_b, pad_l + W + pad_r), or both with leading N.
-- @classmod nn.SpatialReplicationPadding

--- @function __init
-- @tparam int pad_l columns at the left
-- @tparam[opt=pad_l] int pad_r at the right
-- @tparam[opt=pad_l] int pad_t rows at the top
-- @tparam[opt=pad_l] int pad_b at the bottom
return require 'nn.support.pictureBorder'('nn.SpatialReplicationPadding', require('nn.support.border').replicate, {
  { 'SpatialReplicationPadding(1, 2, 0, 3)', { 2, 2, 3, 4 }, rows = true },
})
