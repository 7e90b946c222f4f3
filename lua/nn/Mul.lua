--- Multiplies by one learnt number. Any shape.
-- @classmod nn.Mul
local torch = require 'torch'
require 'nn'
local boundOf = require 'nn.support.bound'

local Mul, parent = torch.class('nn.Mul', 'nn.Module')

function Mul:__init()
  parent.__init(self)
  self:declare('weight', torch.Tensor(1))
  self:reset()
end

--- Draws the weight uniformly from (-1, 1).
-- @tparam[opt] number stdv standard deviation to have instead
function Mul:reset(stdv)
  self:draw(boundOf(self, stdv, 1))
end

function Mul:compute(input)
  return torch.cmul(input, self.weight)
end
Mul.letsGo = Mul.compute

return Mul
