--- x - tanh(x), elementwise, any shape.
-- @classmod nn.TanhShrink
local torch = require 'torch'
local nn = require 'nn'

local TanhShrink, parent = require 'nn.support.elementwise'('nn.TanhShrink', function(x) return torch.csub(x, torch.tanh(x)) end)

function TanhShrink:__init()
  parent.__init(self)
  self.tanh = nn.Tanh()
end

return TanhShrink
