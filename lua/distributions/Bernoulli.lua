--- Bernoulli distribution: 1 with a probability, else 0.
-- @classmod distributions.Bernoulli
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local weights = require 'distributions.weights'
require 'distributions.ExponentialFamily'

local Bernoulli = torch.class('distributions.Bernoulli', 'distributions.ExponentialFamily')

--- @tparam[opt] number|torch.Tensor probs probabilities; or a table of options
-- @tparam[opt] number|torch.Tensor logits logarithms of the odds, instead of probs
-- @tparam[opt] table options `probs`, `logits`, `validateArgs`
function Bernoulli:__init(probs, logits, options)
  self:_declareWeights({}, {}, probs, logits, options, weights.number)
end

Bernoulli._derive = weights.derive

function Bernoulli:_draw(sizes) return torch.lt(self:_empty(sizes):uniform(), self.probs):typeAs(self.probs) end
function Bernoulli:_logProb(x) return torch.cmul(x, self.logits) - torch.softplus(self.logits) end
function Bernoulli:_cdf(x) return torch.cmul(1 - self.probs, 1 - x) + x end
function Bernoulli:_icdf(p) return torch.gt(p, 1 - self.probs):typeAs(p) end
function Bernoulli:entropy() return torch.softplus(self.logits) - torch.cmul(self.probs, self.logits) end
function Bernoulli:mean() return self.probs end
function Bernoulli:mode() return torch.where(torch.eq(self.probs, 0.5), 0 / 0, torch.gt(self.probs, 0.5):typeAs(self.probs)) end
function Bernoulli:variance() return torch.cmul(self.probs, 1 - self.probs) end
function Bernoulli:support() return constraints.boolean end
function Bernoulli:enumerateSupport() return weights.enumerate(self, 0, 1) end

return Bernoulli
