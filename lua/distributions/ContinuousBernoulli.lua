--- Continuous Bernoulli distribution: density proportional to p^x (1 - p)^(1 - x) between 0 and 1. Loaiza-Ganem & Cunningham (2019), "The
-- continuous Bernoulli: fixing a pervasive error in variational autoencoders".
-- @classmod distributions.ContinuousBernoulli
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local weights = require 'distributions.weights'
require 'distributions.ExponentialFamily'

local ContinuousBernoulli = torch.class('distributions.ContinuousBernoulli', 'distributions.ExponentialFamily')
ContinuousBernoulli.hasRsample = true

--- @tparam[opt] number|torch.Tensor probs probabilities; or a table of options
-- @tparam[opt] number|torch.Tensor logits logarithms of the odds, instead of probs
-- @tparam[opt] table options `probs`, `logits`, `validateArgs`
function ContinuousBernoulli:__init(probs, logits, options)
  self:_declareWeights({}, {}, probs, logits, options, weights.number)
end

ContinuousBernoulli._derive = weights.derive

-- Returns a formula of the logits and of p, or near p = 1/2, where it cancels, its series in p - 1/2.
function ContinuousBernoulli:_smooth(formula, series, bound)
  local near = torch.lt(torch.abs(self.probs - 0.5), bound or 0.001)
  local p = torch.where(near, 0.25, self.probs)
  return torch.where(near, series(self.probs - 0.5), formula(torch.log(p) - torch.log1p(-p), p))
end

-- The logarithm of the factor that makes the integral 1.
function ContinuousBernoulli:_logFactor()
  return self:_smooth(function(logit, p) return torch.log(torch.cdiv(logit, p * 2 - 1)) end,
    function(d) return torch.square(d) * (4 / 3) + torch.pow(d, 4) * (104 / 45) + math.log(2) end)
end

function ContinuousBernoulli:_draw(sizes) return self:_icdf(self:_uniform(sizes)) end
function ContinuousBernoulli:_logProb(x) return torch.cmul(x, self.logits) - torch.softplus(self.logits) + self:_logFactor() end

function ContinuousBernoulli:_cdf(x)
  return self:_smooth(function(logit) return torch.cdiv(torch.expm1(torch.cmul(logit, x)), torch.expm1(logit)) end,
    function(d) return x - torch.cmul(torch.cmul(x, 1 - x), d) * 2 end, 1e-9)
end

function ContinuousBernoulli:_icdf(u)
  return self:_smooth(function(logit) return torch.cdiv(torch.log1p(torch.cmul(u, torch.expm1(logit))), logit) end,
    function(d) return u + torch.cmul(torch.cmul(u, 1 - u), d) * 2 end, 1e-9)
end

function ContinuousBernoulli:entropy()
  return torch.softplus(self.logits) - self:_logFactor() - torch.cmul(self:mean(), self.logits)
end

function ContinuousBernoulli:mean()
  return self:_smooth(function(logit, p) return torch.cdiv(p, p * 2 - 1) - torch.cinv(logit) end,
    function(d) return d / 3 + torch.pow(d, 3) * (16 / 45) + 0.5 end)
end

function ContinuousBernoulli:variance()
  return self:_smooth(function(logit, p)
    return torch.cdiv(torch.cmul(p, p - 1), torch.square(1 - p * 2)) + torch.pow(logit, -2)
  end, function(d) return torch.square(d) * (-1 / 15) + torch.pow(d, 4) * (128 / 945) + 1 / 12 end)
end

function ContinuousBernoulli:support() return constraints.unitInterval end

return ContinuousBernoulli
