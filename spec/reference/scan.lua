-- Scans in plain Lua. A tensor is { sizes = {...}, data = {...} }.
local along = require 'spec.reference.along'

local function scan(start, f)
  return function(x, dim)
    if #x.sizes == 0 then return x end
    return (along(x, dim or 1, function(slice)
      local result, acc = {}, start
      for i, v in ipairs(slice) do
        acc = f(acc, v)
        result[i] = acc
      end
      return result
    end))
  end
end

-- The extremum of each prefix of a slice, searched separately: the last NaN, else the last of the extreme elements.
local function extremum(extreme)
  return function(x, dim)
    if #x.sizes == 0 then return x, x end
    return along(x, dim or 1, function(slice)
      local values, places = {}, {}
      for n = 1, #slice do
        local best, lastNan = slice[1], nil
        for i = 1, n do
          if slice[i] ~= slice[i] then lastNan = i else best = best == best and extreme(best, slice[i]) or slice[i] end
        end
        local at = lastNan or n
        while not lastNan and slice[at] ~= best do at = at - 1 end
        values[n], places[n] = slice[at], at
      end
      return values, places
    end)
  end
end

-- For each prefix of a slice: its largest element is subtracted first.
local function logSumExp(slice, n)
  local largest = -math.huge
  for i = 1, n do
    if slice[i] ~= slice[i] then return slice[i] end
    largest = math.max(largest, slice[i])
  end
  if math.abs(largest) == math.huge then return largest end
  local sum = 0
  for i = 1, n do sum = sum + math.exp(slice[i] - largest) end
  return largest + math.log(sum)
end

local function exponential(x, y)
  if x == -math.huge then return 0 end
  return x == y and 1 or math.exp(x - y)
end

-- Three slices as one, so that `along` brings them together: g, x and y, one after the other.
local function joined(g, x, y, dim)
  if dim < 0 then dim = dim + #g.sizes + 1 end
  local inner, all = 1, { sizes = {}, data = {} }
  for d = dim, #g.sizes do inner = inner * g.sizes[d] end
  for d = 1, #g.sizes do all.sizes[d] = d == dim and 3 * g.sizes[d] or g.sizes[d] end
  for first = 1, #g.data, inner do
    for _, t in ipairs { g, x, y } do
      for i = first, first + inner - 1 do all.data[#all.data + 1] = t.data[i] end
    end
  end
  return all
end

-- Every pair of elements by itself.
local function cumulativeExp(g, x, y, dim, transposed)
  if #g.sizes == 0 then return g end
  dim = dim or 1
  local size = g.sizes[dim < 0 and dim + #g.sizes + 1 or dim]
  return (along(joined(g, x, y, dim), dim, function(slice)
    local result = {}
    for j = 1, size do
      local sum = 0
      for i = transposed and 1 or j, transposed and j or size do
        local from, to = transposed and i or j, transposed and j or i
        sum = sum + slice[i] * exponential(slice[size + from], slice[2 * size + to])
      end
      result[j] = sum
    end
    return result
  end, size))
end

return {
  cumsum = scan(0, function(a, v) return a + v end), cumprod = scan(1, function(a, v) return a * v end),
  cummax = extremum(math.max), cummin = extremum(math.min),
  logcumsumexp = function(x, dim)
    if #x.sizes == 0 then return x end
    return (along(x, dim or 1, function(slice)
      local result = {}
      for n = 1, #slice do result[n] = logSumExp(slice, n) end
      return result
    end))
  end,
  logcumsumexp_grad = cumulativeExp,
}
