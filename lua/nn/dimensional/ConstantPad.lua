--- A border of a value: nn.ConstantPad1d, nn.ConstantPad2d, nn.ConstantPad3d.
-- The argument `padding` is a width for all sides, or a list: before and after the last dimension, then those of the one before it, and so
-- on; negative widths crop. The second argument is the value.
-- Shapes: x (N, C, …) or (C, …) -> the same, extended in its last 1, 2 or 3 dimensions.
-- @module nn.dimensional.ConstantPad
return require 'nn.support.padding'('ConstantPad', 'constant')
