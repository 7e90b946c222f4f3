--- Sparse matrices in compressed columns: entries of a column follow one another. The entries of column j are columns[j] to
-- columns[j + 1] - 1, counted from 1. The arrays are those of the transpose in compressed rows. Methods that both compressed formats have
-- are those of `torch.SparseCompressed`.
-- @usage local s = torch.sparse.csc(torch.LongTensor { 1, 2, 3 }, torch.LongTensor { 3, 1 }, torch.Tensor { 7, 5 }, { 3, 2 })
-- print(s:dense())      --> 7 at row 3, column 1; 5 at row 1, column 2
-- @classmod torch.SparseCSC
local CSC = require('torch.sparse.compressed')._define 'csc'

--- @tparam torch.LongTensor columns (n + 1): the position of the first entry of each column, from 1, and the number of entries + 1
-- @tparam torch.LongTensor rows the row of each entry, counted from 1; within a column in any order. Entries of the same place add up
-- @tparam torch.Tensor values one for each entry. None of the tensors is copied
-- @tparam[opt] {int,int}|torch.LongStorage sizes rows and columns; default: the largest row
-- @raise if columns descend, or a row is beyond the matrix, or lengths differ
function CSC:__init(columns, rows, values, sizes) self:_set('torch.sparse.csc', columns, rows, values, sizes) end

--- Returns the position of the first entry of each column, and the number of entries + 1: a LongTensor, not a copy.
function CSC:columns() return self._columns end

--- Returns the row of each entry: a LongTensor, not a copy.
function CSC:rows() return self._rows end

--- Returns the positions of columns, by PyTorch's name: `columns`.
function CSC:ccolIndices() return self._columns end

--- Returns the row of each entry, by PyTorch's name: `rows`.
function CSC:rowIndices() return self._rows end

return CSC
