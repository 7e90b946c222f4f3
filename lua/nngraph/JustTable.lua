--- A table of one element: the input.
-- @classmod nngraph.JustTable
local torch = require 'torch'

local JustTable, parent = torch.class('nngraph.JustTable', 'nn.Module', require 'nngraph')

--- @return a table that contains the input, not a copy
function JustTable:updateOutput(input)
  self.output = { input }
  return self.output
end

--- @return the element of gradOutput, not a copy
function JustTable:updateGradInput(_, gradOutput)
  self.gradInput = gradOutput[1]
  return self.gradInput
end

function JustTable:compute(input) return { input } end

JustTable.derived = {
  updateOutput = JustTable.updateOutput, updateGradInput = JustTable.updateGradInput, accGradParameters = parent.accGradParameters,
}

--- Releases tensors that belong to other modules.
function JustTable:clearState()
  self.output, self.gradInput = {}, torch.Tensor():type(self._type)
  return self
end

return JustTable
