--- Mean of d^2 / 2 where |d| < 1, else |d| - 1/2, d being input - target.
-- Source: Girshick (2015), "Fast R-CNN", ICCV, eq. 3.
-- @classmod nn.SmoothL1Criterion
local torch, nn, pairwise = require 'torch', require 'nn', require 'nn.support.pairwise'

--- @tparam[opt=true] boolean sizeAverage
return (nn.declare(pairwise {
  name = 'nn.SmoothL1Criterion',
  terms = function(input, target)
    local difference = torch.csub(input, target)
    local size = torch.abs(difference)
    return torch.where(torch.lt(size, 1), torch.mul(torch.cmul(difference, difference), 0.5), torch.add(size, -0.5))
  end,
  samples = { { 'SmoothL1Criterion()', { 4, 3 }, { 4, 3 } }, { 'SmoothL1Criterion(false)', { 4, 3 }, { 4, 3 } } },
}))
