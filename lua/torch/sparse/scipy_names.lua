--- Functions of `torch.sparse` by SciPy's names: conversions to a format, questions about it, and matrices of diagonals.
-- @module torch.sparse.scipy_names
local torch, check = require 'torch', require 'torch.check'
local checks, create, functions = require 'torch.sparse.checks', require 'torch.sparse.create', require 'torch.sparse.functions'

local names = {}

-- Returns a function that converts a matrix, or makes one of its parts.
local function maker(format)
  return function(first, ...)
    local isMatrix = checks.isSparse(first) or torch.isTensor(first) and select('#', ...) == 0
    if not isMatrix then return torch.sparse[format](first, ...) end
    return first:sparse(format, ...)
  end
end

--- Returns a matrix by coordinates.
-- @param x a sparse or dense tensor; or the arguments of `torch.sparse.coo`
-- @treturn torch.SparseCOO
names.cooArray = maker 'coo'

--- Returns a matrix in compressed rows.
-- @param x a sparse or dense matrix; or the arguments of `torch.sparse.csr`
-- @treturn torch.SparseCSR
names.csrArray = maker 'csr'

--- Returns a matrix in compressed columns.
-- @param x a sparse or dense matrix; or the arguments of `torch.sparse.csc`
-- @treturn torch.SparseCSC
names.cscArray = maker 'csc'

--- Returns a matrix of diagonals.
-- @param x a sparse or dense matrix; or the arguments of `torch.sparse.dia`
-- @treturn torch.SparseDIA
names.diaArray = maker 'dia'

--- Returns a matrix in blocks.
-- @param x a sparse matrix, then the rows and columns of a block; or the arguments of `torch.sparse.bsr`
-- @treturn torch.SparseBSR
names.bsrArray = maker 'bsr'

--- Returns a matrix by coordinates: `cooArray`.
names.cooMatrix = names.cooArray

--- Returns a matrix in compressed rows: `csrArray`.
names.csrMatrix = names.csrArray

--- Returns a matrix in compressed columns: `cscArray`.
names.cscMatrix = names.cscArray

--- Returns a matrix of diagonals: `diaArray`.
names.diaMatrix = names.diaArray

--- Returns a matrix in blocks: `bsrArray`.
names.bsrMatrix = names.bsrArray

--- Returns whether a value is a sparse tensor: `isSparse`.
names.issparse = checks.isSparse

--- Returns whether a value is a sparse matrix.
-- @param value
-- @treturn boolean
function names.isspmatrix(value) return checks.isSparse(value) and value:dim() == 2 end

local function has(format)
  return function(value) return checks.isSparse(value) and value:format() == format end
end

--- Returns whether a value is a sparse tensor by coordinates.
names.isspmatrixCoo = has 'coo'

--- Returns whether a value is a sparse matrix in compressed rows.
names.isspmatrixCsr = has 'csr'

--- Returns whether a value is a sparse matrix in compressed columns.
names.isspmatrixCsc = has 'csc'

--- Returns whether a value is a sparse matrix in blocks.
names.isspmatrixBsr = has 'bsr'

--- Returns whether a value is a sparse matrix of diagonals.
names.isspmatrixDia = has 'dia'

--- Returns a matrix with ones on a diagonal: `eye`.
names.eyeArray = create.eye

--- Returns a matrix of diagonals: `diags`.
names.diagsArray = create.diags

--- Returns a matrix with random places: `random`.
names.randomArray = create.random

--- Returns a matrix with random places: `random`.
names.rand = create.random

--- Returns a matrix of blocks: `bmat`.
names.blockArray = functions.bmat

--- Returns a matrix of diagonals, whose element j lies in column j: those above the main diagonal begin outside of the matrix.
-- @tparam torch.Tensor data (d, m), or a vector for one diagonal
-- @tparam torch.LongTensor|{int,...}|int offsets of the diagonals, above (positive) or below the main one
-- @tparam int|{int,int} rows or both sizes
-- @int[opt] columns
-- @treturn torch.SparseDIA
function names.spdiags(data, offsets, rows, columns)
  local where = 'torch.sparse.spdiags'
  check.tensor(where, 'data', data)
  if data:dim() == 1 then data = torch.view(data:contiguous(), 1, -1) end
  if type(offsets) == 'number' then offsets = { offsets } end
  if not torch.isTensor(offsets) then
    check.that(type(offsets) == 'table' and not torch.typename(offsets),
      ('%s: offsets: %s, expected whole numbers'):format(where, check.describe(offsets)))
    for _, offset in ipairs(offsets) do check.int(where, 'offsets', offset) end
    offsets = torch.LongTensor(offsets)
  end
  if type(rows) == 'number' then rows = { rows, columns } end
  return torch.SparseDIA(data, offsets, checks.sizes(where, rows, 2))
end

--- Returns a sparse tensor with two dimensions exchanged: `s:transpose`.
-- @param s a sparse tensor
-- @int a
-- @int b
function names.swapaxes(s, a, b) return checks.sparse('torch.sparse.swapaxes', 's', s):transpose(a, b) end

--- Returns a sparse tensor with its dimensions in another order.
-- @param s a sparse tensor
-- @tparam[opt] {int,...} order each dimension once; default: the last one first
-- @treturn torch.Sparse by coordinates, or a matrix in its format
function names.permuteDims(s, order)
  local where = 'torch.sparse.permuteDims'
  local n, seen = checks.sparse(where, 's', s):dim(), {}
  order = check.table(where, 'order', order or {})
  if #order == 0 then
    for d = 1, n do order[d] = n + 1 - d end
  end
  local sizes = {}
  for d, from in ipairs(order) do
    check.int(where, 'order', from, { min = 1, max = n })
    check.that(not seen[from], ('%s: order: %d occurs twice, expected each dimension once'):format(where, from))
    seen[from], sizes[d] = true, s:size(from)
  end
  check.that(#order == n, ('%s: order: %d dimensions, expected %d'):format(where, #order, n))
  local coo = s:coo()
  return s:_like(torch.SparseCOO._make(coo:indices():index(1, torch.LongTensor(order)), coo:values(), sizes))
end

--- Returns a sparse tensor with another dimension of size 1.
-- @param s a sparse tensor
-- @int[opt=1] dim the new dimension
-- @treturn torch.SparseCOO
function names.expandDims(s, dim)
  local where = 'torch.sparse.expandDims'
  local coo = checks.sparse(where, 's', s):coo()
  dim = check.int(where, 'dim', dim or 1, { min = 1, max = coo:dim() + 1 })
  local rows, sizes = {}, coo:size():totable()
  for d = 1, coo:dim() do rows[d] = coo:indices():narrow(1, d, 1) end
  table.insert(rows, dim, torch.LongTensor(1, coo:nnz()):fill(1))
  table.insert(sizes, dim, 1)
  return torch.SparseCOO._make(torch.cat(rows, 1), coo:values(), sizes, coo:isCoalesced())
end

return names
