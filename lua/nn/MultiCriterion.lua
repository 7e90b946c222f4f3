--- The weighted sum of several criteria of the same input and target.
-- @classmod nn.MultiCriterion
local torch, check = require 'torch', require 'torch.check'
local nn, weightedCriteria = require 'nn', require 'nn.support.weightedCriteria'

local MultiCriterion, parent = nn.declare(weightedCriteria({
  name = 'nn.MultiCriterion', takes = 'any',
  samples = { { 'MultiCriterion():add(nn.MSECriterion()):add(nn.AbsCriterion(), 0.5)', { 4, 3 }, { 4, 3 } } },
}, function(_, input, target) return input, target end, function(gradInput) return gradInput end))

function MultiCriterion:__init()
  parent.__init(self)
  self.criterions, self.weights = {}, torch.DoubleStorage()
end

--- Appends a criterion.
-- @tparam nn.Criterion criterion
-- @tparam[opt=1] number weight
-- @treturn nn.MultiCriterion self
function MultiCriterion:add(criterion, weight)
  check.that(criterion, 'nn.MultiCriterion: criterion: nil, expected a criterion: no criterion provided')
  table.insert(self.criterions, criterion)
  self.weights:resize(#self.criterions)
  self.weights[#self.criterions] = weight or 1
  return self
end

return MultiCriterion
