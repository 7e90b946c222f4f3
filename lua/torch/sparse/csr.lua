--- Sparse matrices in compressed rows: entries of a row follow one another. Positions count from 1, as everywhere in Lua: the entries of
-- row i are rows[i] to rows[i + 1] - 1, so that rows begins with 1 and ends with the number of entries + 1. Products run in this format.
-- @usage local s = torch.sparse.csr(torch.LongTensor { 1, 2, 2, 3 }, torch.LongTensor { 2, 1 }, torch.Tensor { 5, 7 }, { 3, 2 })
-- print(torch.mm(s, torch.eye(2)))
-- @classmod torch.SparseCSR
local torch, check = require 'torch', require 'torch.check'
local checks = require 'torch.sparse.checks'

local Sparse = require 'torch.sparse.tensor'
local CSR = torch.class('torch.SparseCSR', 'torch.Sparse')
CSR.__givesWay, CSR.__onOp = true, Sparse.__onOp

-- Returns a matrix of checked parts. With isSorted, the columns of each row ascend and are distinct.
function CSR._make(rows, columns, values, sizes, isSorted)
  return setmetatable({ _rows = rows, _columns = columns, _values = values, _sizes = sizes, _isSorted = isSorted or nil }, CSR)
end

--- @tparam torch.LongTensor rows (n + 1): the position of the first entry of each row, counted from 1, and the number of entries + 1
-- @tparam torch.LongTensor columns the column of each entry, counted from 1; within a row in any order. Entries of the same place add up
-- @tparam torch.Tensor values one for each entry. None of the tensors is copied
-- @tparam[opt] {int,int}|torch.LongStorage sizes rows and columns; default: the largest column
-- @raise if rows descend, or a column is beyond the matrix, or lengths differ
function CSR:__init(rows, columns, values, sizes)
  local where = 'torch.sparse.csr'
  sizes = checks.compressed(where, { 'rows', 'columns', 'row' }, rows, columns, sizes, values)
  self._rows, self._columns, self._values, self._sizes = rows, columns, values, sizes
end

CSR.__read = checks.reader { '_rows', '_columns', '_values', '_sizes' }

--- Returns the position of the first entry of each row, and the number of entries + 1: a LongTensor, not a copy.
function CSR:rows() return self._rows end

--- Returns the column of each entry: a LongTensor, not a copy.
function CSR:columns() return self._columns end

--- Returns the positions of rows, by PyTorch's name: `rows`.
function CSR:crowIndices() return self._rows end

--- Returns the column of each entry, by PyTorch's name: `columns`.
function CSR:colIndices() return self._columns end

--- Returns the format's name, 'csr'.
function CSR:format() return 'csr' end      -- luacheck: ignore 212

--- Returns the matrix itself.
function CSR:csr() return self end

-- Returns the row of each entry.
function CSR:_owners() return torch.csrExpand(self._rows, self._columns:size(1)) end

local function places(self)
  return torch.cat(self:_owners():view(1, -1), self._columns:view(1, -1), 1)
end

--- Returns the matrix by coordinates.
-- @treturn torch.SparseCOO
function CSR:coo()
  local indices = self:nnz() == 0 and torch.LongTensor(2, 0) or torch.noGrad(places, self)
  return torch.SparseCOO._make(indices, self._values, self._sizes, self._isSorted)
end

--- Returns the places of the entries, a LongTensor (2, n).
function CSR:indices() return self:coo():indices() end

--- Returns whether the columns of each row ascend and are distinct.
function CSR:isCoalesced()
  return self._isSorted == true
end

--- Returns the matrix with the values of equal places added up, and the columns of each row in ascending order.
-- @treturn torch.SparseCSR self if it is so already
function CSR:coalesce() return self._isSorted and self or self:coo():csr() end

--- Returns a dense matrix.
-- @treturn torch.Tensor
function CSR:dense() return self:coo():dense() end

-- Returns a matrix with the same places and other values.
function CSR:_with(values) return CSR._make(self._rows, self._columns, values, self._sizes, self._isSorted) end

--- Returns the transpose, whose rows are the columns of this matrix.
-- @treturn torch.SparseCSR
function CSR:transpose(a, b)
  if a ~= nil or b ~= nil then
    check.int('transpose', 'a', a, { min = 1, max = 2 })
    check.int('transpose', 'b', b, { min = 1, max = 2 })
    if a == b then return self end
  end
  local first, order = torch.bucketSort(self._columns, self._sizes[2])
  local owners = torch.index(self:_owners(), 1, order)
  return CSR._make(first, owners, torch.index(self._values, 1, order), { self._sizes[2], self._sizes[1] }, self._isSorted)
end

--- Returns a part of the rows or columns.
-- @int dim 1 for rows, 2 for columns
-- @int first
-- @int count
-- @treturn torch.SparseCSR
function CSR:narrow(dim, first, count)
  checks.range('narrow', self._sizes, dim, first, count)
  if dim == 2 then return self:coo():narrow(dim, first, count):csr() end
  local rows = self._rows:narrow(1, first, count + 1)
  local begin, last = tonumber(rows[1]), tonumber(rows[count + 1])
  return CSR._make(rows - (begin - 1), self._columns:narrow(1, begin, last - begin), torch.narrow(self._values, 1, begin, last - begin),
    { count, self._sizes[2] }, self._isSorted)
end

return CSR
