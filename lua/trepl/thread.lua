--- th's environment in a thread: its `require` and `print`, and th's initial globals, which a thread loads on first use.
-- @module trepl.thread
require 'torch.start.lua52'.install()
rawset(_G, 'print', require 'trepl.print'.print)
rawset(_G, 'require', require 'trepl.require')
require 'trepl.penlight'

local packages = { torch = true, paths = true, sys = true, xlua = true }

local metatable = getmetatable(_G)
local before = metatable.__index

function metatable.__index(t, name)
  if not packages[name] then return before(t, name) end
  local value = require(name)
  rawset(t, name, value)
  return value
end

return true
