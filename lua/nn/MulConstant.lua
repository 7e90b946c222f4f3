--- Multiplies by a number.
-- @classmod nn.MulConstant
local torch, check = require 'torch', require 'torch.check'
local nn = require 'nn'

local MulConstant, parent = torch.class('nn.MulConstant', 'nn.Module')

--- @tparam number constant
-- @tparam[opt=false] boolean inplace write over the input, and in backward over gradOutput; the input is divided again then
function MulConstant:__init(constant, inplace)
  parent.__init(self)
  check.that(type(constant) == 'number', 'input is not scalar!')
  self.constant_scalar = constant
  self.inplace = check.inplace(inplace)
end

function MulConstant:compute(input)
  if self.inplace then return input:mul(self.constant_scalar) end
  return torch.mul(input, self.constant_scalar)
end
MulConstant.letsGo = MulConstant.compute

function MulConstant:updateGradInput(input, gradOutput)
  if not self.inplace or not self.gradInput then return parent.updateGradInput(self, input, gradOutput) end
  self.gradInput:set(gradOutput:mul(self.constant_scalar))
  input:div(self.constant_scalar)
  return self.gradInput
end

MulConstant.derived = {
  updateOutput = parent.updateOutput, updateGradInput = MulConstant.updateGradInput, accGradParameters = nn.Module.accGradParameters,
}

return MulConstant
