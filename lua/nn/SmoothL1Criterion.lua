--- Mean of d^2 / 2 where |d| < 1, else |d| - 1/2, d being input - target.
-- Source: Girshick (2015), "Fast R-CNN", ICCV, eq. 3.
-- @classmod nn.SmoothL1Criterion
local torch = require 'torch'

return (require 'nn.support.pairwise'('nn.SmoothL1Criterion', function(input, target)
  local difference = torch.csub(input, target)
  local size = torch.abs(difference)
  return torch.where(torch.lt(size, 1), torch.mul(torch.cmul(difference, difference), 0.5), torch.add(size, -0.5))
end))
