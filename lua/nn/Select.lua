--- A copy of one slice; the dimension is removed.
-- @classmod nn.Select
local check, nn = require 'torch.check', require 'nn'

local function whole(name, value)
  if type(value) == 'number' and value % 1 == 0 then return value end
  return check.whole('nn.Select', name, value)
end

local Select, parent = nn.declare {
  name = 'nn.Select',
  values = { 'dim', 'slice' },
  formula = function(self, input)
    local dim, index, dims = whole('dimension', self.dimension), whole('index', self.index), input:dim()
    if dim < 0 then dim = dims + dim + 1 end
    if index < 0 then index = input:size(dim) + index + 1 end
    return dims == 1 and 'clone(narrow(input, 1, slice, 1))' or 'clone(select(input, dim, slice))', dim, index
  end,
  samples = { { 'Select(1, -2)', { 3, 4 } } },
}

--- @tparam int dimension negative counts from the end
-- @tparam int index likewise
function Select:__init(dimension, index)
  parent.__init(self)
  self.dimension, self.index = dimension, index
end

return Select
