--- Makes classes of modules that compute each element of the output from one of the input: any shape, any float dtype.
-- @module nn.support.elementwise
local torch = require 'torch'
require 'nn'
local sized = require 'nn.support.sized'

--- @tparam string name of the class
-- @tparam function fn gives the output from the input and the module, by differentiable ops that don't write into the input. If the
-- module may work in place, it must keep nothing for the gradient that shares memory with the input
-- @tparam[opt='nn.Module'] string parentName
-- @tparam[opt] function gradient (gradOutput, saved, module) gives the gradient by the input as Torch7's module has it, from what the last
-- forward left in the field `from`; or from the input, where that has the output in place as good
-- @tparam[opt='output'] string from 'input' or the name of a field
-- @treturn table the class
-- @treturn table its parent
return function(name, fn, parentName, gradient, from)
  local class, parent = torch.class(name, parentName or 'nn.Module')

  function class:compute(input)
    local output = fn(input, self)
    if self.inplace then return input:copy(output) end
    return output
  end
  class.letsGo = class.compute
  if gradient then
    from = from or 'output'
    local field = from ~= 'input' and from ~= 'output' and from or nil
    class.saved = { of = class.compute, field = field, inplace = from ~= 'noise', gradient = function(module, input, gradOutput)
      local kept = from == 'input' and input or module[from]
      if not torch.isTensor(kept) or kept:nElement() ~= gradOutput:nElement() then return nil end
      return gradient(sized(gradOutput, kept), kept, module)
    end }
  end

  return class, parent
end
