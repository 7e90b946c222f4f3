--- The map from square matrices to positive definite ones: LowerCholeskyTransform times its transpose.
-- @classmod distributions.PositiveDefiniteTransform
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local matrices, LowerCholesky = require 'distributions.matrices', require 'distributions.LowerCholeskyTransform'
require 'distributions.Transform'

local PositiveDefiniteTransform = torch.class('distributions.PositiveDefiniteTransform', 'distributions.Transform')
PositiveDefiniteTransform.domain = constraints.independent(constraints.real, 2)
PositiveDefiniteTransform.codomain = constraints.positiveDefinite

--- Takes no arguments.
function PositiveDefiniteTransform.__init() end

function PositiveDefiniteTransform:_call(x)
  local l = LowerCholesky._call(self, x)
  return torch.matmul(l, matrices.transposed(l))
end

function PositiveDefiniteTransform:_inverse(y) return LowerCholesky._inverse(self, torch.cholesky(y)) end

return PositiveDefiniteTransform
