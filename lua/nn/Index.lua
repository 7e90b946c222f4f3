--- Slices by their positions: {x, LongTensor of positions} -> x:index(dimension, positions).
-- @classmod nn.Index
local torch = require 'torch'
require 'nn'

local Index, parent = torch.class('nn.Index', 'nn.Module')
Index.takes = 'table'

--- @tparam int dimension
function Index:__init(dimension)
  parent.__init(self)
  self.dimension = dimension
  self.gradInput = { self.gradInput, self.gradInput.new() }
end

function Index:compute(input)
  return torch.index(input[1], self.dimension, input[2])
end

return Index
