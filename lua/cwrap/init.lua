--- The name of Torch7's writer of C interfaces, for programs that load it and never call it: here ops are declared
-- (docs/adding-an-op.md), and their interfaces follow from that.
-- @module cwrap
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
local cwrap = {}
package.loaded.cwrap = cwrap

--- Torch7's types of arguments: none are here.
cwrap.types = {}

--- Torch7's writer of an interface, whose `new` says what is here instead.
cwrap.CInterface = {}

local function refuse()
  require 'torch.check'.raise(
    'cwrap: C interfaces are not written here: an op is declared in C++ or Lua, and its Lua interface follows from that')
end

--- Began the writing of an interface in Torch7; here it says what is instead.
-- @raise always
cwrap.CInterface.new = refuse

return setmetatable(cwrap, { __call = refuse })
