-- The cross product, term by term.
local tensor = require('spec.reference.view').tensor

local reference = {}

-- The determinant's expansion: component i of a x b.
function reference.cross(a, b, dim)
  if not dim then
    dim = 1
    while a.sizes[dim] ~= 3 do dim = dim + 1 end
  end
  dim = tensor.resolved(dim, #a.sizes)
  return tensor.build(tensor.copied(a.sizes), function(index)
    local function at(x, i)
      local from = tensor.copied(index)
      from[dim] = (index[dim] - 1 + i) % 3 + 1
      return tensor.element(x, from)
    end
    return at(a, 1) * at(b, 2) - at(a, 2) * at(b, 1)
  end)
end

return reference
