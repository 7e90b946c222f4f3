-- Numbers at equal distances, each by its formula in float64. A tensor is { sizes = {...}, data = {...} }.
local tensor = require('spec.reference.view').tensor

local reference = {}

local function sequence(n, at)
  return tensor.build({ n }, function(index) return at(index[1] - 1) end)
end

function reference.range(first, last, step)
  step = step or 1
  return sequence(math.floor((last - first) / step) + 1, function(i) return first + i * step end)
end

function reference.arange(first, last, step)
  if type(last) ~= 'number' then first, last = 0, first end
  step = type(step) == 'number' and step or 1
  return sequence(math.max(0, math.ceil((last - first) / step)), function(i) return first + i * step end)
end

function reference.linspace(first, last, n)
  return sequence(n or 100, function(i) return n == 1 and first or first + (last - first) * (i / ((n or 100) - 1)) end)
end

function reference.logspace(first, last, n)
  local exponents = reference.linspace(first, last, n)
  for i, value in ipairs(exponents.data) do exponents.data[i] = 10 ^ value end
  return exponents
end

return reference
