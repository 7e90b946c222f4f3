-- PyTorch's functions of rows and reductions whose dimensions are dropped, number by number.
local along = require 'spec.reference.along'
local lift = require('torch.sweep.elementwise').lift
local tensor = require('spec.reference.view').tensor

local reference = {}

local function copy(x) return { sizes = tensor.copied(x.sizes), data = tensor.copied(x.data) } end

-- Without the dimensions in a set; a number if none is left.
local function dropped(y, isDropped)
  local sizes = {}
  for d, size in ipairs(y.sizes) do
    if not isDropped[d] then sizes[#sizes + 1] = size end
  end
  if #sizes == 0 then return y.data[1] end
  return { sizes = sizes, data = y.data }
end

local function extremum(choose)
  return function(x, dims, keepdim)
    if type(dims) == 'number' then dims = { dims } end
    local isReduced, y = {}, copy(x)
    for d = 1, #x.sizes do isReduced[d] = dims == nil end
    for _, d in ipairs(dims or {}) do isReduced[tensor.resolved(d, #x.sizes)] = true end
    for d = 1, #x.sizes do
      if isReduced[d] then
        y = along(y, d, function(list)
          local best = list[1]
          for _, v in ipairs(list) do best = (v ~= v or best ~= best) and 0 / 0 or choose(best, v) end
          return { best }
        end, 1)
      end
    end
    return keepdim and y or dropped(y, isReduced)
  end
end
reference.amax, reference.amin = extremum(math.max), extremum(math.min)

local function medianOf(list)
  local numbers = {}
  for i, v in ipairs(list) do
    if v == v then numbers[#numbers + 1] = { v, i } end
  end
  if #numbers == 0 then return 0 / 0, 1 end
  table.sort(numbers, function(a, b) return a[1] < b[1] or a[1] == b[1] and a[2] < b[2] end)
  return unpack(numbers[math.floor((#numbers + 1) / 2)])
end
function reference.nanmedian(x, dim, keepdim)
  if not dim then return (medianOf(x.data)) end
  local values, places = along(x, dim, function(list)
    local v, i = medianOf(list)
    return { v }, { i }
  end, 1)
  if keepdim then return values, places end
  local isDropped = { [tensor.resolved(dim, #x.sizes)] = true }
  return dropped(values, isDropped), dropped(places, isDropped)
end

-- The rows of the last dimension.
local function rowsOf(x)
  local n, list = x.sizes[#x.sizes], {}
  for r = 1, #x.data / n do list[r] = { unpack(x.data, (r - 1) * n + 1, r * n) } end
  return list, { unpack(x.sizes, 1, #x.sizes - 1) }
end

function reference.inner(x, y)
  local a, sizes = rowsOf(x)
  local b, others = rowsOf(y)
  local data = {}
  for _, p in ipairs(a) do
    for _, q in ipairs(b) do
      local sum = 0
      for i in ipairs(p) do sum = sum + p[i] * q[i] end
      data[#data + 1] = sum
    end
  end
  for _, size in ipairs(others) do sizes[#sizes + 1] = size end
  if #sizes == 0 then return data[1] end
  return { sizes = sizes, data = data, scale = 30 }
end

local function norm(list, p)
  local sum = 0
  for _, v in ipairs(list) do
    sum = p == math.huge and math.max(sum, math.abs(v)) or sum + math.abs(v) ^ (p == math.huge and 1 or p)
  end
  return p == math.huge and sum or sum ^ (1 / p)
end

local function difference(p, q, eps)
  local list = {}
  for i in ipairs(p) do list[i] = p[i] - q[i] + (eps or 0) end
  return list
end

function reference.pdist(x, p)
  local rows, data = rowsOf(x), {}
  for i, row in ipairs(rows) do
    for j = i + 1, #rows do data[#data + 1] = norm(difference(row, rows[j]), p or 2) end
  end
  return { sizes = { #data }, data = data }
end

-- y in the sizes of x, of which it has the last ones.
local function repeated(y, x)
  local data = {}
  for i = 1, #x.data do data[i] = y.data[(i - 1) % #y.data + 1] end
  return { sizes = x.sizes, data = data }
end

function reference.pairwiseDistance(x, y, p, eps, keepdim)
  local a, sizes = rowsOf(x)
  local b, data = rowsOf(repeated(y, x)), {}
  for r, row in ipairs(a) do data[r] = norm(difference(row, b[r], eps or 1e-6), p or 2) end
  if keepdim then sizes[#sizes + 1] = 1 end
  return { sizes = sizes, data = data }
end

function reference.cosineSimilarity(x, y, dim, eps)
  dim = tensor.resolved(dim or 2, #x.sizes)
  local n, others, products = x.sizes[dim], repeated(y, x).data, {}
  for i, v in ipairs(x.data) do products[i] = v * others[i] end
  local function sums(numbers) return along({ sizes = x.sizes, data = numbers }, dim, function(list)
    local sum = 0
    for i = 1, n do sum = sum + list[i] end
    return { sum }
  end, 1) end
  local function squares(numbers)
    local list = {}
    for i, v in ipairs(numbers) do list[i] = v * v end
    return sums(list).data
  end
  local p, q, dots = squares(x.data), squares(others), sums(products)
  for i, v in ipairs(dots.data) do
    dots.data[i] = v / (math.max(math.sqrt(p[i]), eps or 1e-8) * math.max(math.sqrt(q[i]), eps or 1e-8))
  end
  return dropped(dots, { [dim] = true })
end

function reference.msort(x)
  return along(x, 1, function(list)
    table.sort(list, function(a, b) return a == a and b ~= b or a < b end)
    return list
  end)
end

reference.clampMin = lift(function(x, bound) return x ~= x and x or math.max(x, bound) end)
reference.clampMax = lift(function(x, bound) return x ~= x and x or math.min(x, bound) end)

function reference.prelu(x, weight)
  local inner = 1
  for d = 3, #x.sizes do inner = inner * x.sizes[d] end
  local y = lift(function(v) return v end, { float = true })(x)
  for i, v in ipairs(y.data) do
    local w = #weight.data == 1 and weight.data[1] or weight.data[math.floor((i - 1) / inner) % x.sizes[2] + 1]
    y.data[i] = v > 0 and v or v * w
  end
  return y
end

function reference.cumulativeTrapezoid(y, x, dim)
  dim = tensor.resolved(dim or -1, #y.sizes)
  local steps = y
  if type(x) == 'table' then
    steps = #x.sizes == #y.sizes and x or tensor.build(tensor.copied(y.sizes), function(index) return x.data[index[dim]] end)
  end
  local points = {}
  along(steps, dim, function(list)
    points[#points + 1] = tensor.copied(list)
    return list
  end)
  local k = 0
  return along(y, dim, function(list)
    k = k + 1
    local sum, sums = 0, {}
    for i = 1, #list - 1 do
      local step = type(x) == 'table' and points[k][i + 1] - points[k][i] or x or 1
      sum = sum + (list[i] + list[i + 1]) / 2 * step
      sums[i] = sum
    end
    return sums
  end)
end

function reference.diagEmbed(x, offset, dim1, dim2)
  offset = offset or 0
  local rank, n = #x.sizes + 1, x.sizes[#x.sizes]
  dim1, dim2 = tensor.resolved(dim1 or -2, rank), tensor.resolved(dim2 or -1, rank)
  local sizes, at = {}, 0
  for d = 1, rank do
    if d == dim1 or d == dim2 then sizes[d] = n + math.abs(offset) else
      at = at + 1
      sizes[d] = x.sizes[at]
    end
  end
  return tensor.build(sizes, function(index)
    local row, column, place = index[dim1], index[dim2], {}
    if column - row ~= offset then return 0 end
    for d = 1, rank do
      if d ~= dim1 and d ~= dim2 then place[#place + 1] = index[d] end
    end
    place[#place + 1] = math.min(row, column)
    return tensor.element(x, place)
  end)
end

function reference.diagflat(x, offset) return reference.diagEmbed({ sizes = { #x.data }, data = x.data }, offset) end

return reference
