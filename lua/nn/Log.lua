--- Natural logarithm, elementwise, any shape.
-- @classmod nn.Log
return (require 'nn'.declare {
  name = 'nn.Log',
  formula = 'log(input)',
  samples = { { 'Log()', { 4, 3 }, rows = true, positive = true } },
})
