--- Pairs up the entries of tables, the very entries: {{a1, a2, ...}, {b1, b2, ...}, ...} -> {{a1, b1, ...}, {a2, b2, ...}, ...}.
-- @classmod nn.ZipTable
local torch = require 'torch'
require 'nn'
local explain = require 'nn.support.explain'

local ZipTable, parent = torch.class('nn.ZipTable', 'nn.Module')
ZipTable.takes = 'table'

function ZipTable:__init()
  parent.__init(self)
  self.output, self.gradInput = {}, {}
end

local function zip(lists)
  local zipped = {}
  for i, entries in ipairs(lists) do
    for j, entry in ipairs(entries) do
      zipped[j] = zipped[j] or {}
      zipped[j][i] = entry
    end
  end
  return zipped
end

function ZipTable:compute(input) return zip(explain.input(self, input)) end

function ZipTable:updateOutput(input)
  self.output = self:compute(input)
  return self.output
end

--- The gradients zipped back.
function ZipTable:updateGradInput(_, gradOutput)
  explain.gradient(self, gradOutput, self.output)
  self.gradInput = zip(gradOutput)
  return self.gradInput
end

ZipTable.derived = {
  updateOutput = ZipTable.updateOutput, updateGradInput = ZipTable.updateGradInput, accGradParameters = parent.accGradParameters,
}

return ZipTable
