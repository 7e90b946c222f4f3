--- Sparse matrices of known patterns, and joined from others, by SciPy's names. Results are by coordinates (`torch.SparseCOO`).
-- @module torch.sparse.create
local torch, check = require 'torch', require 'torch.check'
local checks = require 'torch.sparse.checks'
local COO = require 'torch.sparse.coo'

local create = {}

local function size(where, name, value) return check.int(where, name, value, { min = 0 }) end

--- Returns a matrix with ones on a diagonal.
-- @int rows
-- @int[opt=rows] columns
-- @int[opt=0] diagonal above (positive) or below the main one
-- @treturn torch.SparseCOO
function create.eye(rows, columns, diagonal)
  local where = 'torch.sparse.eye'
  rows = size(where, 'rows', rows)
  columns, diagonal = size(where, 'columns', columns or rows), check.int(where, 'diagonal', diagonal or 0)
  checks.sizes(where, { rows, columns }, 2)
  local count = math.max(0, math.min(rows + math.min(0, diagonal), columns - math.max(0, diagonal)))
  return create.diags({ torch.ones(count) }, { diagonal }, { rows, columns })
end

--- Returns a matrix of diagonals.
-- @tparam {torch.Tensor,...} diagonals vectors; element i of one is its i-th from the top. One of a single element is repeated
-- @tparam[opt] {int,...} offsets of each, above (positive) or below the main one; default: 0, 1, 2, ...
-- @tparam[opt] {int,int} sizes default: square, as large as the first diagonal demands
-- @treturn torch.SparseCOO
-- @raise if a diagonal has another length than its place
function create.diags(diagonals, offsets, sizes)
  local where = 'torch.sparse.diags'
  check.table(where, 'diagonals', diagonals)
  check.that(#diagonals > 0, where .. ': diagonals: none, expected one or more')
  offsets = check.table(where, 'offsets', offsets or {})
  if not sizes then
    local n = check.tensor(where, 'diagonals', diagonals[1]):nElement() + math.abs(offsets[1] or 0)
    sizes = { n, n }
  end
  sizes = checks.sizes(where, sizes, 2)
  local rows, columns, values = {}, {}, {}
  for i, diagonal in ipairs(diagonals) do
    check.tensor(where, 'diagonals', diagonal)
    local offset = check.int(where, 'offsets', offsets[i] or i - 1)
    local first, second = math.max(0, -offset), math.max(0, offset)
    local count = math.max(0, math.min(sizes[1] - first, sizes[2] - second))
    if diagonal:nElement() == 1 and count > 0 then diagonal = torch.expand(torch.view(diagonal, 1), count) end
    if diagonal:dim() ~= 1 or diagonal:size(1) ~= count then
      check.raise(('%s: diagonals: %d elements at offset %d, expected %d'):format(where, diagonal:nElement(), offset, count), 'shape')
    end
    if count > 0 then
      local steps = torch.range(1, count):long()
      rows[#rows + 1], columns[#columns + 1], values[#values + 1] = steps + first, steps + second, diagonal
    end
  end
  if #rows == 0 then return COO._make(torch.LongTensor(2, 0), diagonals[1].new(0), sizes, true) end
  local indices = torch.cat(torch.cat(rows, 1):view(1, -1), torch.cat(columns, 1):view(1, -1), 1)
  return COO._make(indices, torch.cat(values, 1), sizes):coalesce()
end

--- Returns a matrix with random places and values uniform in 0..1.
-- @int rows
-- @int columns
-- @number[opt=0.01] density part of the places that have entries
-- @treturn torch.SparseCOO
function create.random(rows, columns, density)
  local where = 'torch.sparse.random'
  local total = size(where, 'rows', rows) * size(where, 'columns', columns)
  check.number(where, 'density', density or 0.01, { min = 0, max = 1 })
  checks.sizes(where, { rows, columns }, 2)
  local count = math.floor(total * (density or 0.01) + 0.5)
  if count == 0 then return COO._make(torch.LongTensor(2, 0), torch.Tensor(0), { rows, columns }, true) end
  -- A few places of many are drawn until enough differ; otherwise all are shuffled.
  local places
  if count > total / 4 then
    places = torch.randperm(total):long():narrow(1, 1, count)
  else
    places = torch.LongTensor(0)
    while places:nElement() < count do
      local drawn = torch.unique(torch.cat(places, torch.LongTensor(count + 16):random(total), 1))
      places = drawn:index(1, torch.randperm(drawn:size(1)):long()):narrow(1, 1, math.min(count, drawn:size(1)))
    end
  end
  places = torch.sort(places)
  local row = (places - 1):div(columns)
  local indices = torch.cat((row + 1):view(1, -1), (places - row * columns):view(1, -1), 1)
  return COO._make(indices, torch.Tensor(count):uniform(), { rows, columns }, true)
end

--- Returns the rows, columns and values of the entries other than 0.
-- @param s a sparse matrix
-- @treturn torch.LongTensor rows
-- @treturn torch.LongTensor columns
-- @treturn torch.Tensor values
function create.find(s)
  local coo = checks.matrix('torch.sparse.find', checks.sparse('torch.sparse.find', 's', s), 's'):coo():prune()
  return coo:indices()[1], coo:indices()[2], coo:values()
end

-- Returns the entries whose row and column fulfil a condition on column - row.
local function part(where, s, holds)
  local coo = checks.matrix(where, checks.sparse(where, 's', s), 's'):coo()
  if coo:nnz() == 0 then return s end
  local kept = holds(coo._indices[2] - coo._indices[1]):nonzero()
  kept = kept:nElement() > 0 and kept:view(-1) or torch.LongTensor(0)
  local result = COO._make(coo._indices:index(2, kept), torch.index(coo._values, 1, kept), coo._sizes, coo._isCoalesced)
  return s:format() == 'csr' and result:csr() or result
end

--- Returns the entries on and below a diagonal.
-- @param s a sparse matrix
-- @int[opt=0] diagonal above (positive) or below the main one
function create.tril(s, diagonal)
  check.int('torch.sparse.tril', 'diagonal', diagonal or 0)
  return part('torch.sparse.tril', s, function(distance) return distance:le(diagonal or 0) end)
end

--- Returns the entries on and above a diagonal.
-- @param s a sparse matrix
-- @int[opt=0] diagonal above (positive) or below the main one
function create.triu(s, diagonal)
  check.int('torch.sparse.triu', 'diagonal', diagonal or 0)
  return part('torch.sparse.triu', s, function(distance) return distance:ge(diagonal or 0) end)
end

-- Returns a matrix of entries of others, moved by offsets.
local function placed(parts, sizes)
  local indices, values = {}, {}
  for i, each in ipairs(parts) do
    local coo = each.s:coo()
    indices[i] = coo:nnz() == 0 and torch.LongTensor(2, 0)
      or torch.cat((coo._indices[1] + each.row):view(1, -1), (coo._indices[2] + each.column):view(1, -1), 1)
    values[i] = coo._values
  end
  local kind = values[1]:type()
  for i = 2, #values do kind = torch.promoteTypes(kind, values[i]:type()) end
  for i = 1, #values do values[i] = values[i]:type(kind) end
  return COO._make(torch.cat(indices, 2), torch.cat(values, 1), sizes):coalesce()
end

local function matrices(where, list)
  check.table(where, 'matrices', list)
  check.that(#list > 0 and not checks.isSparse(list), where .. ': matrices: expected a table of one sparse matrix or more')
  for _, s in ipairs(list) do checks.matrix(where, checks.sparse(where, 'matrices', s), 'matrices') end
  return list
end

-- Joins matrices along dimension d; the other size is common.
local function stacked(where, list, d)
  local other, total, parts = 3 - d, 0, {}
  for i, s in ipairs(matrices(where, list)) do
    if s._sizes[other] ~= list[1]._sizes[other] then
      check.raise(('%s: matrices: sizes [%s] of number %d, expected %d %s'):format(where, table.concat(s._sizes, ', '), i,
        list[1]._sizes[other], d == 1 and 'columns' or 'rows'), 'shape')
    end
    parts[i] = { s = s, row = d == 1 and total or 0, column = d == 2 and total or 0 }
    total = total + s._sizes[d]
  end
  local sizes = { total, total }
  sizes[other] = list[1]._sizes[other]
  return placed(parts, sizes)
end

--- Returns matrices above each other.
-- @tparam table list sparse matrices with the same number of columns
-- @treturn torch.SparseCOO
function create.vstack(list) return stacked('torch.sparse.vstack', list, 1) end

--- Returns matrices side by side.
-- @tparam table list sparse matrices with the same number of rows
-- @treturn torch.SparseCOO
function create.hstack(list) return stacked('torch.sparse.hstack', list, 2) end

--- Returns a matrix with others along its diagonal.
-- @tparam table list sparse matrices
-- @treturn torch.SparseCOO
function create.blockDiag(list)
  local parts, rows, columns = {}, 0, 0
  for i, s in ipairs(matrices('torch.sparse.blockDiag', list)) do
    parts[i] = { s = s, row = rows, column = columns }
    rows, columns = rows + s._sizes[1], columns + s._sizes[2]
  end
  return placed(parts, { rows, columns })
end

--- Returns the Kronecker product: the second matrix at each entry of the first one, times its value.
-- @param a a sparse matrix (m, n)
-- @param b a sparse matrix (p, q)
-- @treturn torch.SparseCOO (m p, n q)
function create.kron(a, b)
  local where = 'torch.sparse.kron'
  a = checks.matrix(where, checks.sparse(where, 'a', a), 'a'):coo():coalesce()
  b = checks.matrix(where, checks.sparse(where, 'b', b), 'b'):coo():coalesce()
  local sizes = checks.sizes(where, { a._sizes[1] * b._sizes[1], a._sizes[2] * b._sizes[2] }, 2)
  local m, n = a:nnz(), b:nnz()
  if m * n == 0 then return COO._make(torch.LongTensor(2, 0), a._values.new(0), sizes, true) end
  local function places(d)
    local outer = ((a._indices[d] - 1) * b._sizes[d]):view(m, 1):expand(m, n)
    return (outer + b._indices[d]:view(1, n):expand(m, n)):contiguous():view(1, m * n)
  end
  local values = torch.cmul(torch.expand(torch.view(a._values, m, 1), m, n), torch.expand(torch.view(b._values, 1, n), m, n))
  return COO._make(torch.cat(places(1), places(2), 1), torch.reshape(values, m * n), sizes):coalesce()
end

--- Returns elements of the product of dense matrices at the entries of a sparse one: the values are
-- beta times the sparse ones plus alpha times (a b)[i][j]. The product is computed at the entries alone.
-- @param s a sparse matrix (n, m)
-- @tparam torch.Tensor a (n, k)
-- @tparam torch.Tensor b (k, m)
-- @number[opt=1] beta
-- @number[opt=1] alpha
-- @treturn torch.SparseCSR
function create.sampledAddmm(s, a, b, beta, alpha)
  local where = 'torch.sparse.sampledAddmm'
  local csr = checks.matrix(where, checks.sparse(where, 's', s), 's'):csr():coalesce()
  for i, name in ipairs { 'a', 'b' } do
    local x = select(i, a, b)
    check.that(check.tensor(where, name, x):dim() == 2, ('%s: %s: %d dimensions, expected a matrix'):format(where, name, x:dim()), 'shape')
  end
  if a:size(1) ~= csr._sizes[1] or b:size(2) ~= csr._sizes[2] or a:size(2) ~= b:size(1) then
    check.raise(('%s: a, b: sizes [%d, %d] and [%d, %d], expected a product of [%s]'):format(where, a:size(1), a:size(2), b:size(1),
      b:size(2), table.concat(csr._sizes, ', ')), 'shape')
  end
  local sampled = torch.csrSampled(csr._rows, csr._columns, a, torch.t(b))
  return csr:_with(torch.add(torch.mul(csr._values, check.number(where, 'beta', beta or 1)),
    torch.mul(sampled, check.number(where, 'alpha', alpha or 1))))
end

return create
