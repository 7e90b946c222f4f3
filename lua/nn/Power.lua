--- x^p, elementwise, any shape.
-- @classmod nn.Power
local torch = require 'torch'

--- @tparam number p
local Power = require 'nn'.declare {
  name = 'nn.Power',
  options = { { 'p', 'number', field = 'pow' } },
  values = { 'less' },
  formula = function(self)
    if self.pow ~= 0 then return 'pow(input, pow)', self.pow - 1 end      -- the slope of x^0 is 0 at 0, too
  end,
  gradient = 'cmul(cmul(g, pow(input, less)), pow)',
  otherwise = function(self, input) return torch.pow(input, self.pow) end,
  samples = { { 'Power(3)', { 4, 3 }, rows = true }, { 'Power(0.5)', { 4, 3 }, positive = true } },
}

return Power
