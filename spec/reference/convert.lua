-- Copies and conversions. A tensor is { sizes = {...}, data = {...} }.
local elements = require 'torch.sweep.elements'
local tensor = require('spec.reference.view').tensor

local reference = {}

function reference.clone(x) return { sizes = tensor.copied(x.sizes), data = tensor.copied(x.data) } end

function reference.to(x, kind)
  local y = reference.clone(x)
  for i, v in ipairs(y.data) do y.data[i] = elements.wrap(kind, v) end
  return y
end

return reference
