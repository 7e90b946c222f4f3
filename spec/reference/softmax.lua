-- Softmax and its relatives in plain Lua, in float64. A tensor is { sizes = {...}, data = {...} }.
local along = require 'spec.reference.along'

local reference = {}

-- log(sum(exp)), relative to the largest element; NaN if an element is.
local function logSumExp(slice)
  local top, total = -math.huge, 0
  for _, v in ipairs(slice) do
    if v ~= v then return v end
    top = math.max(top, v)
  end
  if top == math.huge or top == -math.huge then return top end
  for _, v in ipairs(slice) do total = total + math.exp(v - top) end
  return top + math.log(total)
end

local function elementwise(f)
  return function(x, dim)
    if #x.sizes == 0 then return x end
    return (along(x, dim or #x.sizes, function(slice)
      local sum, result = logSumExp(slice), {}
      if math.abs(sum) == math.huge then sum = 0 / 0 end
      for i, v in ipairs(slice) do result[i] = f(v - sum) end
      return result
    end))
  end
end
reference.softmax = elementwise(math.exp)
reference.logsoftmax = elementwise(function(v) return v end)

function reference.logsumexp(x, dim)
  return (along(x, dim or #x.sizes, function(slice) return { logSumExp(slice) } end, 1))
end

-- f(g, y, sum) of each element, sum being that of term(g, y) over the slice.
local function gradient(term, f)
  return function(g, y, dim)
    if #g.sizes == 0 then return g end
    dim = dim or #g.sizes
    -- The slices of y, in the order of those of g.
    local slices, at = {}, 0
    along(y, dim, function(slice)
      slices[#slices + 1] = slice
      return slice
    end)
    return (along(g, dim, function(slice)
      at = at + 1
      local sum, result = 0, {}
      for i, v in ipairs(slice) do sum = sum + term(v, slices[at][i]) end
      for i, v in ipairs(slice) do result[i] = f(v, slices[at][i], sum) end
      return result
    end))
  end
end
reference.softmax_grad = gradient(function(g, y) return g * y end, function(g, y, sum) return y * (g - sum) end)
reference.logsoftmax_grad = gradient(function(g) return g end, function(g, y, sum) return g - math.exp(y) * sum end)

return reference
