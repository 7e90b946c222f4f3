-- Derivatives of ops on sparse matrices in compressed rows, in blocks and of diagonals: with respect to values and to dense factors. Places
-- have none.
local torch = require 'torch'
local rules = require 'autograd.rules'

local saving = rules.saving

-- Returns the compressed rows and the columns of the transpose of a matrix with `width` columns, and the order of its values.
local function transposeOf(rows, columns, width)
  local first, order = torch.bucketSort(columns, width)
  return first, torch.index(torch.csrExpand(rows, columns:size(1)), 1, order), order
end

local function asColumns(x) return x:dim() == 1 and torch.view(x:contiguous(), -1, 1) or x end

rules.csrMatmul = {
  nil, nil,
  saving('rows, columns, x', function(g, rows, columns, x) return torch.csrSampled(rows, columns, asColumns(g), asColumns(x)) end),
  saving('rows, columns, values, size(x)', function(g, rows, columns, values, size)
    return torch.csrTransposedMatmul(rows, columns, values, g, size[1])
  end),
}

rules.csrTransposedMatmul = {
  nil, nil,
  saving('rows, columns, x', function(g, rows, columns, x) return torch.csrSampled(rows, columns, asColumns(x), asColumns(g)) end),
  saving('rows, columns, values', function(g, rows, columns, values) return torch.csrMatmul(rows, columns, values, g) end),
}

rules.csrSampled = {
  nil, nil,
  saving('rows, columns, b', function(g, rows, columns, b) return torch.csrMatmul(rows, columns, g, b) end),
  saving('rows, columns, a, size(b)', function(g, rows, columns, a, size)
    return torch.csrTransposedMatmul(rows, columns, g, a, size[1])
  end),
}

rules.bsrMatmul = {
  nil, nil,
  saving('rows, columns, x, size(blocks)', function(g, rows, columns, x, size)
    return torch.bsrSampled(rows, columns, asColumns(g), asColumns(x), size[2], size[3])
  end),
  saving('rows, columns, blocks, size(x)', function(g, rows, columns, blocks, size)
    return torch.bsrTransposedMatmul(rows, columns, blocks, g, size[1])
  end),
}

rules.bsrTransposedMatmul = {
  nil, nil,
  saving('rows, columns, x, size(blocks)', function(g, rows, columns, x, size)
    return torch.bsrSampled(rows, columns, asColumns(x), asColumns(g), size[2], size[3])
  end),
  saving('rows, columns, blocks', function(g, rows, columns, blocks) return torch.bsrMatmul(rows, columns, blocks, g) end),
}

rules.bsrSampled = {
  nil, nil,
  saving('rows, columns, b', function(g, rows, columns, b) return torch.bsrMatmul(rows, columns, g, b) end),
  saving('rows, columns, a, size(b)', function(g, rows, columns, a, size)
    return torch.bsrTransposedMatmul(rows, columns, g, a, size[1])
  end),
}

rules.diaMatmul = {
  saving('size(data), offsets, x, transposed', function(g, size, offsets, x, transposed)
    local a, b = asColumns(g), asColumns(x)
    if transposed then a, b = b, a end
    return torch.diaSampled(offsets, a, b, size[2])
  end),
  nil,
  saving('data, offsets, size(x), transposed', function(g, data, offsets, size, transposed)
    return torch.diaMatmul(data, offsets, g, size[1], not transposed)
  end),
}

rules.diaSampled = {
  nil,
  saving('offsets, size(a), b', function(g, offsets, size, b) return torch.diaMatmul(g, offsets, b, size[1]) end),
  saving('offsets, a, size(b)', function(g, offsets, a, size) return torch.diaMatmul(g, offsets, a, size[1], true) end),
}

rules.csrExpand = rules.none 'rows of entries are integers'
rules.bucketSort = rules.none 'an order has no derivative'

-- Of the values of a: elements of g b' at a's places.
local function ofLeft(rows, columns, g, aRows, aColumns, bRows, bColumns, bValues, width)
  local first, owners, order = transposeOf(bRows, bColumns, width)
  return torch.csrProductAt(aRows, aColumns, rows, columns, g, first, owners, torch.index(bValues, 1, order), bRows:size(1) - 1)
end

-- Of the values of b: elements of a' g at b's places.
local function ofRight(rows, columns, g, aRows, aColumns, aValues, bRows, bColumns, width)
  local first, owners, order = transposeOf(aRows, aColumns, bRows:size(1) - 1)
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

-- The gradient of b solves the other triangle, transposed; that of an entry (i, j) is its element i times element j of the solution.
local function solved(g, rows, columns, values, upper, unit, transposed)
  return torch.csrSolveTriangular(rows, columns, values, g, upper, unit, not transposed)
end

-- 1 for entries of the triangle that take part, 0 for others.
local function taking(rows, columns, upper, unit)
  local owners = torch.csrExpand(rows, columns:size(1))
  if unit then return upper and columns:gt(owners) or columns:lt(owners) end
  return upper and columns:ge(owners) or columns:le(owners)
end

rules.csrSolveTriangular = {
  nil, nil,
  saving('result, rows, columns, values, upper, unit, transposed', function(g, x, rows, columns, values, upper, unit, transposed)
    if columns:size(1) == 0 then return torch.mul(values, 0) end
    local left, right = asColumns(solved(g, rows, columns, values, upper, unit, transposed)), asColumns(x)
    if transposed then left, right = right, left end
    local sampled = torch.csrSampled(rows, columns, left, right)
    return torch.neg(torch.cmul(sampled, torch.noGrad(taking, rows, columns, upper, unit):type(sampled:type())))
  end),
  saving('rows, columns, values, upper, unit, transposed', solved),
}
