--- Makes nn.Max and nn.Min.
-- @module nn.support.extreme
local torch = require 'torch'
require 'nn'

--- @tparam string name of the class
-- @tparam function fn torch.max or torch.min
-- @treturn table the class
return function(name, fn)
  local class, parent = torch.class(name, 'nn.Module')

  function class:__init(dimension, nInputDims)
    parent.__init(self)
    self.dimension, self.nInputDims = dimension or 1, nInputDims
  end

  -- Of modules in old files, which lack it.
  class.dimension = 1

  function class:compute(input)
    local dims, dim = input:dim(), self.dimension
    if dim < 0 then
      dim = dims + dim + 1
    elseif self.nInputDims and dims == self.nInputDims + 1 then
      dim = dim + 1
    end
    local values, indices = fn(input, dim)
    self._indices = indices
    return dims > 1 and torch.select(values, dim, 1) or values
  end

  class.transient = { '_indices', '_output' }

  --- Drops the positions too.
  function class:clearState()
    self._indices, self._output = nil, nil
    return parent.clearState(self)
  end

  return class
end
