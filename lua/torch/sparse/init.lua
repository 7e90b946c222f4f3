--- Sparse tensors: by coordinates (`torch.SparseCOO`), and matrices in compressed rows (`torch.SparseCSR`), in compressed columns
-- (`torch.SparseCSC`), in blocks (`torch.SparseBSR`) and of diagonals (`torch.SparseDIA`). They consist of dense tensors of positions and
-- values. Gradients flow to the values and to dense operands. Positions count from 1.
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

--- Makes a sparse matrix in compressed columns.
-- @tparam torch.LongTensor columns (n + 1): the position of the first entry of each column, from 1, and the number of entries + 1
-- @tparam torch.LongTensor rows the row of each entry, counted from 1
-- @tparam torch.Tensor values one for each entry. None of the tensors is copied
-- @tparam[opt] {int,int}|torch.LongStorage sizes default: the largest row
-- @treturn torch.SparseCSC
-- @raise if columns descend, or a row is beyond the matrix, or lengths differ
function sparse.csc(columns, rows, values, sizes) return torch.SparseCSC(columns, rows, values, sizes) end

--- Makes a sparse matrix of dense blocks.
-- @tparam torch.LongTensor rows (n + 1): the position of the first block of each row of blocks, from 1, and the number of blocks + 1
-- @tparam torch.LongTensor columns (b): the column of each block among the columns of blocks, counted from 1
-- @tparam torch.Tensor blocks (b, r, c). None of the tensors is copied
-- @tparam[opt] {int,int}|torch.LongStorage sizes multiples of r and c; default: the largest column
-- @treturn torch.SparseBSR
-- @raise if rows descend, or a block is beyond the matrix, or sizes don't fit
function sparse.bsr(rows, columns, blocks, sizes) return torch.SparseBSR(rows, columns, blocks, sizes) end

--- Makes a sparse matrix of diagonals.
-- @tparam torch.Tensor data (d, m): element (k, j) is that of row j - offsets[k], column j; not copied
-- @tparam torch.LongTensor offsets (d), above (positive) or below the main diagonal, each once; not copied
-- @tparam {int,int}|torch.LongStorage sizes
-- @treturn torch.SparseDIA
-- @raise if an offset occurs twice, or lengths differ
function sparse.dia(data, offsets, sizes) return torch.SparseDIA(data, offsets, sizes) end

--- Whether a value is a sparse tensor.
-- @param value
-- @treturn boolean
sparse.isSparse = checks.isSparse

require 'torch.start.lazy_loader'(sparse, [[
  torch.sparse.create: eye diags random find tril triu vstack hstack blockDiag kron sampledAddmm
  torch.sparse.functions: mm addmm sum softmax logSoftmax kronsum bmat identity asSparseGradcheck
  torch.sparse.scipy_names: cooArray cooMatrix csrArray csrMatrix cscArray cscMatrix bsrArray bsrMatrix diaArray diaMatrix
  torch.sparse.scipy_names: issparse isspmatrix isspmatrixCoo isspmatrixCsr isspmatrixCsc isspmatrixBsr isspmatrixDia
  torch.sparse.scipy_names: eyeArray diagsArray randomArray rand blockArray spdiags swapaxes permuteDims expandDims
  torch.sparse.npz: loadNpz saveNpz
  torch.sparse.matrix_market: loadMtx saveMtx
]])

return sparse
