--- Dirichlet distribution: vectors of probabilities with the density prod x_i^(a_i - 1) / B(a). Samples are gamma variates divided by their
-- sum, with implicit gradients.
-- @classmod distributions.Dirichlet
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local weights = require 'distributions.weights'
local gammaSamples = require 'distributions.gamma_samples'
require 'distributions.ExponentialFamily'

local sumLast = weights.sumLast
local Dirichlet = torch.class('distributions.Dirichlet', 'distributions.ExponentialFamily')
Dirichlet.hasRsample = true

--- @tparam torch.Tensor concentration a, ..., k, above 0
-- @tparam[opt] table options `validateArgs`
function Dirichlet:__init(concentration, options)
  self:_declare({ { 'concentration', constraints.independent(constraints.positive, 1) } }, { concentration }, options)
  self.eventShape = { self.concentration:size(self.concentration:dim()) }
end

function Dirichlet:_draw(sizes) return torch.softmax(gammaSamples.logSample(self.concentration:expand(unpack(sizes))), #sizes) end
function Dirichlet:_total() return torch.sum(self.concentration, self.concentration:dim()) end

-- The logarithm of the multivariate beta function.
function Dirichlet:_logBeta() return sumLast(torch.lgamma(self.concentration)) - weights.last(torch.lgamma(self:_total())) end

function Dirichlet:_logProb(x) return sumLast(torch.xlogy(self.concentration - 1, x)) - self:_logBeta() end

function Dirichlet:entropy()
  local a, total = self.concentration, weights.last(self:_total())
  return self:_logBeta() + torch.cmul(total - a:size(a:dim()), torch.digamma(total)) - sumLast(torch.cmul(a - 1, torch.digamma(a)))
end

function Dirichlet:mean() return torch.cdiv(self.concentration, self:_total()) end

function Dirichlet:mode()
  local a = torch.clamp(self.concentration - 1, 0, math.huge)
  return torch.cdiv(a, torch.sum(a, a:dim()))
end

function Dirichlet:variance()
  local mean = self:mean()
  return torch.cdiv(torch.cmul(mean, 1 - mean), self:_total() + 1)
end

function Dirichlet:support() return constraints.simplex end

return Dirichlet
