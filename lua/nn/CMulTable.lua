--- The elementwise product of the tensors in a table. The gradients don't divide, so zeros are harmless.
-- @classmod nn.CMulTable
local product, productOfMany = require 'nn.support.fold' 'cmul'

local CMulTable = require 'nn'.declare {
  name = 'nn.CMulTable', takes = 'table',
  formula = product, otherwise = productOfMany,
  samples = { { 'CMulTable()', { { 3, 2 }, { 3, 2 }, { 3, 2 } } } },
}

--- Torch7's name of a method that divides the product by each factor. Moontorch has only one method.
CMulTable.updateGradInput_efficient = CMulTable.updateGradInput

return CMulTable
