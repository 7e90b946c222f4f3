--- The elementwise minimum of the tensors in a table. Where several are equally small the first has the gradient.
-- @classmod nn.CMinTable
local torch = require 'torch'
require 'nn'

local CMinTable, parent = torch.class('nn.CMinTable', 'nn.Module')

function CMinTable:__init()
  parent.__init(self)
  self.minIdx = torch.Tensor()
  self.gradInput = {}
end

function CMinTable:compute(input)
  local output = torch.clone(input[1])
  local index = output.new():resize(output:size()):fill(1)
  for i = 2, #input do
    local better = torch.lt(input[i], output)
    output = torch.where(better, input[i], output)
    index:maskedFill(better, i)
  end
  self.minIdx = index
  return output
end

return CMinTable
