--- Some successive entries of a table, as a table: the very entries.
-- @classmod nn.NarrowTable
local torch, check = require 'torch', require 'torch.check'
require 'nn'
local nested, explain = require 'nn.nested', require 'nn.support.explain'

local NarrowTable, parent = torch.class('nn.NarrowTable', 'nn.Module')
NarrowTable.takes = 'table'

--- @tparam int offset position of the first entry
-- @tparam[opt=1] int length number of entries
function NarrowTable:__init(offset, length)
  if not offset then check.raise 'nn.NarrowTable(offset, length)' end
  parent.__init(self)
  self.offset, self.length = offset, length or 1
  self.output, self.gradInput = {}, {}
end

function NarrowTable:compute(input)
  local entries = {}
  for i = 1, self.length do entries[i] = explain.input(self, input)[self.offset + i - 1] end
  return entries
end

function NarrowTable:updateOutput(input)
  self.output = nested.refill(self.output, self:compute(input), self.length)
  return self.output
end

--- The very entries of gradOutput in their places, zeros in the others.
function NarrowTable:updateGradInput(input, gradOutput)
  explain.gradient(self, gradOutput, self.output)
  local gradInput = {}
  for i = 1, #input do
    local isInside = i >= self.offset and i < self.offset + self.length
    gradInput[i] = isInside and gradOutput[i - self.offset + 1] or nested.zeros(input[i])
  end
  self.gradInput = nested.refill(self.gradInput, gradInput, #input)
  return self.gradInput
end

NarrowTable.derived = {
  updateOutput = NarrowTable.updateOutput, updateGradInput = NarrowTable.updateGradInput, accGradParameters = parent.accGradParameters,
}

return NarrowTable
