--- The one element of a table.
-- @classmod nngraph.JustElement
local torch = require 'torch'

local JustElement, parent = torch.class('nngraph.JustElement', 'nn.Module', require 'nngraph')

function JustElement:__init()
  parent.__init(self)
  self.gradInput = {}
end

--- @tparam {any} input a table of one
-- @return its element, not a copy
function JustElement:updateOutput(input)
  if type(input) ~= 'table' or #input ~= 1 then error('nngraph.JustElement: input: expected a table of one element', 0) end
  self.output = input[1]
  return self.output
end

--- @return a table that contains gradOutput, not a copy
function JustElement:updateGradInput(_, gradOutput)
  self.gradInput = { gradOutput }
  return self.gradInput
end

function JustElement:compute(input) return input[1] end

JustElement.derived = {
  updateOutput = JustElement.updateOutput, updateGradInput = JustElement.updateGradInput, accGradParameters = parent.accGradParameters,
}

--- Releases tensors that belong to other modules.
function JustElement:clearState()
  self.output, self.gradInput = torch.Tensor():type(self._type), {}
  return self
end

return JustElement
