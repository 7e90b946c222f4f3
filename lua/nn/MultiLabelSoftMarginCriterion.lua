--- Mean of w (log(1 + e^x) - x t) over the elements: the cross entropy of independent labels t, 0 or 1, from scores x.
-- @classmod nn.MultiLabelSoftMarginCriterion
local torch, check = require 'torch', require 'torch.check'
local nn = require 'nn'

local Criterion, parent = require 'nn.support.pairwise'('nn.MultiLabelSoftMarginCriterion', function(input, target, criterion)
  local terms = torch.csub(torch.softplus(input), torch.cmul(input, target))
  return criterion.weights and torch.cmul(terms, criterion.weights) or terms
end)

--- @tparam[opt] torch.Tensor weights a weight a label
-- @tparam[opt=true] boolean sizeAverage
function Criterion:__init(weights, sizeAverage)
  parent.__init(self)
  self.weights = check.weights(weights)
  self.sizeAverage = sizeAverage == nil or sizeAverage
  self.sigmoid = nn.Sigmoid()
end

return Criterion
