--- Adds a constant: a number, or a vector, which is added along the last dimension of a vector or matrix.
-- @classmod nn.AddConstant
local torch, check = require 'torch', require 'torch.check'
local refuse = require 'torch.check.refuse'

local AddConstant, parent = require 'nn'.declare {
  name = 'nn.AddConstant', inplace = true,
  formula = 'add(input, constant_scalar)',
  accepts = function(self, input)
    local constant = self.constant_scalar
    if type(constant) == 'number' then return end
    assert(torch.isTensor(constant) and constant:dim() == 1, 'nn.AddConstant: constant: expected a number or a vector')
    if not (input:dim() <= 2 and constant:nElement() == input:size(input:dim())) then
      refuse.shape('nn.AddConstant: input: expected a vector or matrix whose last dimension is as long as the constant')
    end
  end,
  samples = { { 'AddConstant(3)', { 4, 3 }, rows = true } },
}

--- @tparam number|torch.Tensor constant
-- @tparam[opt=false] boolean inplace write over the input; backward subtracts the constant from it again
function AddConstant:__init(constant, inplace)
  parent.__init(self)
  self.constant_scalar = constant
  self.inplace = check.inplace(inplace)
end

return require 'nn.support.inplace_inverse'(AddConstant, function(self, input) input:csub(self.constant_scalar) end)
