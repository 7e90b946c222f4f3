--- Creates classes of modules that choose, for each element, one of the tensors in a table.
-- @module nn.support.choice
local torch, nn = require 'torch', require 'nn'

--- @tparam string name of the class
-- @tparam function isBetter returns where the elements of one tensor are preferred to those of another
-- @tparam string field receives the position of the chosen tensor for each element
-- @treturn table the class
-- @treturn table its parent
return function(name, isBetter, field)
  local class, parent = nn.declare {
    name = name, takes = 'table',
    compute = function(self, input)
      local output = torch.clone(input[1])
      local index = output.new():resizeAs(output):fill(1)
      for i = 2, #input do
        local better = isBetter(input[i], output)
        output = torch.where(better, input[i], output)
        index:maskedFill(better, i)
      end
      self[field] = index
      return output
    end,
    samples = { { name:gsub('^nn%.', '') .. '()', { { 3, 2 }, { 3, 2 }, { 3, 2 } } } },
  }

  function class:__init()
    parent.__init(self)
    self[field] = torch.Tensor()
    self.gradInput = {}
  end

  return class, parent
end
