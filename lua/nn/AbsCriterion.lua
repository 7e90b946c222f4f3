--- Mean of |input - target|. The gradient at input = target is that for larger inputs.
-- @classmod nn.AbsCriterion
local nn, pairwise = require 'nn', require 'nn.support.pairwise'

--- @tparam[opt=true] boolean sizeAverage
local AbsCriterion = nn.declare(pairwise {
  name = 'nn.AbsCriterion',
  terms = 'where(ge(csub(input, target), 0), csub(input, target), neg(csub(input, target)))',
  samples = { { 'AbsCriterion()', { 4, 3 }, { 4, 3 } } },
})

return AbsCriterion
