--- The map 1 / (1 + exp(-x)).
-- @classmod distributions.SigmoidTransform
local torch = require 'torch'
local constraints = require 'distributions.constraints'
require 'distributions.Transform'

local SigmoidTransform = torch.class('distributions.SigmoidTransform', 'distributions.Transform')
SigmoidTransform.domain, SigmoidTransform.codomain = constraints.real, constraints.unitInterval
SigmoidTransform.sign = 1

--- Takes no arguments.
function SigmoidTransform.__init() end

function SigmoidTransform:_call(x) return torch.sigmoid(x) end
function SigmoidTransform:_inverse(y) return torch.log(y) - torch.log1p(-y) end
function SigmoidTransform:_logDet(x) return -torch.softplus(-x) - torch.softplus(x) end

return SigmoidTransform
