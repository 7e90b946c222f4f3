--- x / (1 + |x|), elementwise, any shape.
-- @classmod nn.SoftSign
return (require 'nn'.declare {
  name = 'nn.SoftSign',
  formula = 'cdiv(input, add(abs(input), 1))',
  gradient = 'cdiv(g, square(add(abs(input), 1)))',
  samples = { { 'SoftSign()', { 4, 3 }, rows = true } },
})
