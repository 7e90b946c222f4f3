-- Selection and writing by index, in plain Lua. A tensor is { sizes = {...}, data = {...} }, its elements in row-major order.
local tensor = require('spec.reference.view').tensor
local build, element, copied, resolved = tensor.build, tensor.element, tensor.copied, tensor.resolved

local reference = {}

local function with(index, dim, value)
  local changed = copied(index)
  changed[dim] = value
  return changed
end

function reference.index(x, dim, positions)
  dim = resolved(dim, #x.sizes)
  return build(with(x.sizes, dim, #positions.data), function(index) return element(x, with(index, dim, positions.data[index[dim]])) end)
end

-- x after change(old element, k) for each k, a slice of the source, that is put at the element's slice.
local function changedSlices(x, dim, positions, change)
  dim = resolved(dim, #x.sizes)
  return build(copied(x.sizes), function(index)
    local value = element(x, index)
    for k, position in ipairs(positions.data) do
      if position == index[dim] then value = change(value, with(index, dim, k)) end
    end
    return value
  end)
end

function reference.indexAdd(x, dim, positions, source)
  return changedSlices(x, dim, positions, function(value, from) return value + element(source, from) end)
end

function reference.indexCopy(x, dim, positions, source)
  return changedSlices(x, dim, positions, function(_, from) return element(source, from) end)
end

function reference.indexFill(x, dim, positions, value)
  return changedSlices(x, dim, positions, function() return value end)
end

function reference.gather(x, dim, positions)
  dim = resolved(dim, #x.sizes)
  return build(copied(positions.sizes), function(index) return element(x, with(index, dim, element(positions, index))) end)
end

local function scattered(x, dim, positions, source, change)
  dim = resolved(dim, #x.sizes)
  return build(copied(x.sizes), function(index)
    local value = element(x, index)
    for d = 1, #index do
      if d ~= dim and index[d] > positions.sizes[d] then return value end
    end
    for k = 1, positions.sizes[dim] do
      local from = with(index, dim, k)
      if element(positions, from) == index[dim] then value = change(value, type(source) == 'number' and source or element(source, from)) end
    end
    return value
  end)
end

function reference.scatter(x, dim, positions, source)
  return scattered(x, dim, positions, source, function(_, new) return new end)
end

function reference.scatterAdd(x, dim, positions, source)
  return scattered(x, dim, positions, source, function(old, new) return old + new end)
end

function reference.take(x, positions)
  local result = { sizes = copied(positions.sizes), data = {} }
  for i, position in ipairs(positions.data) do result.data[i] = x.data[position] end
  return result
end

local function zeros(sizes)
  return build(copied(sizes), function() return 0 end)
end

function reference.index_grad(g, sizes, dim, positions) return reference.indexAdd(zeros(sizes), dim, positions, g) end
function reference.gather_grad(g, sizes, dim, positions) return reference.scatterAdd(zeros(sizes), dim, positions, g) end

return reference
