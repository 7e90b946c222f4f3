--- Sparse matrices in compressed rows: entries of a row follow one another. Positions count from 1, as everywhere in Lua: the entries of
-- row i are rows[i] to rows[i + 1] - 1, so that rows begins with 1 and ends with the number of entries + 1. Methods that both compressed
-- formats have are those of `torch.SparseCompressed`.
-- @usage local s = torch.sparse.csr(torch.LongTensor { 1, 2, 2, 3 }, torch.LongTensor { 2, 1 }, torch.Tensor { 5, 7 }, { 3, 2 })
-- print(torch.mm(s, torch.eye(2)))
-- @classmod torch.SparseCSR
local CSR = require('torch.sparse.compressed')._define 'csr'

--- @tparam torch.LongTensor rows (n + 1): the position of the first entry of each row, counted from 1, and the number of entries + 1
-- @tparam torch.LongTensor columns the column of each entry, counted from 1; within a row in any order. Entries of the same place add up
-- @tparam torch.Tensor values one for each entry. None of the tensors is copied
-- @tparam[opt] {int,int}|torch.LongStorage sizes rows and columns; default: the largest column
-- @raise if rows descend, or a column is beyond the matrix, or lengths differ
function CSR:__init(rows, columns, values, sizes) self:_set('torch.sparse.csr', rows, columns, values, sizes) end

--- Returns the position of the first entry of each row, and the number of entries + 1: a LongTensor, not a copy.
function CSR:rows() return self._rows end

--- Returns the column of each entry: a LongTensor, not a copy.
function CSR:columns() return self._columns end

--- Returns the positions of rows, by PyTorch's name: `rows`.
function CSR:crowIndices() return self._rows end

--- Returns the column of each entry, by PyTorch's name: `columns`.
function CSR:colIndices() return self._columns end

return CSR
