--- Declarations of criteria that are functions of nn.functional: their options are the function's further arguments.
-- @module nn.support.loss
local functional, signatures = require('nn').functional, require 'nn.support.signatures'
local explain = require 'nn.support.explain'

local unpack = unpack

--- @tparam table spec argument of nn.declare: name, samples; instead of a computation `call`, the name of the function; `data`, how many of
--   its first arguments are tensors of a call (2); `arrange` (input, target) -> those arguments, by default input and target; `omits`, the
--   name of an argument that is no option
-- @treturn table the declaration
return function(spec)
  local f, count, arrange, omits = functional[spec.call], spec.data or 2, spec.arrange, spec.omits
  local arguments, options, names = signatures[f], {}, {}
  for i = count + 1, #arguments do
    local argument = arguments[i]
    if argument[1] ~= omits then
      local option = {}
      for key, value in pairs(argument) do option[key] = value end
      option.field = argument[1]
      options[#options + 1] = option
      names[#names + 1] = option.field
    end
  end
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
