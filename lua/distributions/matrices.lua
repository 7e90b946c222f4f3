--- Batches of square matrices for multivariate distributions.
-- @module distributions.matrices
local torch = require 'torch'
local weights = require 'distributions.weights'

local matrices = {}
local sumLast = weights.sumLast

--- The identity, of the type of a batch of matrices or of their rows.
-- @tparam torch.Tensor x ..., n
-- @treturn torch.Tensor n, n
function matrices.eye(x) return torch.eye(x:size(x:dim())):typeAs(x) end

--- The diagonals.
-- @tparam torch.Tensor x ..., n, n
-- @treturn torch.Tensor ..., n
function matrices.diagonal(x) return sumLast(torch.cmul(x, matrices.eye(x))) end

--- Matrices with these diagonals.
-- @tparam torch.Tensor x ..., n
-- @treturn torch.Tensor ..., n, n
function matrices.fromDiagonal(x) return torch.cmul(x:unsqueeze(x:dim() + 1), matrices.eye(x)) end

--- Half of the logarithm of the determinant of l l'.
-- @tparam torch.Tensor l lower triangular
-- @treturn torch.Tensor
function matrices.halfLogDet(l) return sumLast(torch.log(matrices.diagonal(l))) end

--- The product of matrices and vectors.
-- @tparam torch.Tensor a ..., m, n
-- @tparam torch.Tensor x ..., n
-- @treturn torch.Tensor ..., m
function matrices.times(a, x)
  local y = torch.matmul(a, x:unsqueeze(x:dim() + 1))
  return y:squeeze(y:dim())
end

--- The transposed matrices.
-- @tparam torch.Tensor x
-- @treturn torch.Tensor
function matrices.transposed(x) return x:transpose(x:dim() - 1, x:dim()) end

--- Declares one of covarianceMatrix, precisionMatrix and scaleTril, of which one is given as an argument or by name.
-- @tparam distributions.Distribution self
-- @string where
-- @tparam table declared the other parameters
-- @tparam table values
-- @param covariance a tensor, nil, or the options
-- @tparam ?table options
function matrices.declare(self, where, declared, values, covariance, options)
  local check, constraints = require 'torch.check', require 'distributions.constraints'
  if type(covariance) == 'table' and options == nil then covariance, options = nil, covariance end
  options = check.options(where, options, { 'covarianceMatrix', 'precisionMatrix', 'scaleTril', 'validateArgs' })
  local given = { covarianceMatrix = covariance or options.covarianceMatrix, precisionMatrix = options.precisionMatrix,
    scaleTril = options.scaleTril }
  local name = next(given)
  if not name or next(given, name) then
    check.raise(where .. ': covarianceMatrix: none or several, expected one of covarianceMatrix, precisionMatrix and scaleTril')
  end
  self._given = name
  declared[#declared + 1] = { name, name == 'scaleTril' and constraints.lowerCholesky or constraints.positiveDefinite }
  values[#declared] = given[name]
  self:_declare(declared, values, { validateArgs = options.validateArgs })
end

--- Computes scaleTril, the Cholesky factor of the covariance, from the given matrix.
-- @tparam distributions.Distribution self
function matrices.derive(self)
  local x = self[self._given]
  if self._given == 'scaleTril' then self.scaleTril = torch.tril(x) end
  if self._given == 'covarianceMatrix' then self.scaleTril = torch.cholesky(x) end
  if self._given == 'precisionMatrix' then self.scaleTril = torch.cholesky(torch.inverse(x)) end
end

--- The covariance.
-- @tparam distributions.Distribution self
-- @treturn torch.Tensor
function matrices.covariance(self) return torch.matmul(self.scaleTril, matrices.transposed(self.scaleTril)) end

return matrices
