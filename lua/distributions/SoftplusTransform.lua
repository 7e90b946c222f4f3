--- The map log(1 + exp(x)).
-- @classmod distributions.SoftplusTransform
local torch = require 'torch'
local constraints = require 'distributions.constraints'
require 'distributions.Transform'

local SoftplusTransform = torch.class('distributions.SoftplusTransform', 'distributions.Transform')
SoftplusTransform.domain, SoftplusTransform.codomain = constraints.real, constraints.positive
SoftplusTransform.sign = 1

--- Takes no arguments.
function SoftplusTransform.__init() end

function SoftplusTransform:_call(x) return torch.softplus(x) end
function SoftplusTransform:_inverse(y) return y + torch.log(-torch.expm1(-y)) end
function SoftplusTransform:_logDet(x) return -torch.softplus(-x) end

return SoftplusTransform
