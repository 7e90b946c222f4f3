--- Adds one tensor to each of a table: {t, {u1, u2, ...}} -> {u1 + t, u2 + t, ...}.
-- @classmod nn.CAddTensorTable
local torch, nn = require 'torch', require 'nn'

local CAddTensorTable, parent = nn.declare {
  name = 'nn.CAddTensorTable', takes = 'table',
  compute = function(_, input)
    local sums = {}
    for i, entry in ipairs(input[2]) do sums[i] = torch.add(entry, input[1]) end
    return sums
  end,
  samples = { { 'CAddTensorTable()', { { 3 }, { { 3 }, { 3 } } } } },
}

function CAddTensorTable:__init()
  parent.__init(self)
  self.gradInput = {}
end

return CAddTensorTable
