--- e^x, elementwise, any shape.
-- @classmod nn.Exp
return (require 'nn'.declare {
  name = 'nn.Exp',
  formula = 'exp(input)',
  samples = { { 'Exp()', { 4, 3 }, rows = true } },
})
