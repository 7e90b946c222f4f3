--- Accesses to elements while a hook receives all ops of the Lua state: reads and writes of compiled loops through FFI, which a hook can't
-- see, become ops, and the hook is called for each pointer to elements that a program gets. C calls `watch` when a hook is set.
-- Compiled code notices the change, because it checks the metatables that are modified here.
-- @module torch.index.watched
local C = require 'libmoontorch'
local classes, hooks = require 'torch.tensor.classes', require 'torch.class.hooks'

local rawget, rawset = rawget, rawset

local watched = {}

local former = {}      -- metatable of a watched class -> its native __index, __newindex and data

local function watch(class)
  local metatable = class.metatable
  local data = rawget(metatable, 'data')
  local function exposed(x)
    C.expose(x)      -- first: a hook computes pending elements
    return data(x)
  end
  rawset(metatable, 'data', exposed)
  local own = { newindex = hooks.replaceNewindex(metatable, class.byOps), data = data, exposed = exposed }
  if class.reads then own.index = hooks.replaceIndex(metatable, class.reads) end
  former[metatable] = own
end

local function restore(class)
  local metatable = class.metatable
  local own = former[metatable]
  former[metatable] = nil
  hooks.replaceNewindex(metatable, own.newindex)
  if own.index then hooks.replaceIndex(metatable, own.index) end
  if rawget(metatable, 'data') == own.exposed then rawset(metatable, 'data', own.data) end
end

--- Starts or stops watching.
-- @bool on
function watched.watch(on)
  if on == (classes.noted ~= nil) then return end
  classes.noted = on and watch or nil
  for _, class in ipairs(classes.made) do
    if on then watch(class) else restore(class) end
  end
end

return watched
