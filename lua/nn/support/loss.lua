--- Declarations of criteria that are functions of nn.functional: their options are the function's further arguments.
-- @module nn.support.loss
local functional, optionsOf = require('nn').functional, require 'nn.support.function_options'
local explain = require 'nn.support.explain'

local unpack = unpack

--- @tparam table spec argument of nn.declare: name, samples; instead of a computation `call`, the name of the function; `data`, how many of
--   its first arguments are tensors of a call (2); `arrange` (input, target) -> those arguments, by default input and target; `omits`, the
--   name of an argument that is no option
-- @treturn table the declaration
return function(spec)
  local f, count, arrange = functional[spec.call], spec.data or 2, spec.arrange
  local options, names = optionsOf(f, count + 1, spec.omits)
  spec.parent, spec.options = 'nn.Criterion', options
  spec.call, spec.data, spec.arrange, spec.omits = nil, nil, nil, nil
  local number = #names
  function spec.compute(self, input, target)
    local given = { explain.input(self, input), target }
    if arrange then given = { arrange(input, target) } end
    for i = 1, number do given[count + i] = self[names[i]] end
    return f(unpack(given, 1, count + number))
  end
  return spec
end
