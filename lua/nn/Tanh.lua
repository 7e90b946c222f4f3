--- Hyperbolic tangent, elementwise, any shape.
-- @classmod nn.Tanh
return (require 'nn'.declare {
  name = 'nn.Tanh',
  formula = 'tanh(input)',
  samples = { { 'Tanh()', { 4, 3 }, rows = true } },
})
