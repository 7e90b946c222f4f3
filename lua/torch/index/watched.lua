--- Writes to elements while a hook is told of all ops of the Lua state: what compiled loops do through FFI, unseen, runs ops then, and the
-- hook is told of each pointer to elements that a program gets. C calls `watch` when a hook is set.
-- Compiled code notices, as it looks at the metatables that are changed here.
-- @module torch.index.watched
local C = require 'libmoontorch'
local classes, hooks = require 'torch.tensor.classes', require 'torch.class.hooks'

local rawget, rawset = rawget, rawset

local watched = {}

local former = {}      -- metatable of a class that is watched -> its own __newindex and data

local function watch(class)
  local metatable = class.metatable
  local data = rawget(metatable, 'data')
  local function exposed(x)
    local pointer = data(x)
    C.expose(x)
    return pointer
  end
  rawset(metatable, 'data', exposed)
  former[metatable] = { newindex = hooks.replaceNewindex(metatable, class.byOps), data = data, exposed = exposed }
end

local function restore(class)
  local metatable = class.metatable
  local own = former[metatable]
  former[metatable] = nil
  hooks.replaceNewindex(metatable, own.newindex)
  if rawget(metatable, 'data') == own.exposed then rawset(metatable, 'data', own.data) end
end

--- Begins or ends to watch.
-- @bool on
function watched.watch(on)
  if on == (classes.noted ~= nil) then return end
  classes.noted = on and watch or nil
  for _, class in ipairs(classes.made) do
    if on then watch(class) else restore(class) end
  end
end

return watched
