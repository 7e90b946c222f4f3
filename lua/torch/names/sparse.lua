--- Sparse tensors by PyTorch's names of functions of `torch`. Positions count from 1.
-- @module torch.names.sparse
local torch, check = require 'torch', require 'torch.check'

local names = {}

--- Makes a sparse tensor by coordinates: `torch.sparse.coo`.
function names.sparseCooTensor(...) return torch.sparse.coo(...) end

--- Makes a sparse matrix in compressed rows: `torch.sparse.csr`.
function names.sparseCsrTensor(...) return torch.sparse.csr(...) end

--- Makes a sparse matrix in compressed columns: `torch.sparse.csc`.
function names.sparseCscTensor(...) return torch.sparse.csc(...) end

--- Makes a sparse matrix of blocks: `torch.sparse.bsr`.
function names.sparseBsrTensor(...) return torch.sparse.bsr(...) end

local function sparse(where, name, s)
  check.that(torch.sparse.isSparse(s), ('%s: %s: %s, expected a sparse matrix'):format(where, name, check.describe(s)))
  return s
end

-- Returns the product with a matrix as a sparse one.
local function product(where, a, b)
  if not torch.isTensor(b) then sparse(where, 'b', b) end
  return torch.mm(a, b):sparse()
end

--- Returns the product of a sparse and a dense matrix as a sparse one.
-- @param a a sparse matrix (n, m)
-- @tparam torch.Tensor b (m, k)
-- @treturn torch.SparseCOO with an entry for each element other than 0
function names.smm(a, b) return product('smm', sparse('smm', 'a', a), b) end

--- Returns the product of two matrices, of which one may be sparse: `torch.mm`.
function names.spmm(a, b) return torch.mm(a, b) end

--- Returns the product of two matrices, of which one may be sparse: `torch.mm`.
function names.dsmm(a, b) return torch.mm(a, b) end

--- Returns beta m + alpha (a b) as a sparse matrix.
-- @param m a sparse matrix (n, k)
-- @param a a sparse matrix (n, m)
-- @tparam torch.Tensor b (m, k)
-- @number[opt=1] beta
-- @number[opt=1] alpha
-- @treturn torch.SparseCOO
function names.sspaddmm(m, a, b, beta, alpha)
  sparse('sspaddmm', 'm', m)
  local sum = product('sspaddmm', sparse('sspaddmm', 'a', a), b):mul(check.number('sspaddmm', 'alpha', alpha or 1))
  return m:coo():mul(check.number('sspaddmm', 'beta', beta or 1)):add(sum)
end

--- Returns the positions of the elements other than 0, as many as `size`: cut, or filled up.
-- @tparam torch.Tensor x
-- @int size
-- @int[opt=-1] fill
-- @treturn torch.LongTensor (size, dimensions)
function names.nonzeroStatic(x, size, fill)
  check.tensor('nonzeroStatic', 'x', x)
  check.int('nonzeroStatic', 'size', size, { min = 0 })
  local hasRoom, result = pcall(torch.LongTensor, size, math.max(1, x:dim()))
  check.that(hasRoom, ('nonzeroStatic: size: %s, expected a number of positions for which there is memory'):format(size), 'range')
  result:fill(check.int('nonzeroStatic', 'fill', fill or -1))
  local found = x:detach():nonzero()
  local count = found:nElement() > 0 and math.min(size, found:size(1)) or 0
  if count > 0 then result:narrow(1, 1, count):copy(found:narrow(1, 1, count)) end
  return result
end

return names
