--- Some successive entries of a table, as a table.
-- @classmod nn.NarrowTable
local torch, check = require 'torch', require 'torch.check'
require 'nn'

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
  for i = 1, self.length do entries[i] = input[self.offset + i - 1] end
  return entries
end

return NarrowTable
