--- The tensors of a table of tables to any depth, as a list, depth first.
-- @classmod nn.FlattenTable
local torch = require 'torch'
require 'nn'
local nested = require 'nn.nested'

local FlattenTable, parent = torch.class('nn.FlattenTable', 'nn.Module')
FlattenTable.takes = 'table'

function FlattenTable:__init()
  parent.__init(self)
  self.output, self.input_map, self.gradInput = {}, {}, {}
end

function FlattenTable:compute(input)
  assert(type(input) == 'table', 'input must be a table')
  return nested.flatten(input, {})
end

return FlattenTable
