--- The elementwise product of the tensors in a table; the gradients don't divide, so that zeros are harmless.
-- @classmod nn.CMulTable
local torch = require 'torch'

local CMulTable = require 'nn.support.fold'('nn.CMulTable', function(a, b) return torch.cmul(a, b) end)

--- Torch7's name of the way that divides the product by each factor; here that of the usual way.
CMulTable.updateGradInput_efficient = CMulTable.updateGradInput

return CMulTable
