--- Selects elements by a mask: {x, ByteTensor} -> a vector of the elements where the mask is 1.
-- Shapes: {x, mask} with equal numbers of elements -> (number of ones), in row-major order.
-- @classmod nn.MaskedSelect
local torch, nn = require 'torch', require 'nn'

local MaskedSelect, parent = nn.declare {
  name = 'nn.MaskedSelect', takes = 'table',
  widens = false,
  compute = function(_, input) return torch.maskedSelect(input[1], input[2]) end,
}

function MaskedSelect:__init()
  parent.__init(self)
  self.gradInput = { self.gradInput, torch.ByteTensor() }
end

return MaskedSelect
