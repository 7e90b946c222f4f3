--- Categorical distribution with vectors of probabilities as values, which approach one-hot vectors as the temperature decreases:
-- Maddison, Mnih & Teh (2017), "The Concrete Distribution".
-- @classmod distributions.RelaxedOneHotCategorical
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local weights = require 'distributions.weights'
require 'distributions.Distribution'

local RelaxedOneHotCategorical = torch.class('distributions.RelaxedOneHotCategorical', 'distributions.Distribution')
RelaxedOneHotCategorical.hasRsample = true

--- @tparam number|torch.Tensor temperature above 0
-- @tparam[opt] number|torch.Tensor probs probabilities; or a table of options
-- @tparam[opt] number|torch.Tensor logits logarithms of the probabilities, up to a constant, instead of probs
-- @tparam[opt] table options `probs`, `logits`, `validateArgs`
function RelaxedOneHotCategorical:__init(temperature, probs, logits, options)
  self:_declareWeights({ { 'temperature', constraints.positive } }, { temperature }, probs, logits, options, weights.vector)
end

RelaxedOneHotCategorical._derive = weights.deriveEvent

function RelaxedOneHotCategorical:_wide() return weights.column(self, self.temperature) end

function RelaxedOneHotCategorical:_draw(sizes)
  local gumbel = -torch.log(-torch.log(self:_uniform(sizes)))
  return torch.softmax(torch.cdiv(self.logits + gumbel, self:_wide()), #sizes)
end

function RelaxedOneHotCategorical:_logProb(x)
  local n, logX = self.eventShape[1], torch.log(x)
  local score = self.logits - torch.cmul(logX, self:_wide())
  local terms = score - torch.logsumexp(score, score:dim()) - logX
  return weights.sumLast(terms) + torch.log(self.temperature) * (n - 1) + torch.lgamma(torch.DoubleTensor { n }):item()
end

function RelaxedOneHotCategorical:support() return constraints.simplex end

return RelaxedOneHotCategorical
