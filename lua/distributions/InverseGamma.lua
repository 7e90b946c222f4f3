--- Inverse gamma distribution: the inverse of a gamma variable; density rate^a / gamma(a) x^(-a - 1) exp(-rate / x).
-- @classmod distributions.InverseGamma
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local gammaSamples = require 'distributions.gamma_samples'
local noGrad = require('autograd.mode').noGrad
require 'distributions.Distribution'

local InverseGamma = torch.class('distributions.InverseGamma', 'distributions.Distribution')
InverseGamma.hasRsample = true

--- @tparam number|torch.Tensor concentration a, above 0
-- @tparam number|torch.Tensor rate scale of the values, above 0
-- @tparam[opt] table options `validateArgs`
function InverseGamma:__init(concentration, rate, options)
  self:_declare({ { 'concentration', constraints.positive }, { 'rate', constraints.positive } }, { concentration, rate }, options)
end

function InverseGamma:_draw(sizes)
  return torch.exp(torch.log(self.rate) - gammaSamples.logSample(self.concentration:expand(unpack(sizes))))
end

function InverseGamma:_logProb(x)
  local a = self.concentration
  return torch.cmul(a, torch.log(self.rate)) - torch.lgamma(a) - torch.cmul(a + 1, torch.log(x)) - torch.cdiv(self.rate, x)
end

function InverseGamma:_cdf(x) return torch.gammaincc(self.concentration, torch.cdiv(self.rate, x)) end

function InverseGamma:_icdf(p)
  return self:_quantile(p, noGrad(function() return torch.cdiv(self.rate, torch.gammainccinv(self.concentration, p)) end))
end

function InverseGamma:entropy()
  local a = self.concentration
  return a + torch.log(self.rate) + torch.lgamma(a) - torch.cmul(a + 1, torch.digamma(a))
end

function InverseGamma:mean() return torch.cdiv(self.rate, torch.clamp(self.concentration - 1, 0, math.huge)) end
function InverseGamma:mode() return torch.cdiv(self.rate, self.concentration + 1) end

function InverseGamma:variance()
  local a = torch.clamp(self.concentration, 2, math.huge)
  return torch.cdiv(torch.square(self.rate), torch.cmul(torch.square(a - 1), a - 2))
end

function InverseGamma:support() return constraints.positive end

return InverseGamma
