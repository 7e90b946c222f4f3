-- Sums and maxima of bags of rows, in plain Lua. A tensor is { sizes = {...}, data = {...} }, row-major.
local reference = {}

-- Returns a list with, for each bag, the positions in the index that count.
local function bagsOf(index, offsets, padding)
  local bags = {}
  local count = offsets and #offsets.data or index.sizes[1]
  for b = 1, count do
    local first, last = (b - 1) * (index.sizes[2] or 0) + 1, b * (index.sizes[2] or 0)
    if offsets then first, last = offsets.data[b], (offsets.data[b + 1] or #index.data + 1) - 1 end
    bags[b] = {}
    for i = first, last do
      if index.data[i] ~= padding then table.insert(bags[b], i) end
    end
  end
  return bags
end

-- Calls fn(bag, row, share of the row) for each row of each bag.
local function eachRow(index, offsets, factors, average, padding, fn)
  for b, bag in ipairs(bagsOf(index, offsets, padding)) do
    for _, i in ipairs(bag) do fn(b, index.data[i], (factors and factors.data[i] or 1) / (average and #bag or 1)) end
  end
end

local function zeros(rows, columns)
  local result = { sizes = { rows, columns }, data = {} }
  for i = 1, rows * columns do result.data[i] = 0 end
  return result
end

-- Adds row `from` of x, times a factor, to row `to`.
local function addRow(sums, to, x, from, factor)
  local columns = sums.sizes[2]
  for c = 1, columns do
    local at = (to - 1) * columns + c
    sums.data[at] = sums.data[at] + factor * x.data[(from - 1) * columns + c]
  end
end

function reference.bagSum(weight, index, average, padding, offsets, factors)
  local result = zeros(#bagsOf(index, offsets), weight.sizes[2])
  eachRow(index, offsets, factors, average, padding, function(bag, row, share) addRow(result, bag, weight, row, share) end)
  return result
end

function reference.bagSum_grad(g, size, index, average, padding, offsets, factors)
  local result = zeros(size[1], size[2])
  eachRow(index, offsets, factors, average, padding, function(bag, row, share) addRow(result, row, g, bag, share) end)
  return result
end

function reference.bagMax(weight, index, padding, offsets)
  local columns = weight.sizes[2]
  local bags = bagsOf(index, offsets, padding)
  local result, rows = zeros(#bags, columns), zeros(#bags, columns)
  for b, bag in ipairs(bags) do
    for c = 1, columns do
      local at = (b - 1) * columns + c
      for k, i in ipairs(bag) do
        local row = index.data[i]
        local value = weight.data[(row - 1) * columns + c]
        local best = result.data[at]
        if k == 1 or value > best or value ~= value and best == best then result.data[at], rows.data[at] = value, row end
      end
    end
  end
  return result, rows
end

return reference
