--- Creates nn.Max and nn.Min.
-- @module nn.support.minmax
local nn = require 'nn'

local function dimensionOf(self, dims)
  local dim = self.dimension
  if dim < 0 then return dims + dim + 1 end
  return self.nInputDims and dims == self.nInputDims + 1 and dim + 1 or dim
end

--- @tparam string op max or min
-- @tparam string name of the class
-- @tparam table samples for the specs
-- @treturn table the class
return function(op, name, samples)
  local along, ofVector = ('clone(select(%s(input, dim), dim, 1))'):format(op), ('%s(input, 1)'):format(op)

  local class, parent = nn.declare {
    name = name,
    values = { 'dim' }, keeps = { '_indices' },
    formula = function(self, input)
      local dims = input:dim()
      local dim = dimensionOf(self, dims)
      return dims == 1 and dim == 1 and ofVector or along, dim
    end,
    transient = { '_indices', '_output' },
    samples = samples,
  }

  function class:__init(dimension, nInputDims)
    parent.__init(self)
    self.dimension, self.nInputDims = dimension or 1, nInputDims
  end

  -- For modules in old files, which lack it.
  class.dimension = 1

  --- Also frees the positions.
  function class:clearState()
    self._indices, self._output = nil, nil
    return parent.clearState(self)
  end

  return class
end
