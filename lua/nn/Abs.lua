--- |x|, elementwise, any shape. The gradient at 0 is 1.
-- @classmod nn.Abs
return (require 'nn'.declare {
  name = 'nn.Abs',
  formula = 'abs(input)',
  gradient = 'where(lt(input, 0), neg(g), g)',
  samples = { { 'Abs()', { 4, 3 }, rows = true } },
})
