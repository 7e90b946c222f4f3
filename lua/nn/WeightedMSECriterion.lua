--- nn.MSECriterion with targets that are multiplied by weights; the input is not.
-- @classmod nn.WeightedMSECriterion
local torch = require 'torch'
require 'nn'

local WeightedMSECriterion, parent = torch.class('nn.WeightedMSECriterion', 'nn.MSECriterion')

--- @tparam torch.Tensor weight of a sample's size; copied
function WeightedMSECriterion:__init(weight)
  parent.__init(self)
  self.weight = weight:clone()
end

function WeightedMSECriterion:compute(input, target)
  self.buffer = torch.cmul(target, self.weight):detach()
  return parent.compute(self, input, self.buffer)
end

return WeightedMSECriterion
