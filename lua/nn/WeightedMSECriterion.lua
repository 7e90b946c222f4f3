--- nn.MSECriterion that multiplies the targets, but not the input, by weights.
-- @classmod nn.WeightedMSECriterion
local nn, pairwise = require 'nn', require 'nn.support.pairwise'

local WeightedMSECriterion, parent = nn.declare(pairwise {
  name = 'nn.WeightedMSECriterion', parent = 'nn.MSECriterion',
  terms = 'square(csub(input, target))', target = 'cmul(target, weight)',
  samples = { { 'WeightedMSECriterion(torch.DoubleTensor { 1, 2, 3 })', { 4, 3 }, { 4, 3 } } },
})

--- @tparam torch.Tensor weight of a sample's size; copied
function WeightedMSECriterion:__init(weight)
  parent.__init(self)
  self.weight = weight:clone()
end

return WeightedMSECriterion
