--- The minimiser of a polynomial through given values and slopes: the interpolation of line searches.
-- @module optim.polyinterp
local torch, check = require 'torch', require 'torch.check'
local cubic = require 'optim.cubic'

local isTensor = torch.isTensor
local abs, min, max = math.abs, math.min, math.max

-- Returns the points as a list of {x, f, slope}.
local function read(points)
  if isTensor(points) then points = points:totable() end
  check.table('optim.polyinterp', 'points', points)
  for i, point in ipairs(points) do
    if type(point) ~= 'table' or not (tonumber(point[1]) and tonumber(point[2]) and tonumber(point[3])) then
      check.raise(('optim.polyinterp: points: number %d: %s, expected a row of x, value and slope'):format(i, torch.type(point)))
    end
  end
  check.that(#points > 0, 'optim.polyinterp: points: none, expected one or more')
  return points
end

local function bound(name, value, usual) return check.number('optim.polyinterp', name, value or usual) end

-- Solves a square system by elimination with row exchanges; returns nil if it is singular. Changes its arguments.
local function solve(rows, right)
  local n = #rows
  for k = 1, n do
    local pivot = k
    for i = k + 1, n do
      if abs(rows[i][k]) > abs(rows[pivot][k]) then pivot = i end
    end
    if rows[pivot][k] == 0 or rows[pivot][k] ~= rows[pivot][k] then return nil end
    rows[k], rows[pivot], right[k], right[pivot] = rows[pivot], rows[k], right[pivot], right[k]
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

-- Returns coefficients of the polynomial with the points' values and slopes, constant first; a NaN means unknown.
local function fit(points)
  local rows, right, known = {}, {}, 0
  for _, point in ipairs(points) do
    for k = 2, 3 do
      if point[k] == point[k] then known = known + 1 end
    end
  end
  for _, point in ipairs(points) do
    for k = 2, 3 do
      if point[k] == point[k] then
        local row = {}
        for power = 0, known - 1 do
          row[power + 1] = k == 2 and point[1] ^ power or power == 0 and 0 or power * point[1] ^ (power - 1)
        end
        rows[#rows + 1], right[#right + 1] = row, point[k]
      end
    end
  end
  return solve(rows, right)
end

local function value(coefficients, x)
  local sum = 0
  for k = #coefficients, 1, -1 do sum = sum * x + coefficients[k] end
  return sum
end

local function derivative(coefficients)
  local d = {}
  for k = 2, #coefficients do d[k - 1] = (k - 1) * coefficients[k] end
  return d
end

-- Returns real roots between two bounds: between neighbouring extrema a polynomial is monotonic, so bisection finds each.
local function roots(coefficients, low, high)
  local degree = #coefficients - 1
  while degree > 0 and coefficients[degree + 1] == 0 do degree = degree - 1 end
  if degree < 1 then return {} end
  if degree == 1 then
    local root = -coefficients[1] / coefficients[2]
    return root >= low and root <= high and { root } or {}
  end
  local found, from = {}, low
  local stops = roots(derivative(coefficients), low, high)
  stops[#stops + 1] = high
  for _, to in ipairs(stops) do
    local a, b = from, to
    local atA, atB = value(coefficients, a), value(coefficients, b)
    if atA * atB <= 0 then
      for _ = 1, 200 do
        local middle = (a + b) / 2
        local atMiddle = value(coefficients, middle)
        if (atMiddle <= 0) == (atA <= 0) then a = middle else b = middle end
      end
      found[#found + 1] = (a + b) / 2
    end
    from = to
  end
  return found
end

-- Returns the points with x relative to the first one, in units of their spread, so that powers stay near 1.
local function normalised(points)
  local origin, unit = points[1][1], 0
  for _, point in ipairs(points) do unit = max(unit, abs(point[1] - origin)) end
  if unit == 0 then unit = 1 end
  local list = {}
  for i, point in ipairs(points) do list[i] = { (point[1] - origin) / unit, point[2], point[3] * unit } end
  return list, origin, unit
end

local function general(given, lowest, highest)
  local points, origin, unit = normalised(given)
  local low, high = (lowest - origin) / unit, (highest - origin) / unit
  local coefficients = fit(points)
  local best, least = (low + high) / 2, math.huge
  if not coefficients then return (lowest + highest) / 2, least end
  local candidates = roots(derivative(coefficients), low, high)
  candidates[#candidates + 1], candidates[#candidates + 2] = low, high
  for _, point in ipairs(points) do
    if point[1] >= low and point[1] <= high then candidates[#candidates + 1] = point[1] end
  end
  for _, x in ipairs(candidates) do
    local y = value(coefficients, x)
    if y < least then best, least = x, y end
  end
  return min(max(origin + best * unit, lowest), highest), least
end

--- Returns the minimiser, between bounds, of the polynomial of lowest degree through the points.
-- @param points N x 3, a tensor or a table: rows of x, value, slope; NaN for unknown values
-- @tparam[opt] number xminBound by default the smallest x; for two points without bounds, the result is the minimiser of the cubic,
--   between the points
-- @tparam[opt] number xmaxBound by default the largest x
-- @treturn number
-- @treturn ?number the polynomial's value there, except for two points without bounds
return function(points, xminBound, xmaxBound)
  local list = read(points)
  if #list == 2 and not xminBound and not xmaxBound then return cubic(list[1], list[2]) end
  local low, high = math.huge, -math.huge
  for _, point in ipairs(list) do low, high = min(low, point[1]), max(high, point[1]) end
  return general(list, bound('xminBound', xminBound, low), bound('xmaxBound', xmaxBound, high))
end
