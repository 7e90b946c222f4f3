--- The weighted sum of several criteria of the same input and target.
-- @classmod nn.MultiCriterion
local torch, check = require 'torch', require 'torch.check'
require 'nn'
local nested, explain = require 'nn.nested', require 'nn.support.explain'

local MultiCriterion, parent = torch.class('nn.MultiCriterion', 'nn.Criterion')
MultiCriterion.takes = 'any'

function MultiCriterion:__init()
  parent.__init(self)
  self.criterions, self.weights = {}, torch.DoubleStorage()
end

--- @tparam nn.Criterion criterion
-- @tparam[opt=1] number weight
-- @treturn nn.MultiCriterion self
function MultiCriterion:add(criterion, weight)
  check.that(criterion, 'no criterion provided')
  table.insert(self.criterions, criterion)
  self.weights:resize(#self.criterions)
  self.weights[#self.criterions] = weight or 1
  return self
end

function MultiCriterion:compute(input, target)
  local loss = 0
  for i, criterion in ipairs(self.criterions) do
    local term = explain.part(self, i, criterion, 'onTape', input, target) * self.weights[i]
    loss = i == 1 and term or loss + term
  end
  return loss
end

function MultiCriterion:updateOutput(input, target)
  self.output = 0
  for i, criterion in ipairs(self.criterions) do
    self.output = self.output + self.weights[i] * explain.part(self, i, criterion, 'updateOutput', input, target)
  end
  return self.output
end

function MultiCriterion:updateGradInput(input, target)
  self.gradInput = nested.recursiveResizeAs(self.gradInput, input)
  nested.recursiveFill(self.gradInput, 0)
  for i, criterion in ipairs(self.criterions) do
    nested.recursiveAdd(self.gradInput, self.weights[i], explain.part(self, i, criterion, 'updateGradInput', input, target))
  end
  return self.gradInput
end

MultiCriterion.derived = { updateOutput = MultiCriterion.updateOutput, updateGradInput = MultiCriterion.updateGradInput }

return MultiCriterion
