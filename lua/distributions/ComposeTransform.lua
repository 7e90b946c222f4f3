--- A sequence of transforms, the first of which is applied first. An empty list is the identity.
-- @classmod distributions.ComposeTransform
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local check = require 'torch.check'
require 'distributions.Transform'

local ComposeTransform = torch.class('distributions.ComposeTransform', 'distributions.Transform')

--- @tparam {distributions.Transform,...} parts
function ComposeTransform:__init(parts)
  check.table('distributions.ComposeTransform', 'parts', parts)
  self.parts, self.sign = parts, 1
  for i, part in ipairs(parts) do
    check.that(torch.isTypeOf(part, 'distributions.Transform'),
      ('distributions.ComposeTransform: parts: number %d: a %s, expected a transform'):format(i, torch.type(part)))
    self.bijective = self.bijective and part.bijective
    self.sign = self.sign and part.sign and self.sign * part.sign
  end
  if #parts == 0 then return end
  local dims = parts[#parts].codomain.eventDim
  for i = #parts, 1, -1 do
    dims = math.max(dims + parts[i].domain.eventDim - parts[i].codomain.eventDim, parts[i].domain.eventDim)
  end
  local first, last = parts[1].domain, parts[#parts].codomain
  self.domain = constraints.independent(first, dims - first.eventDim)
  for _, part in ipairs(parts) do dims = dims + part.codomain.eventDim - part.domain.eventDim end
  self.codomain = constraints.independent(last, dims - last.eventDim)
end

function ComposeTransform:_call(x)
  for _, part in ipairs(self.parts) do x = part:_call(x) end
  return x
end

function ComposeTransform:_inverse(y)
  for i = #self.parts, 1, -1 do y = self.parts[i]:_inverse(y) end
  return y
end

function ComposeTransform:_logDet(x)
  local dims, total = self.domain.eventDim, nil
  for _, part in ipairs(self.parts) do
    local y = part:_call(x)
    local term = self._sumLast(part:logAbsDetJacobian(x, y), dims - part.domain.eventDim)
    total = total and total + term or term
    dims, x = dims + part.codomain.eventDim - part.domain.eventDim, y
  end
  return total or torch.mul(x, 0)
end

function ComposeTransform:forwardShape(sizes)
  for _, part in ipairs(self.parts) do sizes = part:forwardShape(sizes) end
  return sizes
end

function ComposeTransform:inverseShape(sizes)
  for i = #self.parts, 1, -1 do sizes = self.parts[i]:inverseShape(sizes) end
  return sizes
end

return ComposeTransform
