--- x times the cumulative normal distribution, elementwise, any shape: Hendrycks & Gimpel (2016), arXiv:1606.08415.
-- @classmod nn.GELU
local torch = require 'torch'

-- Section 2 of the paper.
local function approximation(_, x)
  local inner = torch.mul(torch.add(x, torch.mul(torch.pow(x, 3), 0.044715)), math.sqrt(2 / math.pi))
  return torch.cmul(torch.mul(x, 0.5), torch.add(torch.tanh(inner), 1))
end

--- @tparam[opt=false] boolean approximate by tanh, as some published weights expect
local GELU = require 'nn'.declare {
  name = 'nn.GELU',
  options = { { 'approximate', 'boolean', default = false, field = 'approximate' } },
  formula = function(self) return not self.approximate and 'gelu(input)' or nil end,
  otherwise = approximation,
}
GELU.__givesWay = true

return GELU
