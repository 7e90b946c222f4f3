--- x^2, elementwise, any shape.
-- @classmod nn.Square
return (require 'nn'.declare {
  name = 'nn.Square',
  formula = 'square(input)',
  samples = { { 'Square()', { 2, 3, 2 }, rows = true } },
})
