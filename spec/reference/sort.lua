-- Sorting and order statistics in plain Lua, by insertion. A tensor is { sizes = {...}, data = {...} }; positions count from 1.
local along = require 'spec.reference.along'

local reference = {}

-- NaN is above all numbers.
local function less(a, b) return a < b or (b ~= b and a == a) end

-- Values and positions; equal ones keep their order.
local function ordered(slice, descending)
  local values, places = {}, {}
  for i, v in ipairs(slice) do
    local at = i
    while at > 1 and (descending and less(values[at - 1], v) or not descending and less(v, values[at - 1])) do
      values[at], places[at] = values[at - 1], places[at - 1]
      at = at - 1
    end
    values[at], places[at] = v, i
  end
  return values, places
end

function reference.sort(x, dim, descending)
  if type(dim) == 'boolean' then dim, descending = nil, dim end
  if #x.sizes == 0 then return x, x end
  return along(x, dim or #x.sizes, function(slice) return ordered(slice, descending) end)
end

function reference.topk(x, k, dim, largest)
  if type(dim) == 'boolean' then dim, largest = nil, dim end
  k = k or 1
  return along(x, dim or #x.sizes, function(slice)
    local values, places = ordered(slice, largest)
    for i = #values, k + 1, -1 do values[i], places[i] = nil, nil end
    return values, places
  end)
end

local function single(values, places, k) return { values[k] }, { places[k] } end

function reference.kthvalue(x, k, dim)
  return along(x, dim or #x.sizes, function(slice)
    local values, places = ordered(slice)
    return single(values, places, k)
  end)
end

function reference.median(x, dim)
  return along(x, dim or #x.sizes, function(slice)
    local values, places = ordered(slice)
    return single(values, places, math.floor((#slice + 1) / 2))
  end)
end

function reference.mode(x, dim)
  return along(x, dim or #x.sizes, function(slice)
    local values, places = ordered(slice)
    local best, most, run = 1, 0, 0
    for i, v in ipairs(values) do
      local same = i > 1 and (v == values[i - 1] or (v ~= v and values[i - 1] ~= values[i - 1]))
      run = same and run + 1 or 1
      if run > most then best, most = i, run end
    end
    return single(values, places, best)
  end)
end

return reference
