--- Calls of modules with a list of sizes after the input, which sets a field for this call.
-- @module nn.support.sized
local torch = require 'torch'

--- @tparam table parent the class whose method `__call__` computes: looked up at each call, because nngraph replaces it
-- @string field
-- @tparam function valueOf (self, input, outputSize) returns the field's value; outputSize is a table of numbers
-- @treturn function the method `__call__`
return function(parent, field, valueOf)
  return function(self, ...)
    local input, outputSize = ...
    local isSizes = torch.isStorage(outputSize) or type(outputSize) == 'table' and type(outputSize[1]) == 'number'
    if not isSizes then return parent.__call__(self, ...) end
    local before = self[field]
    self[field] = valueOf(self, input, torch.isStorage(outputSize) and outputSize:totable() or outputSize)
    local done, output = pcall(parent.__call__, self, input)
    self[field] = before
    if not done then error(output, 0) end
    return output
  end
end
