-- Sparse matrices in compressed rows, in blocks and of diagonals, in plain Lua, as sums over entries. A tensor is
-- { sizes = {...}, data = {...} }, row-major.
local reference = {}

-- Calls f(row, column, entry) for each entry.
local function each(rows, columns, f)
  for row = 1, #rows.data - 1 do
    for e = rows.data[row], rows.data[row + 1] - 1 do f(row, columns and columns.data[e], e) end
  end
end

local function zeros(...)
  local result, count = { sizes = { ... }, data = {} }, 1
  for _, size in ipairs(result.sizes) do count = count * size end
  for i = 1, count do result.data[i] = 0 end
  return result
end

-- Returns the product of entries with x, a tensor with `count` rows: entries(f) calls f(row, column, value) for each.
local function multiplied(entries, x, count)
  local width = x.sizes[2] or 1
  local result = x.sizes[2] and zeros(count, width) or zeros(count)
  entries(function(row, column, value)
    for c = 1, width do
      local at = (row - 1) * width + c
      result.data[at] = result.data[at] + value * x.data[(column - 1) * width + c]
    end
  end)
  return result
end

-- Returns the product of row i of a and row j of b.
local function productOf(a, i, b, j)
  local width, sum = a.sizes[2], 0
  for c = 1, width do sum = sum + a.data[(i - 1) * width + c] * b.data[(j - 1) * width + c] end
  return sum
end

local function turned(entries)
  return function(f) entries(function(row, column, value) f(column, row, value) end) end
end

local function compressed(rows, columns, values)
  return function(f) each(rows, columns, function(row, column, e) f(row, column, values.data[e]) end) end
end

-- Calls f(row, column, position) for each element of blocks with r rows and c columns.
local function eachOfBlocks(rows, columns, r, c, f)
  each(rows, columns, function(row, column, e)
    for i = 1, r do
      for j = 1, c do f((row - 1) * r + i, (column - 1) * c + j, ((e - 1) * r + i - 1) * c + j) end
    end
  end)
end

local function inBlocks(rows, columns, blocks)
  return function(f)
    eachOfBlocks(rows, columns, blocks.sizes[2], blocks.sizes[3], function(row, column, at) f(row, column, blocks.data[at]) end)
  end
end

-- The elements of diagonals inside of a matrix.
local function onDiagonals(data, offsets, rows, columns)
  return function(f)
    for k, offset in ipairs(offsets.data) do
      for j = 1, math.min(columns, data.sizes[2]) do
        local row = j - offset
        if row >= 1 and row <= rows then f(row, j, data.data and data.data[(k - 1) * data.sizes[2] + j] or k) end
      end
    end
  end
end

function reference.csrMatmul(rows, columns, values, x) return multiplied(compressed(rows, columns, values), x, #rows.data - 1) end

function reference.csrTransposedMatmul(rows, columns, values, x, count)
  return multiplied(turned(compressed(rows, columns, values)), x, count)
end

function reference.bsrMatmul(rows, columns, blocks, x)
  return multiplied(inBlocks(rows, columns, blocks), x, (#rows.data - 1) * blocks.sizes[2])
end

function reference.bsrTransposedMatmul(rows, columns, blocks, x, count)
  return multiplied(turned(inBlocks(rows, columns, blocks)), x, count)
end

function reference.diaMatmul(data, offsets, x, count, transposed)
  if transposed then return multiplied(turned(onDiagonals(data, offsets, x.sizes[1], count)), x, count) end
  return multiplied(onDiagonals(data, offsets, count, x.sizes[1]), x, count)
end

function reference.csrSampled(rows, columns, a, b)
  local result = zeros(#columns.data)
  each(rows, columns, function(row, column, e) result.data[e] = productOf(a, row, b, column) end)
  return result
end

function reference.bsrSampled(rows, columns, a, b, r, c)
  local result = zeros(#columns.data, r, c)
  eachOfBlocks(rows, columns, r, c, function(row, column, at) result.data[at] = productOf(a, row, b, column) end)
  return result
end

function reference.diaSampled(offsets, a, b, width)
  local result = zeros(#offsets.data, width)
  local places = onDiagonals({ sizes = { #offsets.data, width } }, offsets, a.sizes[1], b.sizes[1])
  places(function(row, column, k) result.data[(k - 1) * width + column] = productOf(a, row, b, column) end)
  return result
end

function reference.csrExpand(rows, count)
  local result = zeros(count)
  each(rows, nil, function(row, _, e) result.data[e] = row end)
  return result
end

function reference.bucketSort(index, count)
  local first, order = zeros(count + 1), zeros(#index.data)
  local n = 0
  for k = 1, count + 1 do
    first.data[k] = n + 1
    for i, value in ipairs(index.data) do
      if value == k then
        n = n + 1
        order.data[n] = i
      end
    end
  end
  return first, order
end

-- Returns the dense product of two sparse matrices, { [row] = { [column] = sum } }.
local function product(aRows, aColumns, aValues, bRows, bColumns, bValues)
  local result = {}
  for row = 1, #aRows.data - 1 do result[row] = {} end
  each(aRows, aColumns, function(row, middle, e)
    for f = bRows.data[middle], bRows.data[middle + 1] - 1 do
      local column = bColumns.data[f]
      result[row][column] = (result[row][column] or 0) + aValues.data[e] * bValues.data[f]
    end
  end)
  return result
end

function reference.csrProduct(aRows, aColumns, aValues, bRows, bColumns, bValues, width)
  local dense = product(aRows, aColumns, aValues, bRows, bColumns, bValues)
  local rows, columns, values = zeros(#aRows.data), zeros(0), zeros(0)
  rows.data[1] = 1
  for row, sums in ipairs(dense) do
    for column = 1, width do
      if sums[column] then
        columns.data[#columns.data + 1], values.data[#values.data + 1] = column, sums[column]
      end
    end
    rows.data[row + 1] = #values.data + 1
  end
  columns.sizes, values.sizes = { #columns.data }, { #values.data }
  return rows, columns, values
end

function reference.csrProductAt(rows, columns, ...)
  local dense, result = product(...), zeros(#columns.data)
  each(rows, columns, function(row, column, e) result.data[e] = dense[row][column] or 0 end)
  return result
end

-- By substitution in a dense triangle; `transposed` exchanges rows and columns of it.
function reference.csrSolveTriangular(rows, columns, values, b, upper, unit, transposed)
  local n, width, dense = #rows.data - 1, b.sizes[2] or 1, {}
  for row = 1, n do dense[row] = {} end
  each(rows, columns, function(row, column, e)
    local isInside = row == column and not unit or row ~= column and (column > row) == (upper == true)
    local i, j = row, column
    if transposed then i, j = column, row end
    if isInside then dense[i][j] = (dense[i][j] or 0) + values.data[e] end
  end)
  local result = { sizes = b.sizes, data = {} }
  local fromLast = (upper == true) ~= (transposed == true)
  for c = 1, width do
    for step = 1, n do
      local i = fromLast and n + 1 - step or step
      local sum = b.data[(i - 1) * width + c]
      for j, value in pairs(dense[i]) do
        if j ~= i then sum = sum - value * result.data[(j - 1) * width + c] end
      end
      result.data[(i - 1) * width + c] = sum / (dense[i][i] or 1)
    end
  end
  return result
end

return reference
