-- Elements that are moved or set to zero, by their indices.
local tensor = require('spec.reference.view').tensor

local reference = {}

local function triangle(keeps)
  return function(x, k)
    local n = #x.sizes
    return tensor.build(tensor.copied(x.sizes), function(index)
      return keeps(index[n] - index[n - 1], k or 0) and tensor.element(x, index) or 0
    end)
  end
end
reference.tril = triangle(function(diagonal, k) return diagonal <= k end)
reference.triu = triangle(function(diagonal, k) return diagonal >= k end)

-- The element at an index is x's at from(index), which returns a new list.
local function moved(x, from)
  return tensor.build(tensor.copied(x.sizes), function(index) return tensor.element(x, from(tensor.copied(index))) end)
end

function reference.flip(x, ...)
  local turned = {}
  for _, d in ipairs(tensor.listed(...)) do turned[tensor.resolved(d, #x.sizes)] = true end
  return moved(x, function(index)
    for d = 1, #index do
      if turned[d] or not next(turned) then index[d] = x.sizes[d] + 1 - index[d] end
    end
    return index
  end)
end

function reference.roll(x, shift, dim)
  if not dim then
    local flat = reference.roll({ sizes = { #x.data }, data = x.data }, shift, 1)
    return { sizes = tensor.copied(x.sizes), data = flat.data }
  end
  dim = tensor.resolved(dim, #x.sizes)
  return moved(x, function(index)
    index[dim] = (index[dim] - 1 - shift) % x.sizes[dim] + 1
    return index
  end)
end

-- As NumPy says: one turn is a transposed mirror image.
function reference.rot90(x, k, dim1, dim2)
  dim1, dim2 = tensor.resolved(dim1 or 1, #x.sizes), tensor.resolved(dim2 or 2, #x.sizes)
  local y = x
  for _ = 1, (k or 1) % 4 do
    local sizes, before = tensor.copied(y.sizes), y
    sizes[dim1], sizes[dim2] = y.sizes[dim2], y.sizes[dim1]
    y = tensor.build(sizes, function(index)
      local from = tensor.copied(index)
      from[dim1], from[dim2] = index[dim2], before.sizes[dim2] + 1 - index[dim1]
      return tensor.element(before, from)
    end)
  end
  return { sizes = tensor.copied(y.sizes), data = tensor.copied(y.data) }
end

return reference
