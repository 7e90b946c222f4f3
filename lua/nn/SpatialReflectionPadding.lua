--- Adds a border that mirrors images, without repeating their outermost elements; negative widths crop.
-- Shapes: x (C, H, W) -> (C, pad_t + H + pad_b, pad_l + W + pad_r), or both with leading N.
-- @classmod nn.SpatialReflectionPadding

--- @function __init
-- @tparam int pad_l columns at the left, less than the width
-- @tparam[opt=pad_l] int pad_r at the right
-- @tparam[opt=pad_l] int pad_t rows at the top
-- @tparam[opt=pad_l] int pad_b at the bottom
return require 'nn.support.pictureBorder'('nn.SpatialReflectionPadding', require('nn.support.border').reflect, {
  { 'SpatialReflectionPadding(1, 3, 2, 0)', { 2, 2, 3, 4 }, rows = true },
})
