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

function reference.cdist(x, y, p)
  local d = #x.sizes
  local n, m, k = x.sizes[d - 1], y.sizes[d - 1], x.sizes[d]
  return tensor.build(d == 3 and { x.sizes[1], n, m } or { n, m }, function(index)
    local batch, differences = d == 3 and index[1] - 1 or 0, {}
    for i = 1, k do
      differences[i] = x.data[(batch * n + index[d - 1] - 1) * k + i] - y.data[(batch * m + index[d] - 1) * k + i]
    end
    return norm(differences, p or 2)
  end)
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

return reference
