--- Makes classes of modules that combine the tensors of a table, of equal sizes, into one.
-- @module nn.support.fold
local torch = require 'torch'
require 'nn'

--- @tparam string name of the class
-- @tparam function fn combines two tensors by a differentiable op
-- @tparam[opt] int most how many entries of the table count; all unless given
-- @treturn table the class
-- @treturn table its parent
return function(name, fn, most)
  local class, parent = torch.class(name, 'nn.Module')
  class.takes = 'table'

  function class:__init()
    parent.__init(self)
    self.gradInput = {}
  end

  function class:compute(input)
    local output = input[1]
    if #input == 1 then return torch.clone(output) end
    for i = 2, most or #input do output = fn(output, input[i]) end
    return output
  end
  class.letsGo = class.compute

  return class, parent
end
