--- Square root, elementwise, any shape. The gradient at 0 is 0.
-- @classmod nn.Sqrt
local torch = require 'torch'

--- @tparam[opt=0] number eps stored in the field of that name, without effect
local Sqrt = require 'nn'.declare {
  name = 'nn.Sqrt',
  options = { { 'eps', 'number', default = 0, field = 'eps' } },
  formula = 'sqrt(input)',
  gradient = 'where(eq(output, 0), 0, div(cdiv(g, output), 2))',
  compute = function(_, input)
    local zero = torch.eq(input, 0)
    return torch.where(zero, 0, torch.sqrt(torch.where(zero, 1, input)))
  end,
  samples = { { 'Sqrt()', { 4, 3 }, rows = true, positive = true } },
}

return Sqrt
