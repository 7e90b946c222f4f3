--- Sparse matrices of dense blocks of one size, in compressed rows of blocks: the blocks of row i are rows[i] to rows[i + 1] - 1, counted
-- from 1. Products with dense matrices are products of the blocks. Sums and products with sparse matrices are in compressed rows.
-- @usage local s = torch.sparse.bsr(torch.LongTensor { 1, 2, 2 }, torch.LongTensor { 2 }, torch.ones(1, 2, 2), { 4, 4 })
-- print(s:dense())      --> ones in rows 1 and 2 of columns 3 and 4
-- @classmod torch.SparseBSR
local torch, check = require 'torch', require 'torch.check'
local checks = require 'torch.sparse.checks'

local Sparse = require 'torch.sparse.tensor'
local BSR = torch.class('torch.SparseBSR', 'torch.Sparse')
BSR.__givesWay, BSR.__onOp = true, Sparse.__onOp

-- Returns a matrix of checked parts.
function BSR._make(rows, columns, values, sizes)
  return setmetatable({ _rows = rows, _columns = columns, _values = values, _sizes = sizes }, BSR)
end

--- @tparam torch.LongTensor rows (n + 1): the position of the first block of each row of blocks, from 1, and the number of blocks + 1
-- @tparam torch.LongTensor columns (b): the column of each block among the columns of blocks, counted from 1
-- @tparam torch.Tensor blocks (b, r, c). None of the tensors is copied
-- @tparam[opt] {int,int}|torch.LongStorage sizes rows and columns, multiples of r and c; default: the largest column
-- @raise if rows descend, or a block is beyond the matrix, or sizes don't fit
function BSR:__init(rows, columns, blocks, sizes)
  local where = 'torch.sparse.bsr'
  check.tensor(where, 'blocks', blocks)
  if blocks:dim() ~= 3 or blocks:size(2) == 0 or blocks:size(3) == 0 then
    check.raise(('%s: blocks: %d dimensions, expected [blocks, rows, columns]'):format(where, blocks:dim()), 'shape')
  end
  local r, c = blocks:size(2), blocks:size(3)
  sizes = sizes and checks.sizes(where, sizes, 2)
  if sizes and (sizes[1] % r ~= 0 or sizes[2] % c ~= 0) then
    check.raise(('%s: sizes: [%d, %d], expected multiples of [%d, %d], the size of a block'):format(where, sizes[1], sizes[2], r, c),
      'shape')
  end
  local counts = checks.compressed(where, { 'rows', 'columns', 'row' }, rows, columns, sizes and { sizes[1] / r, sizes[2] / c })
  if blocks:size(1) ~= columns:size(1) then
    check.raise(('%s: blocks: %d, expected %d, one for each column'):format(where, blocks:size(1), columns:size(1)), 'shape')
  end
  self._rows, self._columns, self._values, self._sizes = rows, columns, blocks, { counts[1] * r, counts[2] * c }
end

BSR.__read = checks.reader { '_rows', '_columns', '_values', '_sizes' }

--- Returns the position of the first block of each row of blocks, and the number of blocks + 1: a LongTensor, not a copy.
function BSR:rows() return self._rows end

--- Returns the column of each block, among columns of blocks: a LongTensor, not a copy.
function BSR:columns() return self._columns end

--- Returns the positions of rows of blocks, by PyTorch's name: `rows`.
function BSR:crowIndices() return self._rows end

--- Returns the column of each block, by PyTorch's name: `columns`.
function BSR:colIndices() return self._columns end

--- Returns the size of a block.
-- @treturn int rows
-- @treturn int columns
function BSR:blockSize() return self._values:size(2), self._values:size(3) end

--- Returns the number of elements in blocks.
function BSR:nnz() return self._values:nElement() end

--- Returns the format's name, 'bsr'.
function BSR:format() return 'bsr' end      -- luacheck: ignore 212

-- Returns the row of blocks of each block.
function BSR:_owners() return torch.csrExpand(self._rows, self._columns:size(1)) end

local function places(self)
  local count, r, c = self._columns:size(1), self:blockSize()
  local sizes = torch.LongStorage { count, r, c }
  local function first(x, size) return ((x - 1) * size):view(count, 1, 1):expand(sizes) end
  local rows = torch.add(first(self:_owners(), r), torch.range(1, r):long():view(1, r, 1):expand(sizes))
  local columns = torch.add(first(self._columns, c), torch.range(1, c):long():view(1, 1, c):expand(sizes))
  return torch.cat(rows:view(1, -1), columns:view(1, -1), 1)
end

--- Returns the matrix by coordinates, with an entry for each element of a block.
-- @treturn torch.SparseCOO
function BSR:coo()
  local indices = self:nnz() == 0 and torch.LongTensor(2, 0) or torch.noGrad(places, self)
  return torch.SparseCOO._make(indices, torch.reshape(self._values, self:nnz()), self._sizes)
end

--- Returns the matrix in compressed rows.
-- @treturn torch.SparseCSR
function BSR:csr() return self:coo():csr() end

-- Returns a matrix with the same blocks and other values.
function BSR:_with(values) return BSR._make(self._rows, self._columns, values, self._sizes) end

-- Returns the product of the matrix, or of its transpose, with a dense vector or matrix.
function BSR:_product(x, isTransposed)
  if isTransposed then return torch.bsrTransposedMatmul(self._rows, self._columns, self._values, x, self._sizes[2]) end
  return torch.bsrMatmul(self._rows, self._columns, self._values, x)
end

return BSR
