--- Multiplies by a number.
-- @classmod nn.MulConstant
local check = require 'torch.check'

local MulConstant, parent = require 'nn'.declare {
  name = 'nn.MulConstant', inplace = true,
  formula = 'mul(input, constant_scalar)',
  samples = { { 'MulConstant(-2)', { 4, 3 }, rows = true } },
}

--- @tparam number constant
-- @tparam[opt=false] boolean inplace write over the input; backward writes over gradOutput and divides the input by the constant again
function MulConstant:__init(constant, inplace)
  parent.__init(self)
  check.that(type(constant) == 'number', ('nn.MulConstant: constant: a %s: input is not scalar!'):format(type(constant)))
  self.constant_scalar = constant
  self.inplace = check.inplace(inplace)
end

return require 'nn.support.inplace_inverse'(MulConstant, function(self, input) input:div(self.constant_scalar) end)
