--- A list of transforms for consecutive parts of a dimension.
-- @classmod distributions.CatTransform
local torch = require 'torch'
local check, messages = require 'torch.check', require 'torch.check.message'
require 'distributions.Transform'

local CatTransform = torch.class('distributions.CatTransform', 'distributions.Transform')

--- @tparam {distributions.Transform,...} parts maps of numbers
-- @int[opt=1] dim
-- @tparam[opt] {int,...} lengths of the parts, 1 by default
function CatTransform:__init(parts, dim, lengths)
  local where = torch.typename(self)
  check.table(where, 'parts', parts)
  check.that(#parts > 0, where .. ': parts: an empty list, expected transforms')
  for i, part in ipairs(parts) do
    check.that(torch.isTypeOf(part, 'distributions.Transform') and part.domain.eventDim + part.codomain.eventDim == 0,
      ('%s: parts: number %d: a %s, expected a transform of numbers'):format(where, i, torch.type(part)))
    self.bijective = self.bijective and part.bijective
  end
  self.lengths, self.total = {}, 0
  for i = 1, #parts do
    self.lengths[i] = check.int(where, 'lengths', not lengths and 1 or lengths[i], { min = 1 })
    self.total = self.total + self.lengths[i]
  end
  self.parts, self.dim = parts, check.int(where, 'dim', dim or 1)
end

-- Applies a function of a part, or a slice, and its transform to each, and joins the results.
function CatTransform:_each(f, x, y)
  local dim, results, first = self:_dimOf(x), {}, 1
  for i, part in ipairs(self.parts) do
    local length = self.lengths[i]
    results[i] = f(part, x:narrow(dim, first, length), y and y:narrow(dim, first, length))
    first = first + length
  end
  return torch.cat(results, dim)
end

function CatTransform:_dimOf(x)
  local dim = self.dim < 0 and x:dim() + 1 + self.dim or self.dim
  if dim < 1 or dim > x:dim() or x:size(dim) ~= self.total then
    check.raise(('%s: x: size %s, expected %d in dimension %d'):format(torch.typename(self), messages.sizes(x), self.total, self.dim),
      'shape')
  end
  return dim
end

function CatTransform:_call(x) return self:_each(function(part, one) return part:_call(one) end, x) end
function CatTransform:_inverse(y) return self:_each(function(part, one) return part:_inverse(one) end, y) end
function CatTransform:_logDet(x, y) return self:_each(function(part, one, two) return part:logAbsDetJacobian(one, two) end, x, y) end

return CatTransform
