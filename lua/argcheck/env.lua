--- Types of values in argcheck. A program may replace both functions; checks that are declared afterwards use the new ones.
-- @module argcheck.env
local torch = require 'torch'

local env = {}

--- Whether a value has a type: Lua's types, classes and their parents, and patterns such as `torch.*Tensor`.
-- @param obj
-- @string typename
-- @treturn bool
function env.istype(obj, typename)
  if torch.type(obj) == typename then return true end
  return torch.typename(obj) ~= nil and torch.isTypeOf(obj, typename)
end

--- The name of a value's type: that of its class, or Lua's.
-- @param obj
-- @treturn string
function env.type(obj) return torch.type(obj) end

return env
