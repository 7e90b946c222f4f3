--- Makes functions report errors of the ops inside them at the line of the program.
-- @module torch.linalg.at_caller
local check, guard = require 'torch.check', require 'torch.check.guard'

--- @tparam {[string]=function} functions which call no functions of a program
-- @treturn {[string]=function} the same names
return function(functions)
  local made = {}
  for name, f in pairs(functions) do
    made[name] = function(...) return check.call(f, ...) end
    guard.written[made[name]] = f
  end
  return made
end
