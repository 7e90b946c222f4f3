--- The weighted sum of several criteria, each with its own entry of the input and of the target.
-- @classmod nn.ParallelCriterion
local torch, check = require 'torch', require 'torch.check'
require 'nn'
local nested, explain = require 'nn.nested', require 'nn.support.explain'

local ParallelCriterion, parent = torch.class('nn.ParallelCriterion', 'nn.Criterion')
ParallelCriterion.takes = 'table'

--- @tparam[opt=false] boolean repeatTarget whether all have the one target
function ParallelCriterion:__init(repeatTarget)
  parent.__init(self)
  self.criterions, self.weights, self.gradInput = {}, {}, {}
  self.repeatTarget = repeatTarget
end

--- @tparam nn.Criterion criterion
-- @tparam[opt=1] number weight
-- @treturn nn.ParallelCriterion self
function ParallelCriterion:add(criterion, weight)
  check.that(criterion, 'no criterion provided')
  table.insert(self.criterions, criterion)
  table.insert(self.weights, weight or 1)
  return self
end

local function targetOf(self, target, i)
  if self.repeatTarget then return target end
  check.that(target ~= nil, 'nn.ParallelCriterion: target: nil came, a table with the target of each criterion was expected')
  return target[i]
end

function ParallelCriterion:compute(input, target)
  local loss = 0
  for i, criterion in ipairs(self.criterions) do
    local term = explain.part(self, i, criterion, 'onTape', input[i], targetOf(self, target, i)) * self.weights[i]
    loss = i == 1 and term or loss + term
  end
  return loss
end

function ParallelCriterion:updateOutput(input, target)
  self.output = 0
  for i, criterion in ipairs(self.criterions) do
    self.output = self.output + self.weights[i] * explain.part(self, i, criterion, 'updateOutput', input[i], targetOf(self, target, i))
  end
  return self.output
end

function ParallelCriterion:updateGradInput(input, target)
  self.gradInput = nested.recursiveResizeAs(self.gradInput, input)
  nested.recursiveFill(self.gradInput, 0)
  for i, criterion in ipairs(self.criterions) do
    local gradient = explain.part(self, i, criterion, 'updateGradInput', input[i], targetOf(self, target, i))
    nested.recursiveAdd(self.gradInput[i], self.weights[i], gradient)
  end
  return self.gradInput
end

ParallelCriterion.derived = { updateOutput = ParallelCriterion.updateOutput, updateGradInput = ParallelCriterion.updateGradInput }

return ParallelCriterion
