--- Returns its input: the same object, of any type.
-- @classmod nn.Identity
local torch = require 'torch'

local Identity = require 'nn'.declare {
  name = 'nn.Identity',
  widens = false,
  compute = function(_, input) return input end,
  samples = { { 'Identity()', { 4, 3 }, rows = true } },
}

function Identity:updateOutput(input)
  self.output = input
  return input
end

function Identity:updateGradInput(_, gradOutput)
  self.gradInput = gradOutput
  return gradOutput
end

function Identity:accGradParameters() end

Identity.derived = {
  updateOutput = Identity.updateOutput,
  updateGradInput = Identity.updateGradInput,
  accGradParameters = Identity.accGradParameters,
}

--- Releases output and gradInput without changing these tensors, because others use them.
function Identity:clearState()
  for _, field in ipairs { 'output', 'gradInput' } do
    self[field] = torch.isTensor(self[field]) and self[field].new() or {}
  end
  return self
end

return Identity
