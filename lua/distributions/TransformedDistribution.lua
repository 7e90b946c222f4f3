--- The distribution of transformed values: of t(x) for x of a base distribution.
-- @usage local D = require 'distributions'
-- local logNormal = D.TransformedDistribution(D.Normal(0, 1), { D.ExpTransform() })
-- @classmod distributions.TransformedDistribution
local torch = require 'torch'
local check, shapes = require 'torch.check', require 'distributions.shapes'
local Compose, Independent = require 'distributions.ComposeTransform', require 'distributions.Independent'
require 'distributions.Distribution'

local TransformedDistribution = torch.class('distributions.TransformedDistribution', 'distributions.Distribution')

--- @tparam distributions.Distribution base
-- @tparam distributions.Transform|{distributions.Transform,...} transforms the first is applied first
-- @raise if base has fewer dimensions than a value of the transforms
function TransformedDistribution:__init(base, transforms)
  local where = 'distributions.TransformedDistribution'
  check.that(torch.isTypeOf(base, 'distributions.Distribution'),
    ('%s: base: a %s, expected a distribution'):format(where, torch.type(base)))
  if torch.isTypeOf(transforms, 'distributions.Transform') then transforms = { transforms } end
  self.transforms, self._all = transforms, Compose(transforms)
  local needed = self._all.domain.eventDim - #base.eventShape
  if needed > #base.batchShape then
    local sizes = shapes.text(shapes.join(base.batchShape, base.eventShape))
    check.raise(('%s: base: size %s, expected %d dimensions or more'):format(where, sizes, self._all.domain.eventDim), 'shape')
  end
  self.base = needed > 0 and Independent(base, needed) or base
  self._parameters, self._validates, self.hasRsample = {}, base._validates, base.hasRsample
  self:_split()
end

function TransformedDistribution:_split()
  local base, all = self.base, self._all
  local sizes = all:forwardShape(shapes.join(base.batchShape, base.eventShape))
  local dims = all.codomain.eventDim + math.max(#base.eventShape - all.domain.eventDim, 0)
  self.batchShape = shapes.part(sizes, 1, #sizes - dims)
  self.eventShape = shapes.part(sizes, #sizes - dims + 1, #sizes)
end

function TransformedDistribution:_spread(batch)
  self.base = self.base:expand(batch)
  self:_split()
end

function TransformedDistribution:_type() return self.base:_type() end
function TransformedDistribution:_draw(_, lead) return self._all:_call(self.base:_draw(self.base:_extended(lead), lead)) end

function TransformedDistribution:_logProb(y)
  local x = self._all:_inverse(y)
  local det = self._all._sumLast(self._all:logAbsDetJacobian(x, y), #self.base.eventShape - self._all.domain.eventDim)
  return self.base:_logProb(x) - det
end

-- 1 or -1 for monotonic maps of numbers.
function TransformedDistribution:_monotone(name)
  local sign = self._all.sign
  if not sign or #self.eventShape > 0 then
    check.raise(('distributions.TransformedDistribution:%s: no formula is known, expected monotonic transforms of numbers'):format(name))
  end
  return sign
end

-- p for increasing maps, 1 - p for decreasing ones.
local function turned(p, sign)
  if torch.isTensor(sign) then return torch.cmul(p - 0.5, sign:typeAs(p)) + 0.5 end
  return sign > 0 and p or 1 - p
end

function TransformedDistribution:_cdf(y)
  local sign = self:_monotone 'cdf'
  return turned(self.base:cdf(self._all:_inverse(y)), sign)
end

function TransformedDistribution:_icdf(p)
  local sign = self:_monotone 'icdf'
  return self._all:_call(self.base:icdf(turned(p, sign)))
end

function TransformedDistribution:support() return self._all.codomain end

return TransformedDistribution
