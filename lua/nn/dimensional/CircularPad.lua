--- A border that continues the input at its other end: nn.CircularPad1d, nn.CircularPad2d, nn.CircularPad3d.
-- The argument `padding` is a width for all sides, or a list: before and after the last dimension, then those of the one before it, and so
-- on; negative widths crop. It is at most as wide as the input.
-- Shapes: x (N, C, …) or (C, …) -> the same, extended in its last 1, 2 or 3 dimensions.
-- @module nn.dimensional.CircularPad
return require 'nn.support.padding'('CircularPad', 'circular')
