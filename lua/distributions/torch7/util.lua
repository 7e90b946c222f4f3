--- Torch7's functions of symmetric matrices, `isposdef(m)` and `logdet(m)`.
-- @module distributions.torch7.util
local torch = require 'torch'
local check = require 'torch.check'

local util = {}

--- Whether a symmetric matrix is positive definite.
-- @tparam torch.Tensor m
-- @treturn bool
function util.isposdef(m) return (pcall(torch.cholesky, check.tensor('distributions.util.isposdef', 'm', m):double())) end

--- The logarithm of the determinant of a positive definite matrix.
-- @tparam torch.Tensor m
-- @treturn number
function util.logdet(m)
  local lower = torch.cholesky(check.tensor('distributions.util.logdet', 'm', m):double())
  return 2 * torch.sum(torch.log(torch.diag(lower)))
end

return util
