--- Distribution by Lewandowski, Kurowicka and Joe of Cholesky factors of correlation matrices whose density is proportional to
-- determinant^(concentration - 1).
-- @classmod distributions.LKJCholesky
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local check, shapes = require 'torch.check', require 'distributions.shapes'
local common = require('distributions.elements').common
local Beta = require 'distributions.Beta'
local matrices, weights = require 'distributions.matrices', require 'distributions.weights'
require 'distributions.Distribution'

local LKJCholesky = torch.class('distributions.LKJCholesky', 'distributions.Distribution')

--- @int dim rows of the matrices, 2 or more
-- @tparam[opt=1] number|torch.Tensor concentration above 0; 1 is uniform over correlation matrices
-- @tparam[opt] table options `validateArgs`
function LKJCholesky:__init(dim, concentration, options)
  check.int('distributions.LKJCholesky', 'dim', dim, { min = 2 })
  self:_declare({ { 'concentration', constraints.positive } }, { concentration or 1 }, options)
  self.dim, self.eventShape = dim, { dim, dim }
end

function LKJCholesky:_draw(sizes)
  local n, kind = self.dim, self:_type()
  local wide = weights.column(self, self.concentration)
  local offset, all = common(torch.clamp(torch.range(-1, n - 2), 0, math.huge):type(kind), wide)
  local rest = all + 0.5 * (n - 2) - offset * 0.5
  local lengths = Beta(offset * 0.5 + 0.5, rest):_draw(shapes.part(sizes, 1, #sizes - 1))
  local normal = torch.tril(self:_empty(sizes):normal(), -1)
  local norms = torch.sqrt(torch.sum(torch.square(normal), #sizes))
  norms:select(#sizes - 1, 1):fill(1)
  local w = torch.cmul(torch.cdiv(normal, norms), torch.sqrt(lengths):unsqueeze(#sizes))
  local diagonal = torch.sqrt(torch.clamp(1 - weights.sumLast(torch.square(w)), 1e-300, math.huge))
  return w + matrices.fromDiagonal(diagonal)
end

function LKJCholesky:_logProb(x)
  local n, concentration = self.dim, self.concentration
  local logs = torch.log(matrices.diagonal(x)):narrow(x:dim() - 1, 2, n - 1)
  local wide, rows = common(weights.column(self, concentration), torch.range(2, n):type(self:_type()))
  local order = (wide - 1) * 2 + n - rows
  local alpha = concentration + 0.5 * (n - 1)
  local normalizer = torch.mvlgamma(alpha - 0.5, n - 1) - torch.lgamma(alpha) * (n - 1) + 0.5 * (n - 1) * math.log(math.pi)
  return weights.sumLast(torch.cmul(common(order, logs))) - normalizer
end

function LKJCholesky:support() return constraints.corrCholesky end

return LKJCholesky
