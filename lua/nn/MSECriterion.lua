--- Mean (or, with sizeAverage false, sum) of the squares of the differences between input and target, tensors of equal element counts.
-- @classmod nn.MSECriterion
local nn, pairwise = require 'nn', require 'nn.support.pairwise'

--- @tparam[opt=true] boolean sizeAverage
local MSECriterion = nn.declare(pairwise {
  name = 'nn.MSECriterion',
  terms = 'square(csub(input, target))',
  samples = { { 'MSECriterion()', { 4, 3 }, { 4, 3 } }, { 'MSECriterion(false)', { 4, 3 }, { 4, 3 } } },
})

return MSECriterion
