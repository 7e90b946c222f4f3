--- A transform whose last dimensions count as dimensions of one value.
-- @classmod distributions.IndependentTransform
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local check = require 'torch.check'
require 'distributions.Transform'

local IndependentTransform = torch.class('distributions.IndependentTransform', 'distributions.Transform')

--- @tparam distributions.Transform base
-- @int dims number of dimensions
function IndependentTransform:__init(base, dims)
  check.that(torch.isTypeOf(base, 'distributions.Transform'),
    ('distributions.IndependentTransform: base: a %s, expected a transform'):format(torch.type(base)))
  check.int('distributions.IndependentTransform', 'dims', dims, { min = 0 })
  self.base, self.dims, self.bijective, self.sign = base, dims, base.bijective, base.sign
  self.domain, self.codomain = constraints.independent(base.domain, dims), constraints.independent(base.codomain, dims)
end

function IndependentTransform:_call(x) return self.base:_call(x) end
function IndependentTransform:_inverse(y) return self.base:_inverse(y) end
function IndependentTransform:_logDet(x, y) return self._sumLast(self.base:logAbsDetJacobian(x, y), self.dims) end
function IndependentTransform:forwardShape(sizes) return self.base:forwardShape(sizes) end
function IndependentTransform:inverseShape(sizes) return self.base:inverseShape(sizes) end

return IndependentTransform
