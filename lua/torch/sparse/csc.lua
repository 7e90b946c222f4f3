--- Sparse matrices in compressed columns: entries of a column follow one another. The entries of column j are columns[j] to
-- columns[j + 1] - 1, counted from 1. The arrays are those of the transpose in compressed rows.
-- @usage local s = torch.sparse.csc(torch.LongTensor { 1, 2, 3 }, torch.LongTensor { 3, 1 }, torch.Tensor { 7, 5 }, { 3, 2 })
-- print(s:dense())      --> 7 at row 3, column 1; 5 at row 1, column 2
-- @classmod torch.SparseCSC
local torch = require 'torch'
local checks = require 'torch.sparse.checks'

local Sparse = require 'torch.sparse.tensor'
local CSC = torch.class('torch.SparseCSC', 'torch.Sparse')
CSC.__givesWay, CSC.__onOp = true, Sparse.__onOp

-- Returns a matrix of checked parts. With isSorted, the rows of each column ascend and are distinct.
function CSC._make(columns, rows, values, sizes, isSorted)
  return setmetatable({ _columns = columns, _rows = rows, _values = values, _sizes = sizes, _isSorted = isSorted or nil }, CSC)
end

--- @tparam torch.LongTensor columns (n + 1): the position of the first entry of each column, from 1, and the number of entries + 1
-- @tparam torch.LongTensor rows the row of each entry, counted from 1; within a column in any order. Entries of the same place add up
-- @tparam torch.Tensor values one for each entry. None of the tensors is copied
-- @tparam[opt] {int,int}|torch.LongStorage sizes rows and columns; default: the largest row
-- @raise if columns descend, or a row is beyond the matrix, or lengths differ
function CSC:__init(columns, rows, values, sizes)
  local where = 'torch.sparse.csc'
  sizes = sizes and checks.sizes(where, sizes, 2)
  local turned = checks.compressed(where, { 'columns', 'rows', 'column' }, columns, rows, sizes and { sizes[2], sizes[1] })
  checks.values(where, values, rows:size(1))
  self._columns, self._rows, self._values, self._sizes = columns, rows, values, { turned[2], turned[1] }
end

CSC.__read = checks.reader { '_columns', '_rows', '_values', '_sizes' }

--- Returns the position of the first entry of each column, and the number of entries + 1: a LongTensor, not a copy.
function CSC:columns() return self._columns end

--- Returns the row of each entry: a LongTensor, not a copy.
function CSC:rows() return self._rows end

--- Returns the positions of columns, by PyTorch's name: `columns`.
function CSC:ccolIndices() return self._columns end

--- Returns the row of each entry, by PyTorch's name: `rows`.
function CSC:rowIndices() return self._rows end

--- Returns the format's name, 'csc'.
function CSC:format() return 'csc' end      -- luacheck: ignore 212

--- Returns the matrix itself.
function CSC:csc() return self end

-- Returns the transpose in compressed rows, with the same arrays.
function CSC:_turned()
  return torch.SparseCSR._make(self._columns, self._rows, self._values, { self._sizes[2], self._sizes[1] }, self._isSorted)
end

--- Returns the matrix in compressed rows.
-- @treturn torch.SparseCSR
function CSC:csr() return self:_turned():transpose() end

--- Returns whether the rows of each column ascend and are distinct.
function CSC:isCoalesced() return self._isSorted == true end

--- Returns the matrix with the values of equal places added up, and the rows of each column in ascending order.
-- @treturn torch.SparseCSC self if it is so already
function CSC:coalesce() return self._isSorted and self or self:_like(self:csr():coalesce()) end

-- Returns a matrix with the same places and other values.
function CSC:_with(values) return CSC._make(self._columns, self._rows, values, self._sizes, self._isSorted) end

return CSC
