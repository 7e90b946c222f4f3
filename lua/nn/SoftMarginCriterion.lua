--- Mean of log(1 + e^(-input target)), the target's elements being 1 or -1.
-- @classmod nn.SoftMarginCriterion
local torch = require 'torch'

return (require 'nn.support.pairwise'('nn.SoftMarginCriterion', function(input, target)
  return torch.softplus(torch.neg(torch.cmul(input, target)))
end))
