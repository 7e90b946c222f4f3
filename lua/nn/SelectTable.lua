--- One entry of a table.
-- @classmod nn.SelectTable
local torch = require 'torch'
require 'nn'

local SelectTable, parent = torch.class('nn.SelectTable', 'nn.Module')

--- @param index position, negative counts from the end, or any other key
function SelectTable:__init(index)
  parent.__init(self)
  self.index = index
  self.gradInput = {}
end

function SelectTable:compute(input)
  local index = self.index
  if type(index) == 'number' and index < 0 then index = #input + index + 1 end
  local entry = input[index]
  assert(entry ~= nil, 'index does not exist in the input table')
  return entry
end

function SelectTable:__tostring__()
  return ('%s(%s)'):format(torch.type(self), self.index)
end

return SelectTable
