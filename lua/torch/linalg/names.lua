--- Functions that torch has by other names, or with other results: matrixNorm, householderProduct.
-- @module torch.linalg.names
local torch = require 'torch'
local atCaller = require 'torch.linalg.at_caller'

local names = {}

--- A norm of matrices: `torch.matrix_norm`.
-- @tparam torch.Tensor a (…, m, n), of floats
-- @tparam[opt='fro'] number|string p 'fro', 'nuc', 1, -1, 2, -2, inf or -inf
-- @treturn number|torch.Tensor one for each matrix
-- @raise for another p, matrices without elements
function names.matrixNorm(a, p) return torch.matrix_norm(a, p) end

--- The orthogonal matrix of Householder's reflectors: `torch.orgqr`.
-- @tparam torch.Tensor m reflectors below the diagonal, as `torch.geqrf` returns them (…, m, n)
-- @tparam torch.Tensor tau their factors (…, k)
-- @treturn torch.Tensor (…, m, k)
function names.householderProduct(m, tau) return torch.orgqr(m, tau) end

return atCaller(names)
