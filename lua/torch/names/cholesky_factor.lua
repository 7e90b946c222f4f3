--- PyTorch's functions of a Cholesky factor, which is the lower triangle unless they are told otherwise.
-- @module torch.names.cholesky_factor
local torch, check = require 'torch', require 'torch.check'

local factors = {}

--- Returns the inverse of a symmetric positive definite matrix from its Cholesky factor: potri.
-- @tparam torch.Tensor factor
-- @bool[opt=false] upper whether the factor is the upper triangle
-- @treturn torch.Tensor
function factors.choleskyInverse(factor, upper)
  check.tensor('choleskyInverse', 'factor', factor)
  check.flag('choleskyInverse', 'upper', upper)
  return check.call(torch.potri, factor, upper and 'U' or 'L')
end

--- Solves a system with a symmetric positive definite matrix, from its Cholesky factor: potrs.
-- @tparam torch.Tensor b right-hand sides, columns
-- @tparam torch.Tensor factor
-- @bool[opt=false] upper whether the factor is the upper triangle
-- @treturn torch.Tensor
function factors.choleskySolve(b, factor, upper)
  check.tensor('choleskySolve', 'b', b)
  check.tensor('choleskySolve', 'factor', factor)
  check.flag('choleskySolve', 'upper', upper)
  return check.call(torch.potrs, b, factor, upper and 'U' or 'L')
end

return factors
