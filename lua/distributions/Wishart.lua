--- Wishart distribution: positive definite n x n matrices, sums of df outer products of normal vectors with a covariance; drawn by
-- Bartlett's decomposition.
-- @classmod distributions.Wishart
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local shapes = require 'distributions.shapes'
local common = require('distributions.elements').common
local gammaSamples = require 'distributions.gamma_samples'
local matrices, weights = require 'distributions.matrices', require 'distributions.weights'
require 'distributions.ExponentialFamily'

local Wishart = torch.class('distributions.Wishart', 'distributions.ExponentialFamily')
Wishart.hasRsample = true

--- @tparam number|torch.Tensor df degrees of freedom, above n - 1
-- @tparam[opt] torch.Tensor covarianceMatrix ..., n, n; or a table of options
-- @tparam[opt] table options `precisionMatrix`, `scaleTril` or `covarianceMatrix`, of which one is given; `validateArgs`
function Wishart:__init(df, covarianceMatrix, options)
  matrices.declare(self, 'distributions.Wishart', { { 'df', constraints.positive } }, { df }, covarianceMatrix, options)
  local n = self.scaleTril:size(self.scaleTril:dim())
  self:_verify('df', constraints.greaterThan(n - 1))
  self.eventShape = { n, n }
end

Wishart._derive = matrices.derive

function Wishart:_draw(sizes)
  local n = sizes[#sizes]
  local rows = shapes.part(sizes, 1, #sizes - 1)
  local df, places = common(weights.column(self, self.df), torch.range(0, n - 1):type(self:_type()))
  local halves = (df - places) * 0.5
  local roots = torch.exp(gammaSamples.logSample(halves:expand(unpack(rows))) * 0.5) * math.sqrt(2)
  local lower = torch.tril(self:_empty(sizes):normal(), -1) + matrices.fromDiagonal(roots)
  local factor = torch.matmul(self.scaleTril, lower)
  return torch.matmul(factor, matrices.transposed(factor))
end

function Wishart:_logScale() return matrices.halfLogDet(self.scaleTril) + 0.5 * self.eventShape[1] * math.log(2) end

function Wishart:_logProb(x)
  local n = self.eventShape[1]
  local inverse = torch.inverse(self.scaleTril)
  local trace = weights.sumLast(matrices.diagonal(torch.matmul(torch.matmul(inverse, x), matrices.transposed(inverse))))
  return -torch.cmul(self.df, self:_logScale()) - torch.mvlgamma(self.df * 0.5, n)
    + torch.cmul(self.df - (n + 1), matrices.halfLogDet(torch.cholesky(x))) - trace * 0.5
end

-- The derivative of mvlgamma(df / 2, n).
function Wishart:_digamma()
  local total = torch.digamma(self.df * 0.5)
  for i = 1, self.eventShape[1] - 1 do total = total + torch.digamma((self.df - i) * 0.5) end
  return total
end

function Wishart:entropy()
  local n = self.eventShape[1]
  return self:_logScale() * (n + 1) + torch.mvlgamma(self.df * 0.5, n) - torch.cmul((self.df - (n + 1)) * 0.5, self:_digamma())
    + self.df * (0.5 * n)
end

function Wishart:_wide(x) return x:unsqueeze(x:dim() + 1):unsqueeze(x:dim() + 2) end
function Wishart:mean() return torch.cmul(self:_wide(self.df), matrices.covariance(self)):viewAs(self.scaleTril) end

function Wishart:mode()
  local factor = self.df - (self.eventShape[1] + 1)
  return torch.cmul(self:_wide(torch.where(torch.lt(factor, 0), 0 / 0, factor)), matrices.covariance(self)):viewAs(self.scaleTril)
end

function Wishart:variance()
  local covariance = matrices.covariance(self)
  local d = matrices.diagonal(covariance)
  local products = torch.matmul(d:unsqueeze(d:dim() + 1), d:unsqueeze(d:dim()))
  return torch.cmul(self:_wide(self.df), torch.square(covariance) + products):viewAs(self.scaleTril)
end

function Wishart:support() return constraints.positiveDefinite end

return Wishart
