--- The map loc + scale x.
-- @classmod distributions.AffineTransform
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local check, common = require 'torch.check', require('distributions.elements').common
require 'distributions.Transform'

local AffineTransform = torch.class('distributions.AffineTransform', 'distributions.Transform')

--- @tparam number|torch.Tensor loc
-- @tparam number|torch.Tensor scale not 0
-- @int[opt=0] eventDim dimensions of one value
function AffineTransform:__init(loc, scale, eventDim)
  local where = 'distributions.AffineTransform'
  for name, value in pairs { loc = loc, scale = scale } do
    check.that(type(value) == 'number' or torch.isTensor(value) and value:isFloatingPoint(),
      ('%s: %s: a %s, expected a number or a tensor of floats'):format(where, name, torch.type(value)))
  end
  check.that(loc ~= nil and scale ~= nil, where .. ': scale: nil, expected a number or a tensor')
  check.that(scale ~= 0, where .. ': scale: 0, expected another number', 'range')
  local dims = check.int(where, 'eventDim', eventDim or 0, { min = 0 })
  self.loc, self.scale = loc, scale
  self.domain, self.codomain = constraints.independent(constraints.real, dims), constraints.independent(constraints.real, dims)
  if type(scale) == 'number' then self.sign = scale > 0 and 1 or -1 else self.sign = torch.sign(scale):detach() end
end

local function product(x, scale) return torch.isTensor(scale) and torch.cmul(common(x, scale)) or x * scale end

function AffineTransform:_call(x)
  local y = product(x, self.scale)
  return torch.isTensor(self.loc) and torch.add(common(y, self.loc)) or y + self.loc
end

function AffineTransform:_inverse(y)
  local x = torch.isTensor(self.loc) and torch.csub(common(y, self.loc)) or y - self.loc
  return product(x, torch.isTensor(self.scale) and torch.cinv(self.scale) or 1 / self.scale)
end

function AffineTransform:_logDet(x)
  local zero = torch.mul(x, 0)
  local isTensor = torch.isTensor(self.scale)
  local logs = isTensor and torch.add(common(zero, torch.log(torch.abs(self.scale)))) or zero + math.log(math.abs(self.scale))
  return self._sumLast(logs, self.domain.eventDim)
end

return AffineTransform
