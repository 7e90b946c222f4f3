-- Results of creation and filling, in plain Lua float64 arithmetic. A tensor is { sizes = {...}, data = {...} }.
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

function reference.fill(x, value)
  return filled(value)(x.sizes)
end

function reference.zero(x) return filled(0)(x.sizes) end

function reference.copy(x, source)
  if #x.data == #source.data then return { sizes = tensor.copied(x.sizes), data = tensor.copied(source.data) } end
  return require('spec.reference.view').expand(source, x.sizes)
end

return reference
