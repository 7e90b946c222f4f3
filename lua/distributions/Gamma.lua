--- Gamma distribution: density rate^concentration x^(concentration - 1) exp(-rate x) / gamma(concentration) for x above 0.
-- Samples have gradients by implicit reparameterisation.
-- @classmod distributions.Gamma
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local gammaSamples = require 'distributions.gamma_samples'
local noGrad = require('autograd.mode').noGrad
require 'distributions.ExponentialFamily'

local Gamma = torch.class('distributions.Gamma', 'distributions.ExponentialFamily')
Gamma.hasRsample = true

--- @tparam number|torch.Tensor concentration shape, above 0
-- @tparam number|torch.Tensor rate inverse of the scale, above 0
-- @tparam[opt] table options `validateArgs`
function Gamma:__init(concentration, rate, options)
  self:_declare({ { 'concentration', constraints.positive }, { 'rate', constraints.positive } }, { concentration, rate }, options)
end

function Gamma:_draw(sizes)
  local logs = gammaSamples.logSample(self.concentration:expand(unpack(sizes)))
  return torch.exp(logs - torch.log(self.rate))
end

function Gamma:_logProb(x)
  return torch.cmul(self.concentration, torch.log(self.rate)) + torch.xlogy(self.concentration - 1, x) - torch.cmul(self.rate, x)
    - torch.lgamma(self.concentration)
end

function Gamma:_cdf(x) return torch.gammainc(self.concentration, torch.cmul(self.rate, x)) end

function Gamma:_icdf(p)
  return self:_quantile(p, noGrad(function() return torch.cdiv(torch.gammaincinv(self.concentration, p), self.rate) end))
end

function Gamma:entropy()
  local a = self.concentration
  return a - torch.log(self.rate) + torch.lgamma(a) + torch.cmul(1 - a, torch.digamma(a))
end

function Gamma:mean() return torch.cdiv(self.concentration, self.rate) end
function Gamma:mode() return torch.cdiv(torch.clamp(self.concentration - 1, 0, math.huge), self.rate) end
function Gamma:variance() return torch.cdiv(self.concentration, torch.square(self.rate)) end
function Gamma:support() return constraints.nonnegative end

return Gamma
