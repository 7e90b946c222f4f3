--- The sum of the tensors in a table, which have equal element counts.
-- @classmod nn.CAddTable
local torch = require 'torch'
require 'nn'

local CAddTable, parent = torch.class('nn.CAddTable', 'nn.Module')
CAddTable.takes = 'table'

--- @tparam[opt=false] boolean inplace write over the first tensor
function CAddTable:__init(inplace)
  parent.__init(self)
  self.inplace = inplace
  self.gradInput = {}
end

function CAddTable:compute(input)
  local output = input[1]
  if #input == 1 then return self.inplace and output or torch.clone(output) end
  for i = 2, #input do
    if self.inplace then output:add(input[i]) else output = torch.add(output, input[i]) end
  end
  return output
end

-- In place all gradients are gradOutput itself.
CAddTable.saved = { of = CAddTable.compute, gradient = function(self, input, gradOutput)
  if not self.inplace or type(input) ~= 'table' then return nil end
  local gradInput = {}
  for i = 1, #input do gradInput[i] = gradOutput end
  return gradInput
end }

return CAddTable
