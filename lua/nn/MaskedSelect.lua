--- Elements by a mask: {x, ByteTensor} -> a vector of those where the mask is 1.
-- @classmod nn.MaskedSelect
local torch = require 'torch'
require 'nn'

local MaskedSelect, parent = torch.class('nn.MaskedSelect', 'nn.Module')
MaskedSelect.takes = 'table'

function MaskedSelect:__init()
  parent.__init(self)
  self.gradInput = { self.gradInput, torch.ByteTensor() }
end

function MaskedSelect:compute(input)
  return torch.maskedSelect(input[1], input[2])
end

return MaskedSelect
