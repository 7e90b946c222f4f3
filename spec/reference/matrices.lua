-- Traces, transposes and differences, element by element.
local tensor = require('spec.reference.view').tensor

local reference = {}

function reference.trace(x)
  local sum = 0
  for i = 1, math.min(x.sizes[1], x.sizes[2]) do sum = sum + tensor.element(x, { i, i }) end
  return sum
end

function reference.adjoint(x)      -- of real numbers
  local sizes, d = tensor.copied(x.sizes), #x.sizes
  sizes[d], sizes[d - 1] = sizes[d - 1], sizes[d]
  return tensor.build(sizes, function(index)
    local turned = tensor.copied(index)
    turned[d], turned[d - 1] = turned[d - 1], turned[d]
    return tensor.element(x, turned)
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
