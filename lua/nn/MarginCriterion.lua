--- Mean of max(0, margin - input target), the target's elements being 1 or -1.
-- @classmod nn.MarginCriterion
local torch = require 'torch'

local MarginCriterion, parent = require 'nn.support.pairwise'('nn.MarginCriterion', function(input, target, criterion)
  return torch.relu(torch.rsub(torch.cmul(input, target), criterion.margin))
end)

--- @tparam[opt=1] number margin
function MarginCriterion:__init(margin)
  parent.__init(self)
  self.sizeAverage = true
  self.margin = margin or 1
end

return MarginCriterion
