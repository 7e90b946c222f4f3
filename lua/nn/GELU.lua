--- x times the normal distribution's function, elementwise, any shape: Hendrycks & Gimpel (2016), arXiv:1606.08415.
-- @classmod nn.GELU
local torch = require 'torch'

local GELU, parent = require 'nn.support.elementwise'('nn.GELU', function(x, module)
  if not module.approximate then return torch.gelu(x) end
  -- Section 2 of the paper: x sigmoid-like through tanh(sqrt(2 / pi) (x + 0.044715 x^3)).
  local inner = torch.mul(torch.add(x, torch.mul(torch.pow(x, 3), 0.044715)), math.sqrt(2 / math.pi))
  return torch.cmul(torch.mul(x, 0.5), torch.add(torch.tanh(inner), 1))
end)
GELU.__givesWay = true

--- @tparam[opt=false] boolean approximate by tanh, as some published weights expect
function GELU:__init(approximate)
  parent.__init(self)
  self.approximate = approximate or false
end

return GELU
