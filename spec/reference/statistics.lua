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
local function nanVariance(list, biased)
  local numbers = kept(list)
  local n, squares = #numbers, 0
  local mean = sum(numbers) / n
  for _, v in ipairs(numbers) do squares = squares + (v - mean) ^ 2 end
  return n == 0 and 0 / 0 or squares / (biased and n or n - 1)
end
local function deviation(f)
  local both = alone(f)
  return function(x, dim, biased)
    if type(dim) == 'boolean' then return both(x, nil, dim) end
    return both(x, dim, biased)
  end
end
reference.nanvar = deviation(nanVariance)
reference.nanstd = deviation(function(...) return math.sqrt(nanVariance(...)) end)
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
-- The others are the paper's m of its table 1, by which j = floor(n q + m) and g = n q + m - j, and its weights of element j + 1.
local function up(g) return g > 0 and 1 or 0 end
local function same(g) return g end
local definitions = {
  inverted_cdf = { 0, up }, averaged_inverted_cdf = { 0, function(g) return g > 0 and 1 or 0.5 end },
  closest_observation = { -0.5, function(g, j) return g == 0 and j % 2 == 0 and 0 or 1 end }, interpolated_inverted_cdf = { 0, same },
  hazen = { 0.5, same }, weibull = { function(q) return q end, same }, median_unbiased = { function(q) return (q + 1) / 3 end, same },
  normal_unbiased = { function(q) return q / 4 + 3 / 8 end, same },
}

local function quantile(list, q, method)
  list = { unpack(list) }
  table.sort(list)
  if definitions[method] then
    local m, weight = unpack(definitions[method])
    local place = #list * q + (type(m) == 'number' and m or m(q))
    local j = math.floor(place)
    local function at(k) return list[math.min(math.max(k, 1), #list)] end
    return at(j) + (at(j + 1) - at(j)) * weight(place - j, j)
  end
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
function reference.percentile(x, q, dim, method)
  if type(q) ~= 'table' then return reference.quantile(x, q / 100, dim, method) end
  local parts = {}
  for i, v in ipairs(q.data) do parts[i] = v / 100 end
  return reference.quantile(x, { sizes = q.sizes, data = parts }, dim, method)
end

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
