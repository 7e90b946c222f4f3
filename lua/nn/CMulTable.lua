--- The elementwise product of the tensors in a table; the gradients don't divide, so that zeros are harmless.
-- @classmod nn.CMulTable
local product, productOfMany = require 'nn.support.fold' 'cmul'

local CMulTable = require 'nn'.declare {
  name = 'nn.CMulTable', takes = 'table',
  formula = product, otherwise = productOfMany,
  samples = { { 'CMulTable()', { { 3, 2 }, { 3, 2 }, { 3, 2 } } } },
}

--- Torch7's name of the way that divides the product by each factor; here that of the usual way.
CMulTable.updateGradInput_efficient = CMulTable.updateGradInput

return CMulTable
