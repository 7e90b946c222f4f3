--- Binomial distribution: the number of successes in totalCount trials.
-- @classmod distributions.Binomial
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local weights = require 'distributions.weights'
local check, counts = require 'torch.check', require 'distributions.counts'
local discreteQuantile = require 'distributions.discrete_quantile'
require 'distributions.Distribution'

local Binomial = torch.class('distributions.Binomial', 'distributions.Distribution')

--- @tparam[opt=1] number|torch.Tensor totalCount number of trials, 0 or more; or a table of options
-- @tparam[opt] number|torch.Tensor probs probabilities; or a table of options
-- @tparam[opt] number|torch.Tensor logits logarithms of the odds, instead of probs
-- @tparam[opt] table options `totalCount`, `probs`, `logits`, `validateArgs`
function Binomial:__init(totalCount, probs, logits, options)
  self:_declareWeights({ { 'totalCount', constraints.nonnegativeInteger, 1 } }, { totalCount }, probs, logits, options, weights.number)
end

Binomial._derive = weights.derive

function Binomial:_draw(sizes) return counts.binomial(self.totalCount:expand(unpack(sizes)), self.probs:expand(unpack(sizes))) end

function Binomial:_logProb(x)
  local n = self.totalCount
  return torch.cmul(x, self.logits) - torch.cmul(n, torch.softplus(self.logits)) - torch.log(n + 1) - torch.betaln(x + 1, n - x + 1)
end

function Binomial:_cdf(x)
  local k = torch.floor(x)
  local rest = self.totalCount - k
  local isAll = torch.le(rest, 0)
  return torch.where(isAll, 1, torch.betainc(torch.where(isAll, 1, rest), k + 1, 1 - self.probs))
end

function Binomial:_icdf(p) return discreteQuantile(self, p, 0, self.totalCount) end

function Binomial:entropy()
  local logs = self:_logProb(self:enumerateSupport())
  return -weights.sumFirst(torch.cmul(torch.exp(logs), logs))
end

function Binomial:mean() return torch.cmul(self.totalCount, self.probs) end
function Binomial:mode() return torch.cmin(torch.floor(torch.cmul(self.totalCount + 1, self.probs)), self.totalCount) end
function Binomial:variance() return torch.cmul(self:mean(), 1 - self.probs) end
function Binomial:support() return constraints.integerInterval(0, self.totalCount) end

function Binomial:enumerateSupport()
  local most = self.totalCount:max()
  if self.totalCount:min() ~= most then
    check.raise('distributions.Binomial:enumerateSupport: totalCount: different counts, expected equal ones')
  end
  return weights.enumerate(self, 0, most)
end

return Binomial
