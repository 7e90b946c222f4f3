--- Kullback-Leibler divergence: mean of t (log t - x) over the elements, where t > 0, x being log probabilities.
-- @classmod nn.DistKLDivCriterion
local torch = require 'torch'

local DistKLDivCriterion, parent = require 'nn.support.pairwise'('nn.DistKLDivCriterion', function(input, target)
  local positive = torch.gt(target, 0)
  local logarithm = torch.log(torch.where(positive, target, 1))
  return torch.where(positive, torch.cmul(target, torch.csub(logarithm, input)), 0)
end, 'input and target should have the same size')

function DistKLDivCriterion:__init()
  parent.__init(self)
  self.sizeAverage = true
end

return DistKLDivCriterion
