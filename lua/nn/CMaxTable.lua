--- The elementwise maximum of the tensors in a table. Where several are equally large the first has the gradient.
-- @classmod nn.CMaxTable
local torch = require 'torch'
require 'nn'

local CMaxTable, parent = torch.class('nn.CMaxTable', 'nn.Module')

function CMaxTable:__init()
  parent.__init(self)
  self.maxIdx = torch.Tensor()
  self.gradInput = {}
end

function CMaxTable:compute(input)
  local output = torch.clone(input[1])
  local index = output.new():resize(output:size()):fill(1)
  for i = 2, #input do
    local better = torch.gt(input[i], output)
    output = torch.where(better, input[i], output)
    index:maskedFill(better, i)
  end
  self.maxIdx = index
  return output
end

return CMaxTable
