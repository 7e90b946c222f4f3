--- The weighted sum of several criteria. Each has a separate entry of the input and of the target.
-- @classmod nn.ParallelCriterion
local check, nn = require 'torch.check', require 'nn'
local weightedCriteria = require 'nn.support.weightedCriteria'

local function partOf(self, input, target, i)
  if self.repeatTarget then return input[i], target end
  check.that(target ~= nil, 'nn.ParallelCriterion: target: nil, expected a table with the target of each criterion')
  return input[i], target[i]
end

local ParallelCriterion, parent = nn.declare(weightedCriteria({
  name = 'nn.ParallelCriterion', takes = 'table',
  samples = {
    { 'ParallelCriterion():add(nn.MSECriterion()):add(nn.AbsCriterion(), 0.5)', { { 4, 3 }, { 2 } }, { { 4, 3 }, { 2 } } },
    { 'ParallelCriterion(true):add(nn.MSECriterion()):add(nn.AbsCriterion(), 0.5)', { { 4 }, { 4 } }, { 4 } },
  },
}, partOf, function(gradInput, i) return gradInput[i] end))

--- @tparam[opt=false] boolean repeatTarget whether all criteria use the same target
function ParallelCriterion:__init(repeatTarget)
  parent.__init(self)
  self.criterions, self.weights, self.gradInput = {}, {}, {}
  self.repeatTarget = repeatTarget
end

--- Appends a criterion.
-- @tparam nn.Criterion criterion
-- @tparam[opt=1] number weight
-- @treturn nn.ParallelCriterion self
function ParallelCriterion:add(criterion, weight)
  check.that(criterion, 'nn.ParallelCriterion: criterion: nil, expected a criterion: no criterion provided')
  table.insert(self.criterions, criterion)
  table.insert(self.weights, weight or 1)
  return self
end

return ParallelCriterion
