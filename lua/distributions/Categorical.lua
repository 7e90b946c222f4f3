--- Categorical distribution: a class from 1 to the number of probabilities. Samples are LongTensors.
-- @classmod distributions.Categorical
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local weights = require 'distributions.weights'
local shapes = require 'distributions.shapes'
require 'distributions.Distribution'

local Categorical = torch.class('distributions.Categorical', 'distributions.Distribution')

--- @tparam[opt] number|torch.Tensor probs probabilities; or a table of options
-- @tparam[opt] number|torch.Tensor logits logarithms of the probabilities, up to a constant, instead of probs
-- @tparam[opt] table options `probs`, `logits`, `validateArgs`
function Categorical:__init(probs, logits, options)
  self:_declareWeights({}, {}, probs, logits, options, weights.vector)
end

Categorical._derive = weights.deriveVector
Categorical.entropy = weights.entropy

function Categorical:_draw(sizes)
  local count = self.probs:size(self.probs:dim())
  local flat = self:_spreadWeights(self.probs, sizes):contiguous():view(-1, count)
  if flat:size(1) == 0 then return torch.LongTensor():resize(torch.LongStorage(sizes)) end
  return torch.multinomial(flat, 1, true):view(torch.LongStorage(sizes))
end

-- Expands weights of classes to sizes of values.
function Categorical:_spreadWeights(x, sizes) return x:expand(unpack(shapes.join(sizes, { x:size(x:dim()) }))) end

function Categorical:_logProb(x)
  local sizes = shapes.ofTensor(shapes.broadcast(x:size():totable(), self.batchShape))
  local positions = x:expand(unpack(sizes)):long():contiguous()
  local last = #sizes + 1
  positions = positions:view(torch.LongStorage(shapes.join(sizes, { 1 })))
  return torch.gather(self:_spreadWeights(self.logits, sizes), last, positions):squeeze(last)
end

-- The probabilities of classes up to each one, the last 1, for values of these sizes.
function Categorical:_sums(sizes)
  local sums = torch.cumsum(self.probs, self.probs:dim())
  return self:_spreadWeights(torch.cdiv(sums, sums:narrow(sums:dim(), sums:size(sums:dim()), 1)), sizes)
end

function Categorical:_cdf(x)
  local sizes = x:size():totable()
  local positions = x:long():contiguous():view(torch.LongStorage(shapes.join(sizes, { 1 })))
  return torch.gather(self:_sums(sizes), #sizes + 1, positions):squeeze(#sizes + 1)
end

function Categorical:_icdf(p)
  local sizes = p:size():totable()
  local below = torch.lt(self:_sums(sizes):detach(), p:detach():unsqueeze(#sizes + 1))
  return weights.sumLast(below:typeAs(p)) + 1
end

function Categorical:mean() return torch.mul(weights.sumLast(self.probs):detach(), 0 / 0) end
function Categorical:mode() return weights.last(select(2, torch.max(self.probs:detach(), self.probs:dim()))) end
function Categorical:variance() return self:mean() end
function Categorical:support() return constraints.integerInterval(1, self.probs:size(self.probs:dim())) end
function Categorical:enumerateSupport() return weights.enumerate(self, 1, self.probs:size(self.probs:dim())) end

return Categorical
