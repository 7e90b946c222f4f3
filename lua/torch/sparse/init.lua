--- Sparse tensors: by coordinates (`torch.SparseCOO`), and matrices in compressed rows (`torch.SparseCSR`). They consist of dense tensors
-- of positions and values. Gradients flow to the values and to dense operands. Positions count from 1.
-- @module torch.sparse
local torch = require 'torch'
local checks = require 'torch.sparse.checks'

local sparse = {}

--- Makes a sparse tensor by coordinates.
-- @tparam torch.LongTensor indices (d, n): the places of n entries in d dimensions, counted from 1; not copied
-- @tparam torch.Tensor values (n); not copied
-- @tparam[opt] {int,...}|torch.LongStorage sizes default: the largest indices
-- @treturn torch.SparseCOO
-- @raise if an index is beyond its size, or lengths differ
function sparse.coo(indices, values, sizes) return torch.SparseCOO(indices, values, sizes) end

--- Makes a sparse matrix in compressed rows.
-- @tparam torch.LongTensor rows (n + 1): the position of the first entry of each row, counted from 1, and the number of entries + 1
-- @tparam torch.LongTensor columns the column of each entry, counted from 1
-- @tparam torch.Tensor values one for each entry. None of the tensors is copied
-- @tparam[opt] {int,int}|torch.LongStorage sizes default: the largest column
-- @treturn torch.SparseCSR
-- @raise if rows descend, or a column is beyond the matrix, or lengths differ
function sparse.csr(rows, columns, values, sizes) return torch.SparseCSR(rows, columns, values, sizes) end

--- Whether a value is a sparse tensor.
-- @param value
-- @treturn boolean
sparse.isSparse = checks.isSparse

require 'torch.start.lazy_loader'(sparse, [[
  torch.sparse.create: eye diags random find tril triu vstack hstack blockDiag kron sampledAddmm
  torch.sparse.functions: mm addmm sum softmax logSoftmax kronsum bmat identity
  torch.sparse.npz: loadNpz saveNpz
  torch.sparse.matrix_market: loadMtx saveMtx
]])

return sparse
