--- Probabilities of discrete distributions, given as such or as logits.
-- @module distributions.weights
local torch = require 'torch'
local constraints, shapes = require 'distributions.constraints', require 'distributions.shapes'

local weights = {}

local nonnegativeVector = constraints.independent(constraints.nonnegative, 1)

--- Constraints of one probability and its logit.
weights.number = { probs = constraints.unitInterval, logits = constraints.real }
--- Constraints of a probability above 0 and its logit.
weights.positiveNumber = { probs = constraints.halfOpenFromZero, logits = constraints.real }
--- Constraints of the probabilities of classes, up to a factor, and of their logarithms, up to a constant.
weights.vector = { probs = nonnegativeVector, logits = constraints.independent(constraints.real, 1) }

-- The distance from 0 and 1 that probabilities have as logits.
local function margin(x) return x:type() == 'torch.DoubleTensor' and 2 ^ -52 or 2 ^ -23 end

--- Sets the logits from the probabilities, or the reverse.
function weights.derive(self)
  if self._given == 'probs' then
    local p = torch.clamp(self.probs, margin(self.probs), 1 - margin(self.probs))
    self.logits = torch.log(p) - torch.log1p(-p)
  else
    self.probs = torch.sigmoid(self.logits)
  end
end

--- Normalises the probabilities or logits of classes, and sets the others.
function weights.deriveVector(self)
  local x = self[self._given]
  local last = x:dim()
  if self._given == 'probs' then
    self.probs = torch.cdiv(x, torch.sum(x, last))
    self.logits = torch.log(torch.clamp(self.probs, margin(x), 1 - margin(x)))
  else
    self.logits = x - torch.logsumexp(x, last)
    self.probs = torch.softmax(x, last)
  end
end

--- Does the same, and sets eventShape, for values with one element per class.
function weights.deriveEvent(self)
  weights.deriveVector(self)
  self.eventShape = { self.probs:size(self.probs:dim()) }
end

--- The entropy of a class drawn with these probabilities.
-- @treturn torch.Tensor
function weights.entropy(self) return -weights.sumLast(torch.where(torch.gt(self.probs, 0), torch.cmul(self.probs, self.logits), 0)) end

--- Removes the last dimension, of size 1, unless it is the only one.
-- @tparam torch.Tensor x
-- @treturn torch.Tensor
function weights.last(x) return x:dim() > 1 and x:squeeze(x:dim()) or x end

--- Sums over the last dimensions, and removes them.
-- @tparam torch.Tensor x
-- @int[opt=1] dims
-- @treturn torch.Tensor
function weights.sumLast(x, dims)
  for _ = 1, dims or 1 do x = weights.last(torch.sum(x, x:dim())) end
  return x
end

--- Adds a last dimension to a parameter of numbers, unless the distribution is a single one.
-- @tparam distributions.Distribution self
-- @tparam torch.Tensor x
-- @treturn torch.Tensor
function weights.column(self, x) return #self.batchShape == 0 and x or x:unsqueeze(x:dim() + 1) end

--- Sums over the first dimension, and removes it.
-- @tparam torch.Tensor x
-- @treturn torch.Tensor
function weights.sumFirst(x)
  local total = torch.sum(x, 1)
  return x:dim() > 1 and total:squeeze(1) or total
end

--- All integers between two numbers, for each distribution of a batch.
-- @tparam distributions.Distribution self
-- @int first
-- @int last
-- @treturn torch.Tensor
function weights.enumerate(self, first, last)
  local count = last - first + 1
  local ones = shapes.ones(#self.batchShape)
  local values = torch.range(first, last):type(self:_type()):view(torch.LongStorage(shapes.join({ count }, ones)))
  return #ones == 0 and values or values:expand(unpack(shapes.join({ count }, self.batchShape)))
end

return weights
