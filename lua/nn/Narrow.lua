--- A copy of consecutive slices.
-- @classmod nn.Narrow
local check, nn = require 'torch.check', require 'nn'

local Narrow, parent = nn.declare {
  name = 'nn.Narrow',
  values = { 'dim', 'first', 'count' },
  formula = function(self, input)
    local dim, first, length = self.dimension, self.index, self.length
    if dim < 0 then dim = input:dim() + dim + 1 end
    if length < 0 then length = input:size(dim) - first + length + 2 end
    if first < 0 then first, length = 1, input:size(dim) - length end
    return 'clone(narrow(input, dim, first, count))', dim, first, length
  end,
  samples = { { 'Narrow(2, 2, 2)', { 3, 4 } }, { 'Narrow(-1, 2, -2)', { 3, 4 } } },
}

--- @tparam int dimension negative counts from the end
-- @tparam int offset first slice; if negative: all but `length` slices, from the first
-- @tparam[opt=1] int length number of slices; -1: up to the last, -2: up to the second last, and so on
function Narrow:__init(dimension, offset, length)
  if not dimension or not offset then check.raise 'nn.Narrow(dimension, offset, length)' end
  parent.__init(self)
  self.dimension, self.index, self.length = dimension, offset, length or 1
end

return Narrow
