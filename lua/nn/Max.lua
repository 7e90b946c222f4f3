--- The largest element along a dimension, which goes (of a vector one element stays). The first of equal ones has the gradient.
--
-- `nn.Max([dimension=1 [, nInputDims]])`: a negative dimension counts from the end; with nInputDims, an input that has one more is a batch,
-- and the dimension is one further.
-- @classmod nn.Max
return require 'nn.support.minmax'('max', 'nn.Max', {
  { 'Max(2)', { 4, 3 } }, { 'Max(1, 1)', { 4, 3 }, rows = true }, { 'Max(-1)', { 2, 3, 4 } },
})
