--- Methods of dense tensors that return sparse ones.
-- @module torch.sparse.from_dense
local torch, check = require 'torch', require 'torch.check'
local checks = require 'torch.sparse.checks'
local COO = require 'torch.sparse.coo'

local fromDense = {}

local function places(x)
  local found = x:detach():nonzero()
  return found:nElement() > 0 and found:t():contiguous() or torch.LongTensor(x:dim(), 0)
end

--- Returns a sparse tensor of the elements other than 0. Its values have gradients with respect to x.
-- @tparam torch.Tensor x
-- @string[opt='coo'] format 'coo', or of a matrix 'csr', 'csc', 'bsr' or 'dia'
-- @int[opt] rows of a block, for 'bsr'
-- @int[opt=rows] columns of a block
-- @treturn torch.Sparse
function fromDense.sparse(x, format, rows, columns)
  check.tensor('sparse', 'x', x)
  check.that(x:dim() > 0, 'sparse: x: no dimensions, expected 1 or more', 'shape')
  local s = COO._make(torch.noGrad(places, x), nil, x:size():totable(), true)
  s._values = torch.index(torch.reshape(x, x:nElement()), 1, s:_linear())
  return s:sparse(format, rows, columns)
end

fromDense.toSparse = fromDense.sparse

--- Returns the elements of a dense tensor at the places of a sparse one.
-- @tparam torch.Tensor x
-- @tparam torch.Sparse mask of the sizes of x
-- @treturn torch.Sparse with the places and the format of the mask; that of blocks and diagonals is in compressed rows
function fromDense.sparseMask(x, mask)
  check.tensor('sparseMask', 'x', x)
  checks.same('sparseMask', 'x', x:size():totable(), checks.sparse('sparseMask', 'mask', mask)._sizes)
  local s = mask:format() == 'coo' and mask or mask:csr()
  if s:nnz() == 0 then return mask:_like(s:_with(x.new(0))) end
  return mask:_like(s:_with(torch.index(torch.reshape(x, x:nElement()), 1, s:coo():_linear())))
end

return fromDense
