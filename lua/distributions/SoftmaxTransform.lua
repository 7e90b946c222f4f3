--- The map exp(x) / sum(exp(x)) of vectors, which is not bijective; its inverse is the logarithm.
-- @classmod distributions.SoftmaxTransform
local torch = require 'torch'
local constraints = require 'distributions.constraints'
require 'distributions.Transform'

local SoftmaxTransform = torch.class('distributions.SoftmaxTransform', 'distributions.Transform')
SoftmaxTransform.domain, SoftmaxTransform.codomain = constraints.realVector, constraints.simplex
SoftmaxTransform.bijective = false

--- Takes no arguments.
function SoftmaxTransform.__init() end

function SoftmaxTransform:_call(x) return torch.softmax(x, x:dim()) end
function SoftmaxTransform:_inverse(y) return torch.log(y) end

return SoftmaxTransform
