--- Geometric distribution: probability (1 - p)^k p of k = 0, 1, ... failures before the first success.
-- @classmod distributions.Geometric
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local weights = require 'distributions.weights'
require 'distributions.Distribution'

local Geometric = torch.class('distributions.Geometric', 'distributions.Distribution')

--- @tparam[opt] number|torch.Tensor probs probabilities; or a table of options
-- @tparam[opt] number|torch.Tensor logits logarithms of the probabilities, up to a constant, instead of probs
-- @tparam[opt] table options `probs`, `logits`, `validateArgs`
function Geometric:__init(probs, logits, options)
  self:_declareWeights({}, {}, probs, logits, options, weights.positiveNumber)
end

Geometric._derive = weights.derive

function Geometric:_draw(sizes) return torch.floor(torch.cdiv(torch.log(self:_uniform(sizes)), torch.log1p(-self.probs))) end
function Geometric:_logProb(x) return torch.xlogy(x, 1 - self.probs) + torch.log(self.probs) end
function Geometric:_cdf(x) return -torch.expm1(torch.cmul(torch.floor(x) + 1, torch.log1p(-self.probs))) end

-- The quotient is rounded, so the smallest k with enough probability is this one or the one before.
function Geometric:_icdf(p)
  local k = torch.clamp(torch.ceil(torch.cdiv(torch.log1p(-p), torch.log1p(-self.probs))) - 1, 0, math.huge)
  local before = torch.clamp(k - 1, 0, math.huge)
  return torch.where(torch.ge(self:_cdf(before), p), before, k):detach()
end

function Geometric:entropy() return torch.cdiv(torch.softplus(self.logits) - torch.cmul(self.probs, self.logits), self.probs) end
function Geometric:mean() return torch.cinv(self.probs) - 1 end
function Geometric:mode() return torch.mul(self.probs, 0) end
function Geometric:variance() return torch.cdiv(torch.cinv(self.probs) - 1, self.probs) end
function Geometric:support() return constraints.nonnegativeInteger end

return Geometric
