--- A border that repeats the outermost elements: nn.ReplicationPad1d, nn.ReplicationPad2d, nn.ReplicationPad3d.
-- The argument `padding` is a width for all sides, or a list: before and after the last dimension, then those of the one before it, and so
-- on; negative widths crop.
-- Shapes: x (N, C, …) or (C, …) -> the same, extended in its last 1, 2 or 3 dimensions.
-- @module nn.dimensional.ReplicationPad
return require 'nn.support.padding'('ReplicationPad', 'replicate')
