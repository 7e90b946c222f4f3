-- Distances and norms, term by term.
local tensor = require('spec.reference.view').tensor

local reference = {}

function reference.match(a, b, gain)
  local m, k = a.sizes[1], b.sizes[1]
  local n = #b.data / math.max(k, 1)
  return tensor.build({ m, k }, function(index)
    local sum = 0
    for i = 1, n do sum = sum + (a.data[(index[1] - 1) * n + i] - b.data[(index[2] - 1) * n + i]) ^ 2 end
    return (gain or 1) * sum
  end)
end

local function norm(list, p)
  local sum, largest = 0, 0
  for _, v in ipairs(list) do
    largest = math.max(largest, math.abs(v))
    sum = sum + (p == 0 and (v ~= 0 and 1 or 0) or math.abs(v) ^ p)
  end
  return p == math.huge and largest or p == 0 and sum or sum ^ (1 / p)
end

function reference.dist(x, y, p)
  local differences = {}
  for i, v in ipairs(x.data) do differences[i] = v - y.data[i] end
  return norm(differences, p or 2)
end

function reference.renorm(x, p, dim, maxnorm)
  dim = tensor.resolved(dim, #x.sizes)
  local slices = {}
  tensor.build(x.sizes, function(index)
    local slice = slices[index[dim]] or {}
    slices[index[dim]], slice[#slice + 1] = slice, tensor.element(x, index)
  end)
  return tensor.build(tensor.copied(x.sizes), function(index)
    local size = norm(slices[index[dim]], p)
    return tensor.element(x, index) * (size > maxnorm and maxnorm / (size + 1e-7) or 1)
  end)
end

function reference.trace(x)
  local sum = 0
  for i = 1, math.min(x.sizes[1], x.sizes[2]) do sum = sum + tensor.element(x, { i, i }) end
  return sum
end

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

function reference.diff(x, n, dim)
  dim = tensor.resolved(dim or -1, #x.sizes)
  local y = { sizes = tensor.copied(x.sizes), data = tensor.copied(x.data) }
  for _ = 1, n or 1 do
    local before, sizes = y, tensor.copied(y.sizes)
    sizes[dim] = math.max(0, sizes[dim] - 1)
    y = tensor.build(sizes, function(index)
      local following = tensor.copied(index)
      following[dim] = following[dim] + 1
      return tensor.element(before, following) - tensor.element(before, index)
    end)
  end
  return y
end

return reference
