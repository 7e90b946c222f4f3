--- The maximum along a dimension, which is removed (for a vector, one element remains). The first of equal ones has the gradient.
--
-- `nn.Max([dimension=1 [, nInputDims]])`: a negative dimension counts from the end; with nInputDims, an input with one more dimension is a
-- batch, and `dimension` is shifted by one.
-- @classmod nn.Max
return require 'nn.support.minmax'('max', 'nn.Max', {
  { 'Max(2)', { 4, 3 } }, { 'Max(1, 1)', { 4, 3 }, rows = true }, { 'Max(-1)', { 2, 3, 4 } },
})
