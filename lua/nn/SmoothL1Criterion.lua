--- Mean of d^2 / 2 where |d| < 1, else |d| - 1/2, with d = input - target.
-- As one product: m (d - m / 2), where m is d clamped to -1 and 1.
-- Source: Girshick (2015), "Fast R-CNN", ICCV, eq. 3.
-- @classmod nn.SmoothL1Criterion
local nn, pairwise = require 'nn', require 'nn.support.pairwise'

--- @tparam[opt=true] boolean sizeAverage
local SmoothL1Criterion = nn.declare(pairwise {
  name = 'nn.SmoothL1Criterion',
  terms = 'cmul(clamp(csub(input, target), -1, 1), csub(csub(input, target), mul(clamp(csub(input, target), -1, 1), 0.5)))',
  samples = { { 'SmoothL1Criterion()', { 4, 3 }, { 4, 3 } }, { 'SmoothL1Criterion(false)', { 4, 3 }, { 4, 3 } } },
})

return SmoothL1Criterion
