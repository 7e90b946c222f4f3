--- A copy of one slice, whose dimension goes.
-- @classmod nn.Select
local torch, check = require 'torch', require 'torch.check'
require 'nn'

local Select, parent = torch.class('nn.Select', 'nn.Module')

--- @tparam int dimension negative counts from the end
-- @tparam int index likewise
function Select:__init(dimension, index)
  parent.__init(self)
  self.dimension, self.index = dimension, index
end

function Select:compute(input)
  check.int('nn.Select', 'dimension', self.dimension)
  check.int('nn.Select', 'index', self.index)
  local dim = self.dimension < 0 and input:dim() + self.dimension + 1 or self.dimension
  local index = self.index < 0 and input:size(dim) + self.index + 1 or self.index
  if input:dim() == 1 then return torch.clone(torch.narrow(input, 1, index, 1)) end
  return torch.clone(torch.select(input, dim, index))
end

return Select
