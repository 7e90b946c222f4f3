--- Adds a constant: a number, or a vector with an element for each in the last dimension of a vector or matrix.
-- @classmod nn.AddConstant
local torch, check = require 'torch', require 'torch.check'
local nn = require 'nn'

local AddConstant, parent = torch.class('nn.AddConstant', 'nn.Module')

--- @tparam number|torch.Tensor constant
-- @tparam[opt=false] boolean inplace write over the input; backward takes the constant out of it again
function AddConstant:__init(constant, inplace)
  parent.__init(self)
  self.constant_scalar = constant
  self.inplace = check.inplace(inplace)
end

local function checkConstant(self, input)
  local constant = self.constant_scalar
  if type(constant) == 'number' then return constant end
  assert(torch.isTensor(constant) and constant:dim() == 1, 'nn.AddConstant: constant: a number or a vector was expected')
  assert(input:dim() <= 2 and constant:nElement() == input:size(input:dim()),
    'nn.AddConstant: input: a vector or matrix whose last dimension is as long as the constant was expected')
  return constant
end

function AddConstant:compute(input)
  local constant = checkConstant(self, input)
  if self.inplace then return input:add(constant) end
  return torch.add(input, constant)
end
AddConstant.letsGo = AddConstant.compute

function AddConstant:updateGradInput(input, gradOutput)
  parent.updateGradInput(self, input, gradOutput)
  if self.inplace then input:csub(self.constant_scalar) end
  return self.gradInput
end

AddConstant.derived = {
  updateOutput = parent.updateOutput, updateGradInput = AddConstant.updateGradInput, accGradParameters = nn.Module.accGradParameters,
}

return AddConstant
