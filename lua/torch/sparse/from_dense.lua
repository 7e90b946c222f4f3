--- Methods of dense tensors that return sparse ones.
-- @module torch.sparse.from_dense
local torch, check = require 'torch', require 'torch.check'
local COO = require 'torch.sparse.coo'

local fromDense = {}

local function places(x)
  local found = x:detach():nonzero()
  return found:nElement() > 0 and found:t():contiguous() or torch.LongTensor(x:dim(), 0)
end

--- Returns a sparse tensor of the elements other than 0. Its values have gradients with respect to x.
-- @tparam torch.Tensor x
-- @string[opt='coo'] format 'coo', or 'csr' of a matrix
-- @treturn torch.SparseCOO|torch.SparseCSR
function fromDense.sparse(x, format)
  check.tensor('sparse', 'x', x)
  check.choice('sparse', 'format', format or 'coo', { 'coo', 'csr' })
  check.that(x:dim() > 0, 'sparse: x: no dimensions, expected 1 or more', 'shape')
  local s = COO._make(torch.noGrad(places, x), nil, x:size():totable(), true)
  s._values = torch.index(torch.reshape(x, x:nElement()), 1, s:_linear())
  return format == 'csr' and s:csr() or s
end

fromDense.toSparse = fromDense.sparse

return fromDense
