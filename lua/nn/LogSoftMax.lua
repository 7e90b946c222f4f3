--- x - log of the sum of exp(x), computed without overflow, over the classes.
-- Shapes, all kept: x (F) over its elements, (N, F) over rows, (C, H, W) over dimension 1, (N, C, H, W) over dimension 2.
-- @classmod nn.LogSoftMax
return require 'nn.support.classwise'('nn.LogSoftMax', 'logsoftmax')
