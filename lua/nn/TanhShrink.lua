--- x - tanh(x), elementwise, any shape.
-- @classmod nn.TanhShrink
local nn = require 'nn'

local TanhShrink, parent = nn.declare {
  name = 'nn.TanhShrink',
  formula = 'csub(input, tanh(input))',
  samples = { { 'TanhShrink()', { 4, 3 }, rows = true } },
}

function TanhShrink:__init()
  parent.__init(self)
  self.tanh = nn.Tanh()
end

return TanhShrink
