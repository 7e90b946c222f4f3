--- Declarations of modules that call a function of nn.functional with their input and their fields: the function's further arguments are
-- the class's options.
-- @module nn.support.layer
local nn, optionsOf = require 'nn', require 'nn.support.function_options'

local unpack = unpack

--- @tparam table spec argument of nn.declare: name, samples; instead of a computation `call`, the name of the function; `inputs`, how many
--   of its first arguments are the module's input (1), entries of a table if several; `order`, the names of the options if their order
--   differs from the function's
-- @treturn table the class, and its parent
return function(spec)
  local f, inputs = nn.functional[spec.call], spec.inputs or 1
  local options, fields = optionsOf(f, inputs + 1)
  local byName = {}
  for _, option in ipairs(options) do byName[option[1]] = option end
  for i, name in ipairs(spec.order or {}) do options[i] = byName[name] end
  spec.options, spec.takes = options, inputs > 1 and 'table' or nil
  spec.call, spec.inputs, spec.order = nil, nil, nil
  local count = #fields
  function spec.compute(self, input)
    local given = inputs == 1 and { input } or { unpack(input, 1, inputs) }
    for i = 1, count do given[inputs + i] = self[fields[i]] end
    local result, second = f(unpack(given, 1, inputs + count))
    return second == nil and result or { result, second }
  end
  return nn.declare(spec)
end
