--- The smallest element along a dimension, which goes (of a vector one element stays). The first of equal ones has the gradient.
--
-- `nn.Min([dimension=1 [, nInputDims]])`: a negative dimension counts from the end; with nInputDims, an input that has one more is a batch,
-- and the dimension is one further.
-- @classmod nn.Min
return require 'nn.support.minmax'('min', 'nn.Min', { { 'Min(2)', { 4, 3 } }, { 'Min(1, 1)', { 4, 3 }, rows = true } })
