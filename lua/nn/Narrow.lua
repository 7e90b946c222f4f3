--- A copy of some successive slices.
-- @classmod nn.Narrow
local torch, check = require 'torch', require 'torch.check'
require 'nn'

local Narrow, parent = torch.class('nn.Narrow', 'nn.Module')

--- @tparam int dimension negative counts from the end
-- @tparam int offset first slice; negative: all but `length` slices, from the first
-- @tparam[opt=1] int length number of slices; -1: to the last, -2: to the one before it, and so on
function Narrow:__init(dimension, offset, length)
  if not dimension or not offset then check.raise 'nn.Narrow(dimension, offset, length)' end
  parent.__init(self)
  self.dimension, self.index, self.length = dimension, offset, length or 1
end

function Narrow:compute(input)
  local dim = self.dimension < 0 and input:dim() + self.dimension + 1 or self.dimension
  local first, length = self.index, self.length
  if length < 0 then length = input:size(dim) - first + length + 2 end
  if first < 0 then first, length = 1, input:size(dim) - length end
  return torch.clone(torch.narrow(input, dim, first, length))
end

return Narrow
