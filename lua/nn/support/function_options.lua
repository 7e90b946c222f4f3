--- Options of classes that are arguments of functions in nn.functional.
-- @module nn.support.function_options
local signatures = require 'nn.support.signatures'

--- Returns the declared arguments of a function as options for nn.declare, each stored in the field of its name.
-- @tparam function f
-- @int first position of the first one
-- @string[opt] omits the name of an argument that is no option
-- @treturn {table,...}
-- @treturn {string,...} their names
return function(f, first, omits)
  local arguments, options, names = signatures[f], {}, {}
  for i = first, #arguments do
    local name = arguments[i][1]
    if name ~= omits then
      local option = {}
      for key, value in pairs(arguments[i]) do option[key] = value end
      option.field = name
      options[#options + 1], names[#names + 1] = option, name
    end
  end
  return options, names
end
