--- The sum of the tensors in a table, which have equal element counts.
-- @classmod nn.CAddTable
local nn, nested = require 'nn', require 'nn.nested'

local sum, sumOfMany = require 'nn.support.fold' 'add'

--- @tparam[opt=false] boolean inplace write over the first tensor
local CAddTable = nn.declare {
  name = 'nn.CAddTable', takes = 'table',
  options = { { 'inplace', 'boolean', default = false, field = 'inplace' } },
  formula = function(self, input) return not self.inplace and sum(self, input) or nil end,
  otherwise = function(self, input)
    if not self.inplace then return sumOfMany(self, input) end
    for i = 2, #input do input[1]:add(input[i]) end
    return input[1]
  end,
  byFields = function(self, input, gradOutput)                     -- when in place, all gradients are gradOutput itself
    if not self.inplace or type(input) ~= 'table' then return nil end
    return nested.map(input, function() return gradOutput end)
  end,
  samples = { { 'CAddTable()', { { 3, 2 }, { 3, 2 }, { 3, 2 } } } },
}

return CAddTable
