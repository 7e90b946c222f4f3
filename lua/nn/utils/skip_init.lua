--- Modules without the draws of their parameters: a part of `nn.utils`.
-- @module nn.utils.skip_init
local torch, check = require 'torch', require 'torch.check'

local skip = {}

--- Returns a module whose parameters are not drawn: they have any elements, for example until `loadStateDict`.
-- @tparam table class constructor of a module, such as nn.Linear
-- @param ... its arguments
-- @treturn nn.Module
-- @raise if the constructor fails
-- @usage local net = nn.utils.skipInit(nn.Linear, 3, 2)
function skip.skipInit(class, ...)
  local metatable = type(class) == 'table' and getmetatable(class)
  if type(metatable) ~= 'table' or not metatable.__typename then
    check.raise(('nn.utils.skipInit: class: a %s, expected a class, such as nn.Linear'):format(torch.type(class)))
  end
  local own = rawget(metatable, 'reset')
  rawset(metatable, 'reset', function(self) return self end)
  local results = { pcall(class, ...) }
  rawset(metatable, 'reset', own)
  if not results[1] then error(results[2], 0) end
  return results[2]
end

return skip
