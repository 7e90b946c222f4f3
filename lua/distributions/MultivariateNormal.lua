--- Multivariate normal distribution, given by its covariance, its precision (the inverse), or the Cholesky factor of the covariance.
-- @classmod distributions.MultivariateNormal
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local check = require 'torch.check'
local matrices, weights = require 'distributions.matrices', require 'distributions.weights'
require 'distributions.Distribution'

local MultivariateNormal = torch.class('distributions.MultivariateNormal', 'distributions.Distribution')
MultivariateNormal.hasRsample = true

--- @tparam torch.Tensor loc mean, ..., n
-- @tparam[opt] torch.Tensor covarianceMatrix ..., n, n; or a table of options
-- @tparam[opt] table options `precisionMatrix`, `scaleTril` or `covarianceMatrix`, of which one is given; `validateArgs`
function MultivariateNormal:__init(loc, covarianceMatrix, options)
  matrices.declare(self, 'distributions.MultivariateNormal', { { 'loc', constraints.realVector } }, { loc }, covarianceMatrix, options)
  local n = self.loc:size(self.loc:dim())
  local size = self.scaleTril:size(self.scaleTril:dim())
  check.that(n == size, ('distributions.MultivariateNormal: loc: %d numbers, expected %d'):format(n, size), 'shape')
  self.eventShape = { n }
end

MultivariateNormal._derive = matrices.derive

function MultivariateNormal:_draw(sizes) return matrices.times(self.scaleTril, self:_empty(sizes):normal()) + self.loc end

function MultivariateNormal:_logProb(x)
  local z = matrices.times(torch.inverse(self.scaleTril), x - self.loc)
  return weights.sumLast(torch.square(z)) * -0.5 - matrices.halfLogDet(self.scaleTril) - 0.5 * self.eventShape[1] * math.log(2 * math.pi)
end

function MultivariateNormal:entropy()
  return matrices.halfLogDet(self.scaleTril) + 0.5 * self.eventShape[1] * (1 + math.log(2 * math.pi))
end

function MultivariateNormal:mean() return self.loc end
function MultivariateNormal:mode() return self.loc end
function MultivariateNormal:variance() return weights.sumLast(torch.square(self.scaleTril)) end
function MultivariateNormal:support() return constraints.realVector end

return MultivariateNormal
