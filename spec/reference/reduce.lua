-- Reductions in plain Lua, in float64. A tensor is { sizes = {...}, data = {...} }; without a dimension the result is a number.
local along = require 'spec.reference.along'

local reference = {}

-- Kahan's sum: another way than the engine's.
local function sum(list)
  local total, lost = 0, 0
  for _, v in ipairs(list) do
    local y = v - lost
    local t = total + y
    lost = t - total == y and 0 or (t - total) - y
    total = t
  end
  if lost ~= lost then
    total = 0
    for _, v in ipairs(list) do total = total + v end
  end
  return total
end

local function reduction(f)
  return function(x, dim, ...)
    local more = { ... }
    if not dim then return f(x.data, unpack(more)) end
    return (along(x, dim, function(slice) return { f(slice, unpack(more)) } end, 1))
  end
end

reference.sum = reduction(sum)
reference.nansum = reduction(function(list)
  local numbers = {}
  for _, v in ipairs(list) do
    if v == v then numbers[#numbers + 1] = v end
  end
  return sum(numbers)
end)
reference.mean = reduction(function(list) return sum(list) / #list end)
reference.prod = reduction(function(list)
  local product = 1
  for _, v in ipairs(list) do product = product * v end
  return product
end)

local function variance(list, biased)
  local mean, squares = sum(list) / #list, {}
  for i, v in ipairs(list) do squares[i] = (v - mean) ^ 2 end
  return #list == 0 and 0 / 0 or sum(squares) / (biased and #list or #list - 1)
end

-- dim and the flag may each be left out.
local function withFlag(f)
  local plain = reduction(f)
  return function(x, dim, biased)
    if type(dim) == 'boolean' then dim, biased = nil, dim end
    return plain(x, dim, biased)
  end
end
reference.var = withFlag(variance)
reference.std = withFlag(function(...) return math.sqrt(variance(...)) end)

local function withMean(f)
  return function(x, dim, biased)
    return f(x, dim, biased), (reference.mean(x, type(dim) == 'number' and dim or nil))
  end
end
reference.varMean, reference.stdMean = withMean(reference.var), withMean(reference.std)

function reference.norm(x, p, dim)
  p = p or 2
  return reduction(function(list)
    local terms, largest, smallest = {}, 0, math.huge
    for i, v in ipairs(list) do
      largest = v ~= v and v or math.max(largest, math.abs(v))
      smallest = v ~= v and v or math.min(smallest, math.abs(v))
      terms[i] = p == 0 and (v ~= 0 and 1 or 0) or math.abs(v) ^ p
    end
    if p == math.huge then return largest end
    if p == -math.huge then return smallest end
    return p == 0 and sum(terms) or sum(terms) ^ (1 / p)
  end)(x, dim)
end

-- The first position of an extreme element; NaN is more extreme than numbers.
local function place(list, beats)
  local best = 1
  for i = 2, #list do
    local v, b = list[i], list[best]
    if b == b and (v ~= v or beats(v, b)) then best = i end
  end
  return best
end
local function larger(a, b) return a > b end
local function smaller(a, b) return a < b end

local function extremum(beats)
  return function(x, dim)
    if not dim then return x.data[place(x.data, beats)] end
    return along(x, dim, function(slice)
      local at = place(slice, beats)
      return { slice[at] }, { at }
    end, 1)
  end
end
reference.max, reference.min = extremum(larger), extremum(smaller)
function reference.aminmax(x, dim)
  return (reference.min(x, dim)), (reference.max(x, dim))
end
reference.argmax = reduction(function(list) return place(list, larger) end)
reference.argmin = reduction(function(list) return place(list, smaller) end)

-- Booleans over everything, 0 and 1 along a dimension.
local function test(f)
  return function(x, dim)
    if not dim then return f(x.data) end
    return (along(x, dim, function(slice) return { f(slice) and 1 or 0 } end, 1))
  end
end
reference.any = test(function(list)
  for _, v in ipairs(list) do
    if v ~= 0 then return true end
  end
  return false
end)
reference.all = test(function(list)
  for _, v in ipairs(list) do
    if v == 0 then return false end
  end
  return true
end)

return reference
