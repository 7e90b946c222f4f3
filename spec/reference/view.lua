-- The contents of views and rearrangements, in plain Lua. A tensor is { sizes = {...}, data = {...} }, its elements in row-major order.
-- Each function accepts an op's arguments as a caller passes them.
local product = require('torch.sweep.elements').product

local reference = {}

-- A tensor whose element at an index (a list, which at() must not keep) is at(index).
local function build(sizes, at)
  local result, index = { sizes = sizes, data = {} }, {}
  for i = 1, product(sizes) do
    local rest = i - 1
    for d = #sizes, 1, -1 do
      index[d] = rest % sizes[d] + 1
      rest = math.floor(rest / sizes[d])
    end
    result.data[i] = at(index)
  end
  return result
end

local function element(x, index)
  local at = 0
  for d = 1, #x.sizes do at = at * x.sizes[d] + index[d] - 1 end
  return x.data[at + 1]
end

local function copied(list)
  local result = {}
  for i = 1, #list do result[i] = list[i] end
  return result
end

local function resolved(d, n) return d < 0 and d + n + 1 or d end

local function listed(first, ...) return type(first) == 'table' and first or { first, ... } end

reference.tensor = { build = build, element = element, copied = copied, product = product, resolved = resolved, listed = listed }

function reference.narrow(x, dim, first, length)
  dim = resolved(dim, #x.sizes)
  local sizes = copied(x.sizes)
  sizes[dim] = length
  return build(sizes, function(index)
    local from = copied(index)
    from[dim] = from[dim] + resolved(first, x.sizes[dim]) - 1
    return element(x, from)
  end)
end

function reference.select(x, dim, position)
  dim = #x.sizes == 1 and 1 or resolved(dim, #x.sizes)
  local slice = reference.narrow(x, dim, position, 1)
  if #x.sizes == 1 then return slice.data[1] end
  table.remove(slice.sizes, dim)
  return slice
end

function reference.permute(x, ...)
  local dims, sizes = {}, {}
  for i, d in ipairs(listed(...)) do
    dims[i] = resolved(d, #x.sizes)
    sizes[i] = x.sizes[dims[i]]
  end
  return build(sizes, function(index)
    local from = {}
    for i, d in ipairs(dims) do from[d] = index[i] end
    return element(x, from)
  end)
end

function reference.transpose(x, a, b)
  a, b = resolved(a, #x.sizes), resolved(b, #x.sizes)
  local dims = {}
  for d = 1, #x.sizes do dims[d] = d == a and b or d == b and a or d end
  return reference.permute(x, dims)
end

function reference.t(x) return reference.permute(x, 2, 1) end

function reference.view(x, ...)
  local sizes, known, open = copied(listed(...)), 1, nil
  for i, size in ipairs(sizes) do
    if size == -1 then open = i else known = known * size end
  end
  if open then sizes[open] = #x.data / known end
  return { sizes = sizes, data = copied(x.data) }
end
reference.reshape = reference.view

function reference.viewAs(x, template) return reference.view(x, template.sizes) end

function reference.contiguous(x) return { sizes = copied(x.sizes), data = copied(x.data) } end
function reference.real(x) return reference.contiguous(x) end
function reference.channelsLast(x) return reference.contiguous(x) end

function reference.expand(x, ...)
  local sizes = copied(listed(...))
  local lead = #sizes - #x.sizes
  for d = lead + 1, #sizes do
    if sizes[d] == -1 then sizes[d] = x.sizes[d - lead] end
  end
  return build(sizes, function(index)
    local from = {}
    for d = 1, #x.sizes do from[d] = x.sizes[d] == 1 and 1 or index[d + lead] end
    return element(x, from)
  end)
end

function reference.expandAs(x, template) return reference.expand(x, template.sizes) end

function reference.squeeze(x, dim)
  dim = dim and resolved(dim, #x.sizes)
  local sizes = {}
  for d, size in ipairs(x.sizes) do
    if size ~= 1 or dim and d ~= dim then sizes[#sizes + 1] = size end
  end
  if #sizes == 0 then return x.data[1] end
  return { sizes = sizes, data = copied(x.data) }
end

function reference.unsqueeze(x, dim)
  local sizes = copied(x.sizes)
  table.insert(sizes, resolved(dim, #sizes + 1), 1)
  return { sizes = sizes, data = copied(x.data) }
end

function reference.unfold(x, dim, size, step)
  dim = resolved(dim, #x.sizes)
  local sizes = copied(x.sizes)
  sizes[dim] = math.floor((x.sizes[dim] - size) / step) + 1
  sizes[#sizes + 1] = size
  return build(sizes, function(index)
    local from = copied(index)
    local inside = table.remove(from)
    from[dim] = (from[dim] - 1) * step + inside
    return element(x, from)
  end)
end

function reference.sub(x, ...)
  local ranges = listed(...)
  for i = 1, #ranges, 2 do
    local dim = (i + 1) / 2
    local first, last = resolved(ranges[i], x.sizes[dim]), resolved(ranges[i + 1], x.sizes[dim])
    x = reference.narrow(x, dim, first, last - first + 1)
  end
  return x
end

-- x must be contiguous, at the start of its storage.
function reference.as_strided(x, sizes, strides, offset)
  return build(copied(sizes), function(index)
    local at = offset or 1
    for d = 1, #sizes do at = at + (index[d] - 1) * strides[d] end
    return x.data[at]
  end)
end

reference.strided_view = reference.as_strided

function reference.strided_scatter(x, y, sizes, strides, offset)
  local result = { sizes = copied(x.sizes), data = copied(x.data) }
  build(copied(sizes), function(index)
    local at = offset or 1
    for d = 1, #sizes do at = at + (index[d] - 1) * strides[d] end
    result.data[at] = element(y, index)
    return 0
  end)
  return result
end

function reference.diag(x, k)
  k = k or 0
  if #x.sizes == 1 then
    local n = x.sizes[1] + math.abs(k)
    return build({ n, n }, function(index)
      if index[2] - index[1] ~= k then return 0 end
      return x.data[math.min(index[1], index[2])]
    end)
  end
  local row, column = k < 0 and 1 - k or 1, k > 0 and 1 + k or 1
  local n = math.min(x.sizes[1] - row, x.sizes[2] - column) + 1
  return build({ n }, function(index) return element(x, { row + index[1] - 1, column + index[1] - 1 }) end)
end

function reference.repeatTensor(x, ...)
  local counts, sizes = listed(...), {}
  local lead = #counts - #x.sizes
  for d, count in ipairs(counts) do sizes[d] = count * (d > lead and x.sizes[d - lead] or 1) end
  return build(sizes, function(index)
    local from = {}
    for d = 1, #x.sizes do from[d] = (index[d + lead] - 1) % x.sizes[d] + 1 end
    return element(x, from)
  end)
end

function reference.cat(first, second, dim)
  local parts = { first, second }
  if not first.sizes then parts, dim = first, second end
  local ndim = 0
  for _, part in ipairs(parts) do ndim = math.max(ndim, #part.sizes) end
  dim = resolved(dim or -1, ndim)
  ndim = math.max(ndim, dim)
  local padded, sizes = {}, nil
  for _, part in ipairs(parts) do
    if #part.sizes > 0 then
      local whole = { sizes = copied(part.sizes), data = part.data }
      while #whole.sizes < ndim do whole.sizes[#whole.sizes + 1] = 1 end
      padded[#padded + 1] = whole
      if sizes then sizes[dim] = sizes[dim] + whole.sizes[dim] else sizes = copied(whole.sizes) end
    end
  end
  return build(sizes, function(index)
    local from = copied(index)
    for _, whole in ipairs(padded) do
      if from[dim] <= whole.sizes[dim] then return element(whole, from) end
      from[dim] = from[dim] - whole.sizes[dim]
    end
  end)
end

function reference.narrow_grad(g, sizes, dim, first)
  dim = resolved(dim, #sizes)
  if first < 0 then first = first + 1 + sizes[dim] end
  return build(copied(sizes), function(index)
    local from = copied(index)
    from[dim] = from[dim] - first + 1
    if from[dim] < 1 or from[dim] > g.sizes[dim] then return 0 end
    return element(g, from)
  end)
end

function reference.select_grad(g, sizes, dim, at)
  dim = #sizes == 1 and 1 or resolved(dim, #sizes)
  return build(copied(sizes), function(index)
    if index[dim] ~= at then return 0 end
    local from = copied(index)
    table.remove(from, dim)
    return #from > 0 and element(g, from) or g.data[1]
  end)
end

function reference.sub_grad(g, sizes, ranges)
  return build(copied(sizes), function(index)
    local from = copied(index)
    for d = 1, #ranges / 2 do
      local first = ranges[2 * d - 1]
      if first < 0 then first = first + 1 + sizes[d] end
      from[d] = from[d] - first + 1
      if from[d] < 1 or from[d] > g.sizes[d] then return 0 end
    end
    return element(g, from)
  end)
end

function reference.expand_grad(g, sizes)
  local sum = build(copied(sizes), function() return 0 end)
  if #sum.data == #g.data then return { sizes = copied(sizes), data = copied(g.data) } end
  local extra = #g.sizes - #sizes
  build(copied(g.sizes), function(index)
    local at = 0
    for d = 1, #sizes do at = at * sizes[d] + (sizes[d] == 1 and 0 or index[d + extra] - 1) end
    sum.data[at + 1] = sum.data[at + 1] + element(g, index)
    return 0
  end)
  return sum
end

return reference
