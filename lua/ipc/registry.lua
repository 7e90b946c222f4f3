--- Queues by name, which all threads of ipc.map share: a hash outside Lua's heap, and its lock.
-- @module ipc.registry
local tds, threads = require 'tds', require 'threads'
local sharedserialize = require 'threads.sharedserialize'

local registry = {}

local shared

--- Returns what a new thread has to `adopt`.
function registry.get()
  shared = shared or { names = tds.Hash(), lock = threads.Mutex() }
  return shared
end

--- Shares the names of the thread that has started this one.
function registry.adopt(others) shared = shared or others end

--- Returns the object of a name, or a new one.
-- @string name
-- @tparam function new makes it
-- @return the object
-- @treturn bool whether it is new
function registry.open(name, new)
  local all = registry.get()
  all.lock:lock()
  local storage = all.names[name]
  local good, object = pcall(function() return storage and sharedserialize.load(storage) or new() end)
  if good and not storage then all.names[name] = sharedserialize.save(object) end
  all.lock:unlock()
  if not good then error(object, 0) end
  return object, not storage
end

--- Forgets a name.
function registry.close(name)
  local all = registry.get()
  all.lock:lock()
  all.names[name] = nil
  all.lock:unlock()
end

return registry
