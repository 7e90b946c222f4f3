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

-- The solution of a small system, by Gauss's elimination.
local function solved(rows, right)
  local n = #rows
  for k = 1, n do
    local best = k
    for i = k + 1, n do
      if math.abs(rows[i][k]) > math.abs(rows[best][k]) then best = i end
    end
    rows[k], rows[best], right[k], right[best] = rows[best], rows[k], right[best], right[k]
    for i = k + 1, n do
      local factor = rows[i][k] / rows[k][k]
      for j = k, n do rows[i][j] = rows[i][j] - factor * rows[k][j] end
      right[i] = right[i] - factor * right[k]
    end
  end
  for k = n, 1, -1 do
    for j = k + 1, n do right[k] = right[k] - rows[k][j] * right[j] end
    right[k] = right[k] / rows[k][k]
  end
  return right
end

-- The spline as a sum of powers, and of cubes that begin at the inner points but the second and the last but one.
local function splineOf(p, f)
  local n, functions = #p, {}
  for power = 0, math.min(3, n - 1) do functions[power + 1] = function(v) return (v - p[1]) ^ power end end
  for i = 3, n - 2 do functions[#functions + 1] = function(v) return math.max(v - p[i], 0) ^ 3 end end
  local rows, right = {}, {}
  for i = 1, n do
    rows[i], right[i] = {}, f[i]
    for j, term in ipairs(functions) do rows[i][j] = term(p[i]) end
  end
  local weights = solved(rows, right)
  return function(v)
    local sum = 0
    for j, term in ipairs(functions) do sum = sum + weights[j] * term(v) end
    return sum
  end
end

local between = {
  linear = function(p, f, v, i) return (f[i] * (p[i + 1] - v) + f[i + 1] * (v - p[i])) / (p[i + 1] - p[i]) end,
  cubic = function(p, f, v) return splineOf(p, f)(v) end,
  nearest = function(p, f, v, i) return p[i + 1] - v < v - p[i] and f[i + 1] or f[i] end,
  previous = function(p, f, v, i) return v == p[i + 1] and f[i + 1] or f[i] end,
  next = function(p, f, v, i) return v == p[i] and f[i] or f[i + 1] end,
}

function reference.interp(x, points, values, method, left, right)
  if type(method) == 'number' then method, left, right = nil, method, left end
  local function at(v)
    local p, f = points.data, values.data
    if v ~= v then return v end
    if v < p[1] then return left or f[1] elseif v > p[#p] then return right or f[#p] end
    if #p == 1 then return f[1] end
    for i = 1, #p - 1 do
      if v >= p[i] and v <= p[i + 1] then return between[method or 'linear'](p, f, v, i) end
    end
  end
  if type(x) == 'number' then return at(x) end
  local data = {}
  for i, v in ipairs(x.data) do data[i] = at(v) end
  return { sizes = { unpack(x.sizes) }, data = data }
end

return reference
