--- x - log of the sum of exp(x), computed without overflow, over the classes.
-- Shapes, unchanged: x (F) over its elements, (N, F) over rows, (C, H, W) over dimension 1, (N, C, H, W) over dimension 2.
-- @classmod nn.LogSoftMax
local classes = require 'nn.support.classes'

return (require 'nn'.declare {
  name = 'nn.LogSoftMax',
  dims = { 1, 2, 3, 4 }, accepts = classes.accepts,
  values = { 'dim' },
  formula = classes.formula 'logsoftmax(input, dim)',
  samples = { { 'LogSoftMax()', { 4, 3 }, rows = true } },
})
