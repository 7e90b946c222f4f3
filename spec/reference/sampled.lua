-- Functions given by values at points, point by point.
local along = require 'spec.reference.along'

local reference = {}

-- The points of the n-th slice along dim: every `step`, a vector, or those of a tensor of y's sizes.
local function pointsOf(x, y, dim)
  if type(x) == 'table' and #x.sizes == #y.sizes and #x.data == #y.data and #y.sizes > 1 then
    local slices = {}
    along(x, dim, function(slice)
      slices[#slices + 1] = slice
      return { 0 }
    end, 1)
    return function(n) return slices[n] end
  end
  return function(_, count)
    if type(x) == 'table' then return x.data end
    local list = {}
    for i = 1, count do list[i] = i * (x or 1) end
    return list
  end
end

local function withPoints(y, x, dim, f, length)
  local n, points = 0, pointsOf(x, y, dim)
  return (along(y, dim, function(slice)
    n = n + 1
    return f(slice, points(n, #slice))
  end, length))
end

function reference.trapz(y, x, dim)
  local result = withPoints(y, x, dim or #y.sizes, function(v, at)
    local sum = 0
    for i = 1, #v - 1 do sum = sum + (at[i + 1] - at[i]) * (v[i] + v[i + 1]) / 2 end
    return { sum }
  end, 1)
  return not dim and #y.sizes == 1 and result.data[1] or result
end

-- The slope at one of three points of the parabola through them.
local function parabola(x, y, at)
  local slope = 0
  for i = 1, 3 do
    local j, k = i % 3 + 1, (i + 1) % 3 + 1
    slope = slope + y[i] * (2 * at - x[j] - x[k]) / ((x[i] - x[j]) * (x[i] - x[k]))
  end
  return slope
end

function reference.gradient(y, x, dim)
  return withPoints(y, x, dim or #y.sizes, function(v, at)
    local n, slopes = #v, {}
    slopes[1], slopes[n] = (v[2] - v[1]) / (at[2] - at[1]), (v[n] - v[n - 1]) / (at[n] - at[n - 1])
    for i = 2, n - 1 do
      slopes[i] = parabola({ at[i - 1], at[i], at[i + 1] }, { v[i - 1], v[i], v[i + 1] }, at[i])
    end
    return slopes
  end)
end

function reference.interp(x, points, values)
  local function at(v)
    local p, f = points.data, values.data
    if v ~= v then return v end
    if v <= p[1] then return f[1] elseif v >= p[#p] then return f[#p] end
    for i = 1, #p - 1 do
      if v >= p[i] and v <= p[i + 1] then return (f[i] * (p[i + 1] - v) + f[i + 1] * (v - p[i])) / (p[i + 1] - p[i]) end
    end
  end
  if type(x) == 'number' then return at(x) end
  local data = {}
  for i, v in ipairs(x.data) do data[i] = at(v) end
  return { sizes = { unpack(x.sizes) }, data = data }
end

return reference
