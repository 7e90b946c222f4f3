--- x between two bounds, else the bound: nn.HardTanh with bounds that must be given.
-- @classmod nn.Clamp
local torch, check = require 'torch', require 'torch.check'
require 'nn'

local Clamp, parent = torch.class('nn.Clamp', 'nn.HardTanh')

--- @tparam number min
-- @tparam number max
function Clamp:__init(min, max)
  check.that(type(min) == 'number' and type(max) == 'number', 'nn.Clamp(min, max): two numbers were expected')
  parent.__init(self, min, max)
end

return Clamp
