--- Categorical distribution over vectors of zeros and a single 1.
-- @classmod distributions.OneHotCategorical
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local weights = require 'distributions.weights'
local shapes = require 'distributions.shapes'
require 'distributions.Distribution'

local OneHotCategorical = torch.class('distributions.OneHotCategorical', 'distributions.Distribution')

--- @tparam[opt] number|torch.Tensor probs probabilities; or a table of options
-- @tparam[opt] number|torch.Tensor logits logarithms of the probabilities, up to a constant, instead of probs
-- @tparam[opt] table options `probs`, `logits`, `validateArgs`
function OneHotCategorical:__init(probs, logits, options)
  self:_declareWeights({}, {}, probs, logits, options, weights.vector)
end

OneHotCategorical._derive = weights.deriveEvent
OneHotCategorical.entropy = weights.entropy

function OneHotCategorical:_draw(sizes)
  local count = self.eventShape[1]
  local flat = self.probs:detach():expand(unpack(sizes)):contiguous()
  local result = self:_empty(sizes):zero()
  if result:nElement() == 0 then return result end
  local positions = torch.multinomial(flat:view(-1, count), 1, true)
  result:view(-1, count):scatter(2, positions, 1)
  return result
end

function OneHotCategorical:_logProb(x) return weights.sumLast(torch.cmul(x, self.logits)) end

function OneHotCategorical:mean() return self.probs end

function OneHotCategorical:mode()
  local p = self.probs:detach()
  return torch.zeros(p:size()):typeAs(p):scatter(p:dim(), select(2, torch.max(p, p:dim())), 1)
end

function OneHotCategorical:variance() return torch.cmul(self.probs, 1 - self.probs) end
function OneHotCategorical:support() return constraints.oneHot end

function OneHotCategorical:enumerateSupport()
  local n, ones = self.eventShape[1], shapes.ones(#self.batchShape)
  local values = torch.eye(n):type(self:_type()):view(torch.LongStorage(shapes.join({ n }, ones, { n })))
  return values:expand(unpack(shapes.join({ n }, self.batchShape, { n })))
end

return OneHotCategorical
