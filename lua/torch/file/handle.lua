--- The handles of files in programs: userdata, as in Torch7, with the file's state as environment. Internally, files are their states:
-- plain tables, which LuaJIT accesses fast.
-- @module torch.file.handle
local class = require 'torch.class'

local getfenv, setfenv, type = debug.getfenv, debug.setfenv, type

local handle = {}

--- Returns the state of a file.
-- @raise if it is not a file
function handle.state(file)
  local state = type(file) == 'userdata' and getfenv(file)
  if not state or not state._isFile then
    error(('torch.File: self: %s, expected a file (was the method called with . instead of : ?)'):format(class.type(file)), 3)
  end
  return state
end

--- Returns the userdata of a state, always the same.
function handle.of(state)
  if not state._handle then
    state._handle = setfenv(newproxy(false), state)
    debug.setmetatable(state._handle, state._class)
  end
  return state._handle
end

local function method(f)
  return function(file, ...)
    local state = handle.state(file)
    local result = f(state, ...)
    if result == state then return file end
    return result
  end
end

--- Adds the methods of states to a class, except those whose names start with `_`.
-- @tparam table metatable the class
-- @tparam table methods functions of a state; if a function returns the state, its method returns the file
function handle.publish(metatable, methods)
  for name, f in pairs(methods) do
    if type(f) == 'function' and not name:find '^_%a' then rawset(metatable, name, method(f)) end
  end
end

--- Returns a method that describes a state in Torch7's words, with a space for a missing half of the mode.
-- @string pattern with $name, $status and $mode
function handle.describe(pattern)
  return function(state)
    local mode = (state._readable and 'r' or ' ') .. (state._writable and 'w' or ' ')
    return (pattern:gsub('%$(%a+)', { name = state._name, status = state._channel and 'open' or 'closed', mode = mode }))
  end
end

return handle
