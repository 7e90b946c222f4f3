--- One entry of a table: the very same object.
-- @classmod nn.SelectTable
local torch = require 'torch'
require 'nn'
local explain = require 'nn.support.explain'

local SelectTable, parent = torch.class('nn.SelectTable', 'nn.Module')
SelectTable.takes = 'table'

--- @param index position, negative counts from the end, or any other key
function SelectTable:__init(index)
  parent.__init(self)
  self.index = index
  self.gradInput = {}
end

function SelectTable:compute(input)
  if type(input) ~= 'table' and not torch.isTensor(input) then explain.refuse(self, input) end
  local index = self.index
  if type(index) == 'number' and index < 0 then index = #input + index + 1 end
  local entry = input[index]
  assert(entry ~= nil, 'index does not exist in the input table')
  return entry
end

function SelectTable:updateOutput(input)
  self.output = self:compute(input)
  return self.output
end

SelectTable.derived = {
  updateOutput = SelectTable.updateOutput, updateGradInput = parent.updateGradInput, accGradParameters = parent.accGradParameters,
}

--- Lets go of the output, which is its maker's, and of gradInput.
function SelectTable:clearState()
  self.output = torch.Tensor():type(self:type())
  return parent.clearState(self)
end

function SelectTable:__tostring__()
  return ('%s(%s)'):format(torch.type(self), self.index)
end

return SelectTable
