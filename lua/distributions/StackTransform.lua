--- A list of transforms, one for each slice of a dimension.
-- @classmod distributions.StackTransform
local torch = require 'torch'
local check, messages = require 'torch.check', require 'torch.check.message'
require 'distributions.Transform'

local StackTransform = torch.class('distributions.StackTransform', 'distributions.Transform')

--- @tparam {distributions.Transform,...} parts maps of numbers
-- @int[opt=1] dim
function StackTransform:__init(parts, dim)
  local where = 'distributions.StackTransform'
  check.table(where, 'parts', parts)
  check.that(#parts > 0, where .. ': parts: an empty list, expected transforms')
  for i, part in ipairs(parts) do
    local isMap = torch.isTypeOf(part, 'distributions.Transform')
    check.that(isMap and part.domain.eventDim + part.codomain.eventDim == 0,
      ('%s: parts: number %d: a %s, expected a transform of numbers'):format(where, i, torch.type(part)))
    self.bijective = self.bijective and part.bijective
  end
  self.parts, self.dim = parts, check.int(where, 'dim', dim or 1)
end

-- Applies a function of a part, or a slice, and its transform to each, and joins the results.
function StackTransform:_each(f, x, y)
  local dim, results = self:_dimOf(x), {}
  for i, part in ipairs(self.parts) do
    local slice = y and y:narrow(dim, i, 1)
    results[i] = f(part, x:narrow(dim, i, 1), slice)
  end
  return torch.cat(results, dim)
end

function StackTransform:_dimOf(x)
  local dim = self.dim < 0 and x:dim() + 1 + self.dim or self.dim
  local count = #self.parts
  if dim < 1 or dim > x:dim() or x:size(dim) ~= count then
    check.raise(('distributions.StackTransform: x: size %s, expected %d in dimension %d'):format(messages.sizes(x), count,
      self.dim), 'shape')
  end
  return dim
end

function StackTransform:_call(x) return self:_each(function(part, one) return part:_call(one) end, x) end
function StackTransform:_inverse(y) return self:_each(function(part, one) return part:_inverse(one) end, y) end
function StackTransform:_logDet(x, y)
  return self:_each(function(part, one, two) return part:logAbsDetJacobian(one, two) end, x, y)
end

return StackTransform
