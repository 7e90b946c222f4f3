--- The map |x|, which is not bijective; its inverse returns the positive value.
-- @classmod distributions.AbsTransform
local torch = require 'torch'
local constraints = require 'distributions.constraints'
require 'distributions.Transform'

local AbsTransform = torch.class('distributions.AbsTransform', 'distributions.Transform')
AbsTransform.domain, AbsTransform.codomain = constraints.real, constraints.nonnegative
AbsTransform.bijective = false

--- Takes no arguments.
function AbsTransform.__init() end

function AbsTransform:_call(x) return torch.abs(x) end
function AbsTransform:_inverse(y) return y end

return AbsTransform
