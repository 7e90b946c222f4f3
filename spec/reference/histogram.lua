-- Counting and finding, element by element.
local reference = {}

local function bounds(list, min, max)
  if min ~= max then return min, max end
  min, max = math.huge, -math.huge
  for _, v in ipairs(list) do min, max = math.min(min, v), math.max(max, v) end
  if min == max then return min - 1, max + 1 end
  return min, max
end

local function counts(list, bins, min, max)
  local result = {}
  for i = 1, bins do result[i] = 0 end
  for _, v in ipairs(list) do
    if v >= min and v <= max then
      local bin = math.min(math.floor((v - min) / (max - min) * bins) + 1, bins)
      result[bin] = result[bin] + 1
    end
  end
  return result
end

function reference.histc(x, bins, min, max)
  bins = bins or 100
  return { sizes = { bins }, data = counts(x.data, bins, bounds(x.data, min or 0, max or 0)) }
end

function reference.bhistc(x, bins, min, max)
  local rows, n, data = x.sizes[1], x.sizes[2], {}
  for r = 0, rows - 1 do
    local row = {}
    for i = 1, n do row[i] = x.data[r * n + i] end
    for _, v in ipairs(counts(row, bins, bounds(x.data, min or 0, max or 0))) do data[#data + 1] = v end
  end
  return { sizes = { rows, bins }, data = data }
end

function reference.histogram(x, bins, min, max, density)
  local edges, list = {}, {}
  if type(min) == 'boolean' then min, density = nil, min end
  if type(bins) == 'table' then
    edges = bins.data
  else
    local finite = {}
    for _, v in ipairs(x.data) do
      if v == v and math.abs(v) < math.huge then finite[#finite + 1] = v end
    end
    local low, high = min or #finite == 0 and 0 or math.min(unpack(finite)), max or #finite == 0 and 1 or math.max(unpack(finite))
    if low == high then low, high = low - 0.5, high + 0.5 end
    bins = bins or 10
    for i = 0, bins do edges[i + 1] = i == bins and high or low + (high - low) * i / bins end
  end
  local total = 0
  for k = 1, #edges - 1 do
    list[k] = 0
    for _, v in ipairs(x.data) do
      local below = v < edges[k + 1] or k == #edges - 1 and v == edges[k + 1]
      if v >= edges[k] and below then list[k] = list[k] + 1 end
    end
    total = total + list[k]
  end
  if density then
    for k, count in ipairs(list) do list[k] = count / total / (edges[k + 1] - edges[k]) end
  end
  return { sizes = { #list }, data = list }, { sizes = { #edges }, data = edges }
end

function reference.bincount(x, minLength, weights)
  local length = minLength or 0
  for _, v in ipairs(x.data) do length = math.max(length, v) end
  local data = {}
  for i = 1, length do data[i] = 0 end
  for i, v in ipairs(x.data) do data[v] = data[v] + (weights and weights.data[i] or 1) end
  return { sizes = { length }, data = data }
end

function reference.searchsorted(sorted, x, right)
  if type(x) == 'number' then x = { sizes = { 1 }, data = { x } } end
  local n, data = sorted.sizes[#sorted.sizes], {}
  local m = #sorted.sizes > 1 and x.sizes[#x.sizes] or #x.data
  for i, v in ipairs(x.data) do
    local row, before = math.floor((i - 1) / m), 0
    for k = 1, n do
      local s = sorted.data[row * n + k]
      if s < v or right and s == v then before = before + 1 end
    end
    data[i] = before + 1
  end
  return { sizes = { unpack(x.sizes) }, data = data }
end

function reference.unique(x)
  local number, values, inverse, counted = {}, {}, {}, {}
  local function key(v) return v ~= v and 'nan' or v end
  for _, v in ipairs(x.data) do
    if not number[key(v)] then number[key(v)], values[#values + 1] = true, v end
  end
  table.sort(values, function(a, b) return a < b or (b ~= b and a == a) end)
  for i, v in ipairs(values) do number[key(v)], counted[i] = i, 0 end
  for i, v in ipairs(x.data) do
    inverse[i] = number[key(v)]
    counted[inverse[i]] = counted[inverse[i]] + 1
  end
  return { sizes = { #values }, data = values }, { sizes = { unpack(x.sizes) }, data = inverse }, { sizes = { #values }, data = counted }
end

return reference
