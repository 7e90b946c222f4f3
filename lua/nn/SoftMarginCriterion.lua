--- Mean of log(1 + e^(-input target)); the target's elements are 1 or -1.
-- @classmod nn.SoftMarginCriterion
local nn, pairwise = require 'nn', require 'nn.support.pairwise'

--- @tparam[opt=true] boolean sizeAverage
local SoftMarginCriterion = nn.declare(pairwise {
  name = 'nn.SoftMarginCriterion',
  terms = 'softplus(neg(cmul(input, target)))',
  samples = { { 'SoftMarginCriterion()', { 4 }, 'torch.DoubleTensor { 1, -1, -1, 1 }' } },
})

return SoftMarginCriterion
