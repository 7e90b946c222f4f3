--- A differentiable map with a known Jacobian determinant: the base of the transforms.
--
-- Fields: `domain` and `codomain`, constraints, whose `eventDim` says how many dimensions one value has; `bijective`; `sign`, 1 or -1 for
-- increasing and decreasing maps of numbers.
-- @usage local D = require 'distributions'
-- local t = D.ComposeTransform { D.AffineTransform(0, 2), D.ExpTransform() }
-- t:inv():forward(t:forward(x))      --> x
-- @classmod distributions.Transform
local torch = require 'torch'
local check = require 'torch.check'
local constraints, weights = require 'distributions.constraints', require 'distributions.weights'

local Transform = torch.class 'distributions.Transform'
Transform.bijective = true
Transform.domain, Transform.codomain = constraints.real, constraints.real

--- @raise always: a base class is no map
function Transform:__init()
  check.raise(torch.typename(self) .. ': a base class, expected a transform such as distributions.ExpTransform')
end

local function tensor(self, where, x)
  if not torch.isTensor(x) or not x:isFloatingPoint() or x:dim() == 0 then
    check.raise(('%s:%s: x: a %s, expected a tensor of floats'):format(torch.typename(self), where, torch.type(x)))
  end
  local least = where == 'forward' and self.domain.eventDim or self.codomain.eventDim
  if x:dim() < least then
    check.raise(('%s:%s: x: %d dimensions, expected %d or more'):format(torch.typename(self), where, x:dim(), least), 'shape')
  end
  return x
end

--- Maps values.
-- @tparam torch.Tensor x values of the domain
-- @treturn torch.Tensor values of the codomain
function Transform:forward(x) return self:_call(tensor(self, 'forward', x)) end

--- The inverse transform. Maps that are not bijective have one that returns a preimage.
-- @treturn distributions.Transform
function Transform:inv()
  local other = setmetatable({}, getmetatable(self))
  other.domain, other.codomain, other.bijective, other.sign = self.codomain, self.domain, self.bijective, self.sign
  other._call = function(_, y) return self:_inverse(y) end
  other._inverse = function(_, x) return self:_call(x) end
  other._logDet = function(_, y, x) return -self:_logDet(x, y) end
  other.forwardShape = function(_, sizes) return self:inverseShape(sizes) end
  other.inverseShape = function(_, sizes) return self:forwardShape(sizes) end
  other.inv = function() return self end
  return other
end

--- The logarithm of the absolute value of the Jacobian determinant.
-- @tparam torch.Tensor x values of the domain
-- @tparam[opt] torch.Tensor y forward(x), if it is known
-- @treturn torch.Tensor sizes of x without those of one value
-- @raise if the transform has none, as it is not bijective
function Transform:logAbsDetJacobian(x, y)
  tensor(self, 'forward', x)
  if not self._logDet then
    check.raise(torch.typename(self) .. ':logAbsDetJacobian: a map without a Jacobian determinant, expected a bijective one')
  end
  return self:_logDet(x, y or self:_call(x))
end

--- The sizes of results.
-- @tparam {int,...} sizes of values
-- @treturn {int,...}
function Transform:forwardShape(sizes) return sizes end

--- The sizes of values, from those of results.
-- @tparam {int,...} sizes of results
-- @treturn {int,...}
function Transform:inverseShape(sizes) return sizes end

Transform._sumLast = weights.sumLast

return Transform
