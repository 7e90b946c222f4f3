--- Declarations of modules that call a function of nn.functional with their input and their fields: the function's further arguments are
-- the class's options.
-- @module nn.support.layer
local nn, signatures = require 'nn', require 'nn.support.signatures'

local unpack = unpack

--- @tparam table spec argument of nn.declare: name, samples; instead of a computation `call`, the name of the function; `inputs`, how many
--   of its first arguments are the module's input (1), entries of a table if several; `order`, the names of the options if their order
--   differs from the function's
-- @treturn table the class, and its parent
return function(spec)
  local f, inputs = nn.functional[spec.call], spec.inputs or 1
  local arguments, byName, options, fields = signatures[f], {}, {}, {}
  for i = inputs + 1, #arguments do
    local option = { field = arguments[i][1] }
    for key, value in pairs(arguments[i]) do option[key] = value end
    byName[option[1]], options[i - inputs], fields[i - inputs] = option, option, option[1]
  end
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
