--- exp(x - max) / sum of exp(x - max) over the classes.
-- Shapes, unchanged: x (F) over its elements, (N, F) over rows, (C, H, W) over dimension 1, (N, C, H, W) over dimension 2.
-- @classmod nn.SoftMax
local classes = require 'nn.support.classes'

return (require 'nn'.declare {
  name = 'nn.SoftMax',
  dims = { 1, 2, 3, 4 }, accepts = classes.accepts,
  values = { 'dim' },
  formula = classes.formula 'softmax(input, dim)',
  samples = { { 'SoftMax()', { 4, 3 }, rows = true }, { 'SoftMax()', { 2, 3, 2, 2 }, rows = true, of = 'planes' } },
})
