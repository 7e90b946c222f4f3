--- Pairs up the entries of tables: {{a1, a2, ...}, {b1, b2, ...}, ...} -> {{a1, b1, ...}, {a2, b2, ...}, ...}.
-- @classmod nn.ZipTable
local torch = require 'torch'
require 'nn'

local ZipTable, parent = torch.class('nn.ZipTable', 'nn.Module')
ZipTable.takes = 'table'

function ZipTable:__init()
  parent.__init(self)
  self.output, self.gradInput = {}, {}
end

function ZipTable:compute(input)
  local zipped = {}
  for i, entries in ipairs(input) do
    for j, entry in ipairs(entries) do
      zipped[j] = zipped[j] or {}
      zipped[j][i] = entry
    end
  end
  return zipped
end

return ZipTable
