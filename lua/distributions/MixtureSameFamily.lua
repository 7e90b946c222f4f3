--- Mixture of distributions of one class: a categorical distribution selects one of the last batch dimension of the components.
-- @classmod distributions.MixtureSameFamily
local torch = require 'torch'
local check, shapes = require 'torch.check', require 'distributions.shapes'
local weights = require 'distributions.weights'
require 'distributions.Distribution'

local MixtureSameFamily = torch.class('distributions.MixtureSameFamily', 'distributions.Distribution')

--- @tparam distributions.Categorical mixture
-- @tparam distributions.Distribution component its batch has one dimension more, of the number of classes
-- @raise if the batches don't match
function MixtureSameFamily:__init(mixture, component)
  local where = 'distributions.MixtureSameFamily'
  check.that(torch.isTypeOf(mixture, 'distributions.Categorical'),
    ('%s: mixture: a %s, expected a distributions.Categorical'):format(where, torch.type(mixture)))
  check.that(torch.isTypeOf(component, 'distributions.Distribution'),
    ('%s: component: a %s, expected a distribution'):format(where, torch.type(component)))
  local wanted = shapes.join(mixture.batchShape, { mixture.probs:size(mixture.probs:dim()) })
  local batch = component.batchShape
  local own = shapes.part(batch, math.max(1, #batch - #wanted + 1), #batch)
  if #batch ~= #wanted or not shapes.equal(own, wanted) then
    check.raise(('%s: component: batchShape %s, expected %s'):format(where, shapes.text(batch), shapes.text(wanted)), 'shape')
  end
  self.mixture, self.component, self._parameters, self._validates = mixture, component, {}, component._validates
  self.batchShape, self.eventShape = mixture.batchShape, component.eventShape
end

function MixtureSameFamily:_spread(batch)
  self.mixture = self.mixture:expand(batch)
  self.component = self.component:expand(shapes.join(batch, { self.mixture.probs:size(self.mixture.probs:dim()) }))
  self.batchShape = batch
end

function MixtureSameFamily:_type() return self.component:_type() end

function MixtureSameFamily:_draw(_, lead)
  local count, event = self.mixture.probs:size(self.mixture.probs:dim()), self.component.eventShape
  local batch = shapes.join(lead, self.batchShape)
  local all = self.component:_draw(shapes.join(batch, { count }, event), lead)
  local chosen = self.mixture:_draw(shapes.ofTensor(batch), lead)
  local positions = chosen:view(torch.LongStorage(shapes.join(batch, shapes.ones(1 + #event))))
  local taken = torch.gather(all, #batch + 1, positions:expand(unpack(shapes.join(batch, { 1 }, event))))
  return #batch + #event > 0 and taken:squeeze(#batch + 1) or taken
end

-- Values with a dimension for the components.
function MixtureSameFamily:_padded(x)
  local single = #self.batchShape == 0 and x:dim() == #self.eventShape
  return single and x or x:unsqueeze(x:dim() - #self.eventShape + 1)
end

function MixtureSameFamily:_logProb(x)
  local logs = self.component:_logProb(self:_padded(x)) + self.mixture.logits
  return weights.last(torch.logsumexp(logs, logs:dim()))
end

function MixtureSameFamily:_cdf(x)
  if not self.component._cdf then return self.component:cdf(x) end
  return weights.sumLast(torch.cmul(self.component:_cdf(self:_padded(x)), self.mixture.probs))
end

-- The mean over components.
function MixtureSameFamily:_average(x)
  local p = self.mixture.probs
  for _ = 1, #self.eventShape do p = p:unsqueeze(p:dim() + 1) end
  local dim = x:dim() - #self.eventShape
  local total = torch.sum(torch.cmul(x, p), dim)
  return x:dim() > 1 and total:squeeze(dim) or total
end

function MixtureSameFamily:mean() return self:_average(self.component:mean()) end

function MixtureSameFamily:variance()
  return self:_average(self.component:variance() + torch.square(self.component:mean())) - torch.square(self:mean())
end

function MixtureSameFamily:support() return self.component:support() end

return MixtureSameFamily
