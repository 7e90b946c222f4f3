--- Clamps x to two bounds: nn.HardTanh with required bounds.
-- @classmod nn.Clamp
local check = require 'torch.check'

local Clamp, parent = require 'nn'.declare {
  name = 'nn.Clamp', parent = 'nn.HardTanh',
  samples = { { 'Clamp(-0.4, 0.9)', { 4, 3 }, rows = true } },
}

--- @tparam number min
-- @tparam number max
function Clamp:__init(min, max)
  check.that(type(min) == 'number' and type(max) == 'number', 'nn.Clamp(min, max): expected two numbers')
  parent.__init(self, min, max)
end

return Clamp
