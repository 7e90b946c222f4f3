--- The mean of each of a fixed number of bins: nn.AdaptiveAvgPool1d, nn.AdaptiveAvgPool2d, nn.AdaptiveAvgPool3d.
-- Bin i of n, along a dimension of size s, extends from floor((i - 1) s / n) + 1 to ceil(i s / n).
-- Shapes: x (N, C, …) or (C, …) -> the same with outputSize; false as an entry keeps the input's size.
-- @module nn.dimensional.AdaptiveAvgPool
return require 'nn.support.adaptive_pool'('AdaptiveAvgPool')
