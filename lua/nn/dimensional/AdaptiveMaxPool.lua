--- The maximum of each of a fixed number of bins: nn.AdaptiveMaxPool1d, nn.AdaptiveMaxPool2d, nn.AdaptiveMaxPool3d.
-- Bin i of n, along a dimension of size s, extends from floor((i - 1) s / n) + 1 to ceil(i s / n).
-- Shapes: x (N, C, …) or (C, …) -> the same with outputSize; false as an entry keeps the input's size.
-- With `returnIndices` the result is a table {maxima, positions}.
-- @module nn.dimensional.AdaptiveMaxPool
return require 'nn.support.adaptive_pool'('AdaptiveMaxPool', false)
