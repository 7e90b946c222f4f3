--- Some successive entries of a table, as a table: the very entries.
-- @classmod nn.NarrowTable
local torch, check, C = require 'torch', require 'torch.check', require 'libmoontorch'
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

-- The zeros of each module's last gradInput, by position: what stands there may be a program's.
local zeros = setmetatable({}, { __mode = 'k' })

--- The very entries of gradOutput in their places, zeros in the others.
function NarrowTable:updateGradInput(input, gradOutput)
  explain.gradient(self, gradOutput, self.output)
  local gradInput, held = {}, zeros[self] or {}
  zeros[self] = held
  for i = 1, #input do
    local isInside = i >= self.offset and i < self.offset + self.length
    local g = isInside and gradOutput[i - self.offset + 1]
    if not g then
      g = C.nestedZeros(held[i], input[i], gradOutput)
      held[i] = g
    end
    gradInput[i] = g
  end
  self.gradInput = nested.refill(self.gradInput, gradInput, #input)
  return self.gradInput
end

NarrowTable.derived = {
  updateOutput = NarrowTable.updateOutput, updateGradInput = NarrowTable.updateGradInput, accGradParameters = parent.accGradParameters,
}

return NarrowTable
