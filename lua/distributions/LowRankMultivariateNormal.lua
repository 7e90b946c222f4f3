--- Multivariate normal distribution with the covariance w w' + diagonal(d), where w has few columns; a solution costs n k^2 for k columns.
-- @classmod distributions.LowRankMultivariateNormal
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local check, shapes = require 'torch.check', require 'distributions.shapes'
local matrices, weights = require 'distributions.matrices', require 'distributions.weights'
require 'distributions.Distribution'

local LowRankMultivariateNormal = torch.class('distributions.LowRankMultivariateNormal', 'distributions.Distribution')
LowRankMultivariateNormal.hasRsample = true

--- @tparam torch.Tensor loc mean, ..., n
-- @tparam torch.Tensor covFactor w, ..., n, k
-- @tparam torch.Tensor covDiag d, ..., n, above 0
-- @tparam[opt] table options `validateArgs`
function LowRankMultivariateNormal:__init(loc, covFactor, covDiag, options)
  local declared = {
    { 'loc', constraints.realVector }, { 'covFactor', constraints.independent(constraints.real, 2) },
    { 'covDiag', constraints.independent(constraints.positive, 1) },
  }
  self:_declare(declared, { loc, covFactor, covDiag }, options)
  local n = self.loc:size(-1)
  check.that(self.covFactor:size(-2) == n and self.covDiag:size(-1) == n,
    ('distributions.LowRankMultivariateNormal: covFactor: %d rows and %d variances, expected %d'):format(self.covFactor:size(-2),
      self.covDiag:size(-1), n), 'shape')
  self.eventShape = { n }
end

function LowRankMultivariateNormal:_draw(sizes)
  local few = shapes.join(shapes.part(sizes, 1, #sizes - 1), { self.covFactor:size(-1) })
  return self.loc + matrices.times(self.covFactor, self:_empty(few):normal())
    + torch.cmul(torch.sqrt(self.covDiag), self:_empty(sizes):normal())
end

-- The Cholesky factor of 1 + w' diagonal(d)^-1 w, and w' diagonal(d)^-1.
function LowRankMultivariateNormal:_capacitance()
  local scaled = torch.cdiv(matrices.transposed(self.covFactor), self.covDiag:unsqueeze(self.covDiag:dim()))
  local product = torch.matmul(scaled, self.covFactor)
  return torch.cholesky(product + matrices.eye(product)), scaled
end

function LowRankMultivariateNormal:_halfLogDet(factor)
  return matrices.halfLogDet(factor) + weights.sumLast(torch.log(self.covDiag)) * 0.5
end

function LowRankMultivariateNormal:_logProb(x)
  local factor, scaled = self:_capacitance()
  local off = x - self.loc
  local z = matrices.times(torch.inverse(factor), matrices.times(scaled, off))
  local distance = weights.sumLast(torch.cdiv(torch.square(off), self.covDiag)) - weights.sumLast(torch.square(z))
  return distance * -0.5 - self:_halfLogDet(factor) - 0.5 * self.eventShape[1] * math.log(2 * math.pi)
end

function LowRankMultivariateNormal:entropy()
  return self:_halfLogDet((self:_capacitance())) + 0.5 * self.eventShape[1] * (1 + math.log(2 * math.pi))
end

function LowRankMultivariateNormal:mean() return self.loc end
function LowRankMultivariateNormal:mode() return self.loc end
function LowRankMultivariateNormal:variance() return weights.sumLast(torch.square(self.covFactor)) + self.covDiag end
function LowRankMultivariateNormal:support() return constraints.realVector end

return LowRankMultivariateNormal
