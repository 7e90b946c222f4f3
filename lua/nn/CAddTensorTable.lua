--- Adds one tensor to each of a table: {t, {u1, u2, ...}} -> {u1 + t, u2 + t, ...}.
-- @classmod nn.CAddTensorTable
local torch = require 'torch'
require 'nn'

local CAddTensorTable, parent = torch.class('nn.CAddTensorTable', 'nn.Module')
CAddTensorTable.takes = 'table'

function CAddTensorTable:__init()
  parent.__init(self)
  self.gradInput = {}
end

function CAddTensorTable:compute(input)
  local sums = {}
  for i, entry in ipairs(input[2]) do sums[i] = torch.add(entry, input[1]) end
  return sums
end

return CAddTensorTable
