--- exp(x - max) / sum of exp(x - max) over the classes.
-- Shapes, all kept: x (F) over its elements, (N, F) over rows, (C, H, W) over dimension 1, (N, C, H, W) over dimension 2.
-- @classmod nn.SoftMax
return require 'nn.support.classwise'('nn.SoftMax', 'softmax')
