--- The map from square matrices to lower triangular ones with a positive diagonal: exp on the diagonal.
-- @classmod distributions.LowerCholeskyTransform
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local matrices = require 'distributions.matrices'
require 'distributions.Transform'

local LowerCholeskyTransform = torch.class('distributions.LowerCholeskyTransform', 'distributions.Transform')
LowerCholeskyTransform.domain, LowerCholeskyTransform.codomain = constraints.independent(constraints.real, 2), constraints.lowerCholesky

--- Takes no arguments.
function LowerCholeskyTransform.__init() end

function LowerCholeskyTransform:_call(x) return torch.tril(x, -1) + matrices.fromDiagonal(torch.exp(matrices.diagonal(x))) end
function LowerCholeskyTransform:_inverse(y) return torch.tril(y, -1) + matrices.fromDiagonal(torch.log(matrices.diagonal(y))) end

return LowerCholeskyTransform
