--- 1 / (1 + exp(-x)), elementwise, any shape.
-- @classmod nn.Sigmoid
return (require 'nn'.declare {
  name = 'nn.Sigmoid',
  formula = 'sigmoid(input)',
  samples = { { 'Sigmoid()', { 4, 3 }, rows = true } },
})
