--- A border that mirrors the input at its outermost elements, without repeating them: nn.ReflectionPad1d, nn.ReflectionPad2d,
-- nn.ReflectionPad3d.
-- The argument `padding` is a width for all sides, or a list: before and after the last dimension, then those of the one before it, and so
-- on; negative widths crop. It is narrower than the input.
-- Shapes: x (N, C, …) or (C, …) -> the same, extended in its last 1, 2 or 3 dimensions.
-- @module nn.dimensional.ReflectionPad
return require 'nn.support.padding'('ReflectionPad', 'reflect')
