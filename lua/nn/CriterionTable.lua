--- A criterion as a module of a table: {input, target} -> loss, a number.
-- @classmod nn.CriterionTable
local torch = require 'torch'
require 'nn'
local explain = require 'nn.support.explain'

local CriterionTable, parent = torch.class('nn.CriterionTable', 'nn.Module')
CriterionTable.takes = 'table'

--- @tparam nn.Criterion criterion
function CriterionTable:__init(criterion)
  parent.__init(self)
  self.criterion = criterion
  self.gradInput = { criterion.gradInput }
end

function CriterionTable:onTape(input)
  return self.criterion:onTape(input[1], input[2])
end

function CriterionTable:updateOutput(input)
  self.output = self.criterion:updateOutput(unpack(explain.input(self, input)))
  return self.output
end

--- @return a table with only the gradient by the criterion's input
function CriterionTable:updateGradInput(input)
  self.gradInput = { self.criterion:updateGradInput(unpack(explain.input(self, input))) }
  return self.gradInput
end

return CriterionTable
