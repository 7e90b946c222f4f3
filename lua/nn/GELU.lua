--- x times the cumulative normal distribution, elementwise, any shape: Hendrycks & Gimpel (2016), arXiv:1606.08415.
-- @classmod nn.GELU

-- Section 2 of the paper: x (1 + tanh(u)) / 2, which is x sigmoid(2 u).
local approximation = 'cmul(input, sigmoid(mul(add(input, mul(cmul(square(input), input), 0.044715)), 1.5957691216057308)))'

--- @tparam[opt='none'] string approximate 'none', or 'tanh', as some published weights expect; also false, true
local GELU = require 'nn'.declare {
  name = 'nn.GELU',
  options = {
    { 'approximate', 'choice', choices = { 'none', 'tanh' }, also = { [true] = 'tanh', [false] = 'none' }, default = 'none',
      field = 'approximate' },
  },
  formula = function(self)
    local approximate = self.approximate
    return (approximate == 'tanh' or approximate == true) and approximation or 'gelu(input)'      -- true in files of version 8.0
  end,
}
GELU.__givesWay = true

return GELU
