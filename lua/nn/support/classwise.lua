--- Makes modules of an op over the classes of each sample.
-- @module nn.support.classwise
local torch = require 'torch'
require 'nn'
local sized = require 'nn.support.sized'

local function classes(x) return x:dim() % 2 == 1 and 1 or 2 end

--- @string name of the class
-- @string op of torch, whose gradient by its result is the op `<op>_grad`
-- @treturn table the class
return function(name, op)
  local Class = torch.class(name, 'nn.Module')
  local forward, backward = torch[op], torch[op .. '_grad']

  function Class:compute(input)
    local dim = input:dim()
    if dim < 1 or dim > 4 then error(('%s: input: %d dimensions, 1D, 2D, 3D or 4D tensor expected'):format(name, dim), 0) end
    return forward(input, classes(input))
  end
  Class.letsGo = Class.compute

  Class.saved = { of = Class.compute, gradient = function(self, _, gradOutput)
    local y = self.output
    if y:nElement() ~= gradOutput:nElement() then return nil end
    return backward(sized(gradOutput, y), y, classes(y))
  end }

  return Class
end
