--- One entry of a table: the very same object.
-- @classmod nn.SelectTable
local torch, C = require 'torch', require 'libmoontorch'
require 'nn'
local nested, explain = require 'nn.nested', require 'nn.support.explain'

local SelectTable, parent = torch.class('nn.SelectTable', 'nn.Module')
SelectTable.takes = 'table'

--- @param index position, negative counts from the end, or any other key
function SelectTable:__init(index)
  parent.__init(self)
  self.index = index
  self.gradInput = {}
end

local function keyIn(self, input)
  if type(input) ~= 'table' and not torch.isTensor(input) then explain.refuse(self, input) end
  local index = self.index
  return type(index) == 'number' and index < 0 and #input + index + 1 or index
end

function SelectTable:compute(input)
  local entry = input[keyIn(self, input)]
  assert(entry ~= nil, 'index does not exist in the input table')
  return entry
end

function SelectTable:updateOutput(input)
  self.output = self:compute(input)
  return self.output
end

-- Whether gradInput is a copy of gradOutput, and zeros: else it comes from a record.
local function isPlain(self, input, gradOutput)
  if self.compute ~= SelectTable.compute or self.gradInput == nil or not nested.isPlain(input) then return false end
  return C.alike(input[keyIn(self, input)], gradOutput) and gradOutput:isFloatingPoint() and not C.tracked(gradOutput)
end

--- A copy of gradOutput in its place, zeros in the others.
function SelectTable:updateGradInput(input, gradOutput)
  if not isPlain(self, input, gradOutput) then return parent.updateGradInput(self, input, gradOutput) end
  local held, selected = nested.isPlain(self.gradInput) and self.gradInput or {}, keyIn(self, input)
  for key, element in pairs(input) do
    if key == selected then
      held[key] = C.nestedCopy(held[key], gradOutput, gradOutput)
    else
      held[key] = C.nestedZeros(held[key], element, gradOutput)
    end
  end
  self.gradInput = nested.trim(held, input)
  return self.gradInput
end

SelectTable.derived = {
  updateOutput = SelectTable.updateOutput, updateGradInput = SelectTable.updateGradInput, accGradParameters = parent.accGradParameters,
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
