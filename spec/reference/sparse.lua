-- Sparse matrices in compressed rows, in plain Lua, as sums over entries. A tensor is { sizes = {...}, data = {...} }, row-major.
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

function reference.csrMatmul(rows, columns, values, x)
  local width = x.sizes[2] or 1
  local result = x.sizes[2] and zeros(#rows.data - 1, width) or zeros(#rows.data - 1)
  each(rows, columns, function(row, column, e)
    for c = 1, width do
      local at = (row - 1) * width + c
      result.data[at] = result.data[at] + values.data[e] * x.data[(column - 1) * width + c]
    end
  end)
  return result
end

function reference.csrSampled(rows, columns, a, b)
  local width, result = a.sizes[2], zeros(#columns.data)
  each(rows, columns, function(row, column, e)
    for c = 1, width do result.data[e] = result.data[e] + a.data[(row - 1) * width + c] * b.data[(column - 1) * width + c] end
  end)
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
