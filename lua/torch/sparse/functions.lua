--- Functions of sparse matrices by the names of PyTorch and SciPy: products, sums, softmax along rows, sums of Kronecker products, blocks.
-- @module torch.sparse.functions
local torch, check = require 'torch', require 'torch.check'
local checks, create = require 'torch.sparse.checks', require 'torch.sparse.create'

local functions = {}

local function matrix(where, name, s) return checks.matrix(where, checks.sparse(where, name, s), name) end

--- Returns the product of two matrices, of which one may be dense: torch.mm.
-- @param a a sparse or dense matrix
-- @param b a sparse or dense matrix
-- @return dense if a or b is
function functions.mm(a, b) return torch.mm(a, b) end

--- Returns beta m + alpha (a b) for a sparse matrix a.
-- @tparam torch.Tensor m dense
-- @param a a sparse matrix
-- @tparam torch.Tensor b dense
-- @number[opt=1] beta
-- @number[opt=1] alpha
-- @treturn torch.Tensor dense
function functions.addmm(m, a, b, beta, alpha)
  local where = 'torch.sparse.addmm'
  check.tensor(where, 'm', m)
  check.tensor(where, 'b', b)
  local product = torch.mul(torch.mm(matrix(where, 'a', a), b), check.number(where, 'alpha', alpha or 1))
  return torch.add(torch.mul(m, check.number(where, 'beta', beta or 1)), product)
end

--- Returns the sum of all values, or along a dimension, as s:sum.
function functions.sum(s, dim) return checks.sparse('torch.sparse.sum', 's', s):sum(dim) end

-- Returns the entries of a matrix in compressed rows, the row of each, and the values less the largest one of their row.
local function centred(where, s, dim)
  s = matrix(where, 's', s)
  dim = check.int(where, 'dim', dim or 2, { min = 1, max = 2 })
  local rows = (dim == 1 and s:t() or s):csr():coalesce()
  local owners, values = rows:_owners(), rows:values()
  if rows:nnz() == 0 then return rows, owners, values, dim end
  local largest = torch.noGrad(torch.segmentMax, values:detach(), owners, rows:size(1))
  return rows, owners, torch.csub(values, torch.index(largest, 1, owners)), dim
end

local function returned(rows, values, dim)
  local result = rows:_with(values)
  return dim == 1 and result:t():csr() or result
end

--- Returns exp(x) divided by its sum over the entries of the row, or column: places without an entry take no part.
-- @param s a sparse matrix
-- @int[opt=2] dim 2: along rows, 1: along columns
-- @treturn torch.SparseCSR
function functions.softmax(s, dim)
  local rows, owners, values, along = centred('torch.sparse.softmax', s, dim)
  if rows:nnz() == 0 then return rows end
  local exponentials = torch.exp(values)
  local sums = torch.index(torch.segmentSum(exponentials, owners, rows:size(1)), 1, owners)
  return returned(rows, torch.cdiv(exponentials, sums), along)
end

--- Returns the logarithm of `softmax`, without underflow.
function functions.logSoftmax(s, dim)
  local rows, owners, values, along = centred('torch.sparse.logSoftmax', s, dim)
  if rows:nnz() == 0 then return rows end
  local sums = torch.index(torch.segmentSum(torch.exp(values), owners, rows:size(1)), 1, owners)
  return returned(rows, torch.csub(values, torch.log(sums)), along)
end

local function square(name, s)
  matrix('torch.sparse.kronsum', name, s)
  if s:size(1) ~= s:size(2) then
    check.raise(('torch.sparse.kronsum: %s: size [%d, %d], expected a square matrix'):format(name, s:size(1), s:size(2)), 'shape')
  end
end

--- Returns the Kronecker sum of square matrices: kron(I, a) + kron(b, I), where I has the size of the other one.
-- @param a a sparse matrix (m, m)
-- @param b a sparse matrix (n, n)
-- @treturn torch.SparseCOO (m n, m n)
function functions.kronsum(a, b)
  square('a', a)
  square('b', b)
  return create.kron(create.eye(b:size(1)), a):add(create.kron(b, create.eye(a:size(1)))):coo():coalesce()
end

-- The heights of rows of blocks and the widths of columns, of which nil and false are blocks of zeros; and one of the matrices.
local function extents(where, blocks)
  local heights, widths, columns, some = {}, {}, 0, nil
  local function agree(list, k, size, name, s)
    list[k] = list[k] or size
    if list[k] ~= size then
      check.raise(('%s: blocks: sizes [%d, %d], expected %d %s, as of others beside it'):format(where, s:size(1), s:size(2), list[k], name),
        'shape')
    end
  end
  for i, row in ipairs(blocks) do
    check.table(where, 'blocks', row)
    check.that(not checks.isSparse(row), where .. ': blocks: a sparse tensor, expected rows of them')
    for j, s in pairs(row) do
      columns = math.max(columns, check.int(where, 'blocks', j, { min = 1 }))
      if s then
        checks.matrix(where, checks.sparse(where, 'blocks', s), 'blocks')
        agree(heights, i, s:size(1), 'rows', s)
        agree(widths, j, s:size(2), 'columns', s)
        some = s
      end
    end
  end
  for i = 1, #blocks do check.that(heights[i], ('%s: blocks: row %d has no matrix, expected one for its height'):format(where, i)) end
  for j = 1, columns do check.that(widths[j], ('%s: blocks: column %d has no matrix, expected one for its width'):format(where, j)) end
  return heights, widths, some
end

--- Returns a matrix of blocks.
-- @tparam {{table,...},...} blocks rows of sparse matrices; nil or false is a block of zeros. Each row and each column has a matrix
-- @treturn torch.SparseCOO
-- @raise if matrices beside each other differ in size
function functions.bmat(blocks)
  local where = 'torch.sparse.bmat'
  check.that(#check.table(where, 'blocks', blocks) > 0, where .. ': blocks: expected one row or more')
  local heights, widths, some = extents(where, blocks)
  local rows = {}
  for i, height in ipairs(heights) do
    local row = {}
    for j, width in ipairs(widths) do
      row[j] = blocks[i][j] or torch.SparseCOO(torch.LongTensor(2, 0), some:values():detach().new():resize(0), { height, width })
    end
    rows[i] = create.hstack(row)
  end
  return create.vstack(rows)
end

--- Returns the identity: torch.sparse.eye.
-- @int n rows and columns
function functions.identity(n) return create.eye(n) end

--- Makes a check of gradients accept sparse tensors as inputs and results, by their values: PyTorch's as_sparse_gradcheck.
-- @tparam function gradcheck such as `autograd.gradcheck`
-- @treturn function with the same arguments
function functions.asSparseGradcheck(gradcheck)
  check.callable('torch.sparse.asSparseGradcheck', 'gradcheck', gradcheck)
  return function(f, inputs, options)
    local values = {}
    for i, x in ipairs(inputs) do values[i] = checks.isSparse(x) and x:values():detach():clone() or x end
    return gradcheck(function(...)
      local own = { ... }
      for i, x in ipairs(inputs) do
        if checks.isSparse(x) then own[i] = x:_with(own[i]) end
      end
      local y = f(unpack(own))
      return checks.isSparse(y) and y:values() or y
    end, values, options)
  end
end

return functions
