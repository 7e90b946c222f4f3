--- Negative binomial distribution: the number of successes before totalCount failures, which may be a fraction.
-- @classmod distributions.NegativeBinomial
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local weights = require 'distributions.weights'
local counts, discreteQuantile = require 'distributions.counts', require 'distributions.discrete_quantile'
local gammaSamples = require 'distributions.gamma_samples'
require 'distributions.Distribution'

local NegativeBinomial = torch.class('distributions.NegativeBinomial', 'distributions.Distribution')

--- @tparam number|torch.Tensor totalCount number of failures, above 0
-- @tparam[opt] number|torch.Tensor probs probabilities; or a table of options
-- @tparam[opt] number|torch.Tensor logits logarithms of the odds, instead of probs
-- @tparam[opt] table options `probs`, `logits`, `validateArgs`
function NegativeBinomial:__init(totalCount, probs, logits, options)
  self:_declareWeights({ { 'totalCount', constraints.positive } }, { totalCount }, probs, logits, options, weights.number)
end

NegativeBinomial._derive = weights.derive

function NegativeBinomial:_draw(sizes)
  local logs = gammaSamples.logSample(self.totalCount:expand(unpack(sizes)))
  return counts.poisson(torch.exp(logs + self.logits))
end

function NegativeBinomial:_logProb(x)
  local n = self.totalCount
  return -torch.log(n + x) - torch.betaln(n, x + 1) - torch.cmul(n, torch.softplus(self.logits))
    - torch.cmul(x, torch.softplus(-self.logits))
end

function NegativeBinomial:_cdf(x) return torch.betainc(self.totalCount, torch.floor(x) + 1, 1 - self.probs) end
function NegativeBinomial:_icdf(p) return discreteQuantile(self, p, 0) end
function NegativeBinomial:mean() return torch.cmul(self.totalCount, torch.exp(self.logits)) end

function NegativeBinomial:mode() return torch.floor(torch.clamp(torch.cmul(self.totalCount - 1, torch.exp(self.logits)), 0, math.huge)) end

function NegativeBinomial:variance() return torch.cdiv(self:mean(), 1 - self.probs) end
function NegativeBinomial:support() return constraints.nonnegativeInteger end

return NegativeBinomial
