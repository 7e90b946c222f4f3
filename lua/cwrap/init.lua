--- A placeholder for Torch7's generator of C interfaces, for programs that load it but never call it. Moontorch derives the interfaces from
-- the declarations of ops (docs/adding-an-op.md).
-- @module cwrap
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
local cwrap = {}
package.loaded.cwrap = cwrap

--- Torch7's types of arguments: empty.
cwrap.types = {}

--- Torch7's generator of an interface, whose `new` raises an error that names the replacement.
cwrap.CInterface = {}

local function refuse()
  require 'torch.check'.raise(
    'cwrap: C interfaces are not written here: an op is declared in C++ or Lua, and its Lua interface follows from that')
end

--- Started an interface in Torch7. Raises an error that names the replacement.
-- @raise always
cwrap.CInterface.new = refuse

return setmetatable(cwrap, { __call = refuse })
