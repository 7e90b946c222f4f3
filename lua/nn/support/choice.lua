--- Makes classes of modules that choose, element by element, one of the tensors in a table.
-- @module nn.support.choice
local torch = require 'torch'
require 'nn'

--- @tparam string name of the class
-- @tparam function isBetter tells where the elements of one tensor are preferred to those of another
-- @tparam string field receives the number of the tensor that each element came from
-- @treturn table the class
-- @treturn table its parent
return function(name, isBetter, field)
  local class, parent = torch.class(name, 'nn.Module')
  class.takes = 'table'

  function class:__init()
    parent.__init(self)
    self[field] = torch.Tensor()
    self.gradInput = {}
  end

  function class:compute(input)
    local output = torch.clone(input[1])
    local index = output.new():resizeAs(output):fill(1)
    for i = 2, #input do
      local better = isBetter(input[i], output)
      output = torch.where(better, input[i], output)
      index:maskedFill(better, i)
    end
    self[field] = index
    return output
  end

  return class, parent
end
