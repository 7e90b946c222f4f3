--- Fisher and Snedecor's F distribution: the ratio of two chi-square variables, each divided by its degrees of freedom.
-- Samples have gradients by implicit reparameterisation.
-- @classmod distributions.FisherSnedecor
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local gammaSamples = require 'distributions.gamma_samples'
local noGrad = require('autograd.mode').noGrad
require 'distributions.Distribution'

local FisherSnedecor = torch.class('distributions.FisherSnedecor', 'distributions.Distribution')
FisherSnedecor.hasRsample = true

--- @tparam number|torch.Tensor df1 degrees of freedom of the numerator, above 0
-- @tparam number|torch.Tensor df2 those of the denominator, above 0
-- @tparam[opt] table options `validateArgs`
function FisherSnedecor:__init(df1, df2, options)
  self:_declare({ { 'df1', constraints.positive }, { 'df2', constraints.positive } }, { df1, df2 }, options)
end

function FisherSnedecor:_draw(sizes)
  return self:_implicit(noGrad(function()
    local a, b = self.df1:expand(unpack(sizes)) * 0.5, self.df2:expand(unpack(sizes)) * 0.5
    return torch.exp(gammaSamples.logSample(a) - gammaSamples.logSample(b) + torch.log(torch.cdiv(b, a)))
  end))
end

function FisherSnedecor:_logProb(x)
  local a, b = self.df1 * 0.5, self.df2 * 0.5
  local ratio = torch.cdiv(self.df1, self.df2)
  return torch.cmul(a, torch.log(ratio)) + torch.xlogy(a - 1, x) - torch.cmul(a + b, torch.log1p(torch.cmul(ratio, x)))
    - torch.betaln(a, b)
end

function FisherSnedecor:_cdf(x)
  local scaled = torch.cmul(self.df1, x)
  return torch.betainc(self.df1 * 0.5, self.df2 * 0.5, torch.cdiv(scaled, scaled + self.df2))
end

-- The odds of a beta variable, from the part that is smaller.
function FisherSnedecor:_icdf(p)
  return self:_quantile(p, noGrad(function()
    local a, b, isLow = self.df1 * 0.5, self.df2 * 0.5, torch.lt(p, 0.5)
    local y = torch.betaincinv(torch.where(isLow, a, b), torch.where(isLow, b, a), torch.where(isLow, p, 1 - p))
    local odds = torch.cdiv(y, 1 - y)
    return torch.cmul(torch.where(isLow, odds, torch.cinv(odds)), torch.cdiv(self.df2, self.df1))
  end))
end

function FisherSnedecor:entropy()
  local a, b = self.df1 * 0.5, self.df2 * 0.5
  return torch.betaln(a, b) + torch.cmul(1 - a, torch.digamma(a)) - torch.cmul(b + 1, torch.digamma(b))
    + torch.cmul(a + b, torch.digamma(a + b)) + torch.log(torch.cdiv(b, a))
end

function FisherSnedecor:mean() return torch.where(torch.le(self.df2, 2), 0 / 0, torch.cdiv(self.df2, self.df2 - 2)) end

function FisherSnedecor:mode()
  return torch.where(torch.le(self.df1, 2), 0 / 0, torch.cdiv(torch.cmul(self.df1 - 2, self.df2), torch.cmul(self.df1, self.df2 + 2)))
end

function FisherSnedecor:variance()
  local m, n = self.df1, self.df2
  local value = torch.cdiv(torch.cmul(torch.square(n), m + n - 2) * 2, torch.cmul(torch.cmul(m, torch.square(n - 2)), n - 4))
  return torch.where(torch.le(n, 4), 0 / 0, value)
end

function FisherSnedecor:support() return constraints.nonnegative end

return FisherSnedecor
