-- Derivatives of ops on sparse matrices in compressed rows: with respect to values and to dense factors. Places have none.
local torch = require 'torch'
local rules = require 'autograd.rules'

local saving = rules.saving

-- Returns the compressed rows and the columns of the transpose of a matrix with `width` columns, and the order of its values.
local function transposed(rows, columns, width)
  local first, order = torch.bucketSort(columns, width)
  return first, torch.index(torch.csrExpand(rows, columns:size(1)), 1, order), order
end

local function asColumns(x) return x:dim() == 1 and torch.view(x:contiguous(), -1, 1) or x end

rules.csrMatmul = {
  nil, nil,
  saving('rows, columns, x', function(g, rows, columns, x) return torch.csrSampled(rows, columns, asColumns(g), asColumns(x)) end),
  saving('rows, columns, values, size(x)', function(g, rows, columns, values, size)
    local first, owners, order = transposed(rows, columns, size[1])
    return torch.csrMatmul(first, owners, torch.index(values, 1, order), g)
  end),
}

rules.csrSampled = {
  nil, nil,
  saving('rows, columns, b', function(g, rows, columns, b) return torch.csrMatmul(rows, columns, g, b) end),
  saving('rows, columns, a, size(b)', function(g, rows, columns, a, size)
    local first, owners, order = transposed(rows, columns, size[1])
    return torch.csrMatmul(first, owners, torch.index(g, 1, order), a)
  end),
}

rules.csrExpand = rules.none 'rows of entries are integers'
rules.bucketSort = rules.none 'an order has no derivative'

-- Of the values of a: elements of g b' at a's places.
local function ofLeft(rows, columns, g, aRows, aColumns, bRows, bColumns, bValues, width)
  local first, owners, order = transposed(bRows, bColumns, width)
  return torch.csrProductAt(aRows, aColumns, rows, columns, g, first, owners, torch.index(bValues, 1, order), bRows:size(1) - 1)
end

-- Of the values of b: elements of a' g at b's places.
local function ofRight(rows, columns, g, aRows, aColumns, aValues, bRows, bColumns, width)
  local first, owners, order = transposed(aRows, aColumns, bRows:size(1) - 1)
  return torch.csrProductAt(bRows, bColumns, first, owners, torch.index(aValues, 1, order), rows, columns, g, width)
end

rules.csrProduct = {
  nil, nil,
  saving('result[1], result[2], aRows, aColumns, bRows, bColumns, bValues, width', function(g, rows, columns, ...)
    return g[3] and ofLeft(rows, columns, g[3], ...)
  end),
  nil, nil,
  saving('result[1], result[2], aRows, aColumns, aValues, bRows, bColumns, width', function(g, rows, columns, ...)
    return g[3] and ofRight(rows, columns, g[3], ...)
  end),
}

rules.csrProductAt = {
  nil, nil, nil, nil,
  saving('rows, columns, aRows, aColumns, bRows, bColumns, bValues, width', function(g, rows, columns, ...)
    return ofLeft(rows, columns, g, ...)
  end),
  nil, nil,
  saving('rows, columns, aRows, aColumns, aValues, bRows, bColumns, width', function(g, rows, columns, ...)
    return ofRight(rows, columns, g, ...)
  end),
}
