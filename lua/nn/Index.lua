--- Selects slices by their positions: {x, LongTensor of positions} -> x:index(dimension, positions).
-- Shapes: {x (…, n, …), positions (k)} -> (…, k, …).
-- @classmod nn.Index
local torch, nn = require 'torch', require 'nn'

local Index, parent = nn.declare {
  name = 'nn.Index', takes = 'table',
  widens = false,
  compute = function(self, input) return torch.index(input[1], self.dimension, input[2]) end,
}

--- @tparam int dimension
function Index:__init(dimension)
  parent.__init(self)
  self.dimension = dimension
  self.gradInput = { self.gradInput, self.gradInput.new() }
end

return Index
