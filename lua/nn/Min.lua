--- The minimum along a dimension, which is removed (for a vector, one element remains). The first of equal ones has the gradient.
--
-- `nn.Min([dimension=1 [, nInputDims]])`: a negative dimension counts from the end; with nInputDims, an input with one more dimension is a
-- batch, and `dimension` is shifted by one.
-- @classmod nn.Min
return require 'nn.support.minmax'('min', 'nn.Min', { { 'Min(2)', { 4, 3 } }, { 'Min(1, 1)', { 4, 3 }, rows = true } })
