--- The map exp(x).
-- @classmod distributions.ExpTransform
local torch = require 'torch'
local constraints = require 'distributions.constraints'
require 'distributions.Transform'

local ExpTransform = torch.class('distributions.ExpTransform', 'distributions.Transform')
ExpTransform.domain, ExpTransform.codomain = constraints.real, constraints.positive
ExpTransform.sign = 1

--- Takes no arguments.
function ExpTransform.__init() end

function ExpTransform:_call(x) return torch.exp(x) end
function ExpTransform:_inverse(y) return torch.log(y) end
function ExpTransform:_logDet(x) return x end

return ExpTransform
