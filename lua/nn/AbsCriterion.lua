--- Mean of |input - target|, whose gradient where both are equal is that of larger inputs.
-- @classmod nn.AbsCriterion
local torch = require 'torch'

return (require 'nn.support.pairwise'('nn.AbsCriterion', function(input, target)
  local difference = torch.csub(input, target)
  return torch.where(torch.ge(difference, 0), difference, torch.neg(difference))
end))
