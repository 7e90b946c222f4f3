--- Beta distribution: density x^(a - 1) (1 - x)^(b - 1) / B(a, b). Samples have gradients by implicit reparameterisation.
-- @classmod distributions.Beta
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local gammaSamples = require 'distributions.gamma_samples'
local noGrad = require('autograd.mode').noGrad
require 'distributions.ExponentialFamily'

local Beta = torch.class('distributions.Beta', 'distributions.ExponentialFamily')
Beta.hasRsample = true

--- @tparam number|torch.Tensor concentration1 a, above 0
-- @tparam number|torch.Tensor concentration0 b, above 0
-- @tparam[opt] table options `validateArgs`
function Beta:__init(concentration1, concentration0, options)
  local declared = { { 'concentration1', constraints.positive }, { 'concentration0', constraints.positive } }
  self:_declare(declared, { concentration1, concentration0 }, options)
end

function Beta:_draw(sizes)
  local logOdds = noGrad(function()
    local a, b = self.concentration1:expand(unpack(sizes)), self.concentration0:expand(unpack(sizes))
    return gammaSamples.logSample(a) - gammaSamples.logSample(b)
  end)
  return self:_implicit(self._inside(torch.sigmoid(logOdds)))
end

function Beta:_logProb(x)
  local a, b = self.concentration1, self.concentration0
  return torch.xlogy(a - 1, x) + torch.xlogy(b - 1, 1 - x) - torch.betaln(a, b)
end

function Beta:_cdf(x) return torch.betainc(self.concentration1, self.concentration0, x) end

function Beta:_icdf(p)
  return self:_quantile(p, noGrad(function() return torch.betaincinv(self.concentration1, self.concentration0, p) end))
end

function Beta:entropy()
  local a, b = self.concentration1, self.concentration0
  return torch.betaln(a, b) - torch.cmul(a - 1, torch.digamma(a)) - torch.cmul(b - 1, torch.digamma(b))
    + torch.cmul(a + b - 2, torch.digamma(a + b))
end

function Beta:mean() return torch.cdiv(self.concentration1, self.concentration1 + self.concentration0) end

function Beta:mode()
  local a, b = self.concentration1, self.concentration0
  local value = torch.cdiv(a - 1, a + b - 2)
  local edge = torch.where(torch.eq(a, b), 0 / 0, torch.gt(a, b):typeAs(a))
  return torch.where(torch.gt(torch.lt(a, 1) + torch.lt(b, 1) + torch.eq(a + b, 2), 0), edge, value)
end

function Beta:variance()
  local a, b = self.concentration1, self.concentration0
  local total = a + b
  return torch.cdiv(torch.cmul(a, b), torch.cmul(torch.square(total), total + 1))
end

function Beta:support() return constraints.unitInterval end

return Beta
