-- What creation and filling give, in plain Lua float64 arithmetic. A tensor is { sizes = {...}, data = {...} }.
local tensor = require('spec.reference.view').tensor

local reference = {}

local function filled(value)
  return function(...)
    local sizes = type(...) == 'table' and tensor.copied(...) or {}
    if #sizes == 0 then
      for i = 1, select('#', ...) do
        local size = select(i, ...)
        if type(size) == 'number' then sizes[i] = size end
      end
    end
    return tensor.build(sizes, function() return value end)
  end
end

reference.zeros, reference.ones = filled(0), filled(1)

function reference.full(sizes, value) return filled(value)(sizes) end

function reference.eye(n, m)
  return tensor.build({ n, type(m) == 'number' and m or n }, function(index) return index[1] == index[2] and 1 or 0 end)
end

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

function reference.fill(x, value)
  return filled(value)(x.sizes)
end

function reference.zero(x) return filled(0)(x.sizes) end

function reference.copy(x, source)
  if #x.data == #source.data then return { sizes = tensor.copied(x.sizes), data = tensor.copied(source.data) } end
  return require('spec.reference.view').expand(source, x.sizes)
end

return reference
