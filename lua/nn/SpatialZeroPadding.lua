--- Adds a border of zeros around images; negative widths crop.
-- Shapes: x (C, H, W) -> (C, pad_t + H + pad_b, pad_l + W + pad_r), or both with leading N.
-- @classmod nn.SpatialZeroPadding

--- @function __init
-- @tparam int pad_l columns at the left, negative to crop
-- @tparam[opt=pad_l] int pad_r at the right
-- @tparam[opt=pad_l] int pad_t rows at the top
-- @tparam[opt=pad_l] int pad_b at the bottom
return require 'nn.support.pictureBorder'('nn.SpatialZeroPadding', require('nn.support.border').zero, {
  { 'SpatialZeroPadding(1, 2, -1, 1)', { 2, 2, 3, 4 }, rows = true }, { 'SpatialZeroPadding(1)', { 2, 2, 3, 4 }, rows = true },
})
