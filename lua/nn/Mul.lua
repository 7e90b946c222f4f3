--- Multiplies by one learnt number. Any shape.
-- @classmod nn.Mul
local boundOf = require 'nn.support.bound'

local Mul = require 'nn'.declare {
  name = 'nn.Mul',
  parameters = { { 'weight', function() return 1 end } },
  formula = 'cmul(input, weight)',
  samples = { { 'Mul()', { 4, 3 }, rows = true } },
}

--- Draws the weight uniformly from (-1, 1).
-- @tparam[opt] number stdv standard deviation of the draws instead
function Mul:reset(stdv)
  self:draw(boundOf(self, stdv, 1))
end

return Mul
