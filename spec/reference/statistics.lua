-- Statistics of samples, and reductions that pass over NaN, in plain Lua.
local along = require 'spec.reference.along'

local reference = {}

local function isNan(v) return v ~= v end

local function kept(list)
  local numbers, places = {}, {}
  for i, v in ipairs(list) do
    if not isNan(v) then numbers[#numbers + 1], places[#places + 1] = v, i end
  end
  return numbers, places
end

local function sum(list)
  local total = 0
  for _, v in ipairs(list) do total = total + v end
  return total
end

local function reduction(f)
  return function(x, dim, ...)
    local more = { ... }
    if not dim then return (f(x.data, unpack(more))) end
    return along(x, dim, function(slice)
      local value, place = f(slice, unpack(more))
      return { value }, place and { place }
    end, 1)
  end
end
local function alone(f)
  local both = reduction(f)
  return function(...) return (both(...)) end
end

reference.nanmean = alone(function(list)
  local numbers = kept(list)
  return sum(numbers) / #numbers
end)
reference.countNonzero = alone(function(list)
  local count = 0
  for _, v in ipairs(list) do count = count + (v ~= 0 and 1 or 0) end
  return count
end)

local function extremum(better)
  return reduction(function(list)
    local numbers, places = kept(list)
    if #numbers == 0 then return 0 / 0, 1 end
    local best = 1
    for i, v in ipairs(numbers) do
      if better(v, numbers[best]) then best = i end
    end
    return numbers[best], places[best]
  end)
end
reference.nanmax = extremum(function(a, b) return a > b end)
reference.nanmin = extremum(function(a, b) return a < b end)

-- Hyndman & Fan's definition 7 ("Sample quantiles in statistical packages", 1996), which is NumPy's.
local function quantile(list, q, method)
  list = { unpack(list) }
  table.sort(list)
  local place = q * (#list - 1) + 1
  local low, high = math.floor(place), math.ceil(place)
  local rest = place - low
  if method == 'lower' then return list[low] end
  if method == 'higher' then return list[high] end
  if method == 'midpoint' then return (list[low] + list[high]) / 2 end
  if method == 'nearest' then
    if rest == 0.5 then return list[(low - 1) % 2 == 0 and low or high] end
    return list[rest < 0.5 and low or high]
  end
  return list[low] + (list[high] - list[low]) * rest
end

local function quantiles(passesOver)
  return function(x, q, dim, method)
    local function each(slice)
      local numbers, results = kept(slice), {}
      for i, part in ipairs(type(q) == 'table' and q.data or { q }) do
        local missing = #numbers == 0 or (#numbers < #slice and not passesOver)
        results[i] = missing and 0 / 0 or quantile(numbers, part, method)
      end
      return results
    end
    if dim then return (along(x, dim, each)) end
    local results = each(x.data)
    return type(q) == 'table' and { sizes = { #results }, data = results } or results[1]
  end
end
reference.quantile, reference.nanquantile = quantiles(false), quantiles(true)

local function rows(x)
  local list, n = {}, x.sizes[2]
  for r = 1, x.sizes[1] do list[r] = { unpack(x.data, (r - 1) * n + 1, r * n) } end
  return list
end

local function covariance(a, b, biased)
  local meanA, meanB, products = sum(a) / #a, sum(b) / #b, {}
  for i in ipairs(a) do products[i] = (a[i] - meanA) * (b[i] - meanB) end
  return sum(products) / (#a - (biased and 0 or 1))
end

local function pairwise(x, f)
  local list, data = rows(x), {}
  for _, a in ipairs(list) do
    for _, b in ipairs(list) do data[#data + 1] = f(a, b) end
  end
  return { sizes = { #list, #list }, data = data }
end

function reference.cov(x, biased)
  if #x.sizes == 1 then return covariance(x.data, x.data, biased) end
  return pairwise(x, function(a, b) return covariance(a, b, biased) end)
end
function reference.corrcoef(x)
  return pairwise(x, function(a, b) return covariance(a, b) / math.sqrt(covariance(a, a) * covariance(b, b)) end)
end

return reference
