--- Bernoulli distribution with continuous values between 0 and 1, which approach 0 and 1 as the temperature decreases: Maddison, Mnih & Teh
-- (2017), "The Concrete Distribution".
-- @classmod distributions.RelaxedBernoulli
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local weights = require 'distributions.weights'
require 'distributions.Distribution'

local RelaxedBernoulli = torch.class('distributions.RelaxedBernoulli', 'distributions.Distribution')
RelaxedBernoulli.hasRsample = true

--- @tparam number|torch.Tensor temperature above 0
-- @tparam[opt] number|torch.Tensor probs probabilities; or a table of options
-- @tparam[opt] number|torch.Tensor logits logarithms of the odds, instead of probs
-- @tparam[opt] table options `probs`, `logits`, `validateArgs`
function RelaxedBernoulli:__init(temperature, probs, logits, options)
  self:_declareWeights({ { 'temperature', constraints.positive } }, { temperature }, probs, logits, options, weights.number)
end

RelaxedBernoulli._derive = weights.derive

function RelaxedBernoulli:_draw(sizes)
  local u = self:_uniform(sizes)
  return self._inside(torch.sigmoid(torch.cdiv(torch.log(u) - torch.log1p(-u) + self.logits, self.temperature)))
end

function RelaxedBernoulli:_logProb(x)
  local logX, logRest = torch.log(x), torch.log1p(-x)
  local off = self.logits - torch.cmul(logX - logRest, self.temperature)
  return torch.log(self.temperature) + off - torch.softplus(off) * 2 - logX - logRest
end

function RelaxedBernoulli:_cdf(x) return torch.sigmoid(torch.cmul(torch.log(x) - torch.log1p(-x), self.temperature) - self.logits) end
function RelaxedBernoulli:_icdf(p) return torch.sigmoid(torch.cdiv(torch.log(p) - torch.log1p(-p) + self.logits, self.temperature)) end
function RelaxedBernoulli:support() return constraints.unitInterval end

return RelaxedBernoulli
