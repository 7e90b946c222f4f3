--- NumPy's products of stacks of matrices and vectors: matvec, vecmat.
-- @module torch.names.vector_products
local torch, check = require 'torch', require 'torch.check'
local conj = require('torch.names.complex').conj
local sizesOf = require('torch.check.message').sizes

local products = {}

local function checked(where, name, x, rank)
  check.tensor(where, name, x)
  if x:dim() < rank then
    check.raise(('%s: %s: %s, expected %d dimensions or more'):format(where, name, sizesOf(x), rank), 'shape')
  end
end

--- Returns the products of matrices and vectors; the dimensions before these broadcast.
-- @tparam torch.Tensor a (..., n, m)
-- @tparam torch.Tensor x (..., m)
-- @treturn torch.Tensor (..., n)
-- @raise if sizes don't fit
function products.matvec(a, x)
  checked('matvec', 'a', a, 2)
  checked('matvec', 'x', x, 1)
  return torch.squeeze(check.call(torch.matmul, a, torch.unsqueeze(x, x:dim() + 1)), -1)
end

--- Returns the products of vectors and matrices; the dimensions before these broadcast.
-- @tparam torch.Tensor x (..., n), whose conjugate is multiplied, as in NumPy
-- @tparam torch.Tensor a (..., n, m)
-- @treturn torch.Tensor (..., m)
-- @raise if sizes don't fit
function products.vecmat(x, a)
  checked('vecmat', 'x', x, 1)
  checked('vecmat', 'a', a, 2)
  return torch.squeeze(check.call(torch.matmul, torch.unsqueeze(conj(x), x:dim()), a), -2)
end

return products
