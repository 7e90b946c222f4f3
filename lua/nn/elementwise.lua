--- Makes classes of modules that compute each element of the output from one of the input: any shape, any float dtype.
-- @module nn.elementwise
local torch = require 'torch'
require 'nn'

--- @tparam string name of the class
-- @tparam function fn gives the output from the input and the module, by differentiable ops that don't write into the input. If the
-- module may work in place, it must keep nothing for the gradient that shares memory with the input
-- @tparam[opt='nn.Module'] string parentName
-- @treturn table the class
-- @treturn table its parent
return function(name, fn, parentName)
  local class, parent = torch.class(name, parentName or 'nn.Module')

  function class:compute(input)
    local output = fn(input, self)
    if self.inplace then return input:copy(output) end
    return output
  end
  class.letsGo = class.compute

  return class, parent
end
