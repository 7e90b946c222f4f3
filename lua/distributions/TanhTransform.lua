--- The map tanh(x).
-- @classmod distributions.TanhTransform
local torch = require 'torch'
local constraints = require 'distributions.constraints'
require 'distributions.Transform'

local TanhTransform = torch.class('distributions.TanhTransform', 'distributions.Transform')
TanhTransform.domain, TanhTransform.codomain = constraints.real, constraints.interval(-1, 1)
TanhTransform.sign = 1

--- Takes no arguments.
function TanhTransform.__init() end

function TanhTransform:_call(x) return torch.tanh(x) end
function TanhTransform:_inverse(y) return (torch.log1p(y) - torch.log1p(-y)) * 0.5 end
function TanhTransform:_logDet(x) return (x + torch.softplus(x * -2)) * -2 + 2 * math.log(2) end

return TanhTransform
