--- Values written once, which any thread reads any number of times.
-- @classmod ipc.Marshal
local torch, check = require 'torch', require 'torch.check'
local sharedserialize = require 'threads.sharedserialize'
local ipc = require 'ipc'

local Marshal = torch.class('ipc.Marshal', ipc)

function Marshal:__init(storage) self._storage = storage end

--- Returns a new copy of the value; its tensors share the memory of those that were written.
-- @return the value
function Marshal:read()
  check.that(self._storage, 'ipc.marshal: read: it is closed')
  return sharedserialize.load(self._storage)
end

--- Drops the value here.
function Marshal:close() self._storage = false end

check.methods(Marshal, 'an ipc.marshal')
require 'ipc.passing'(Marshal, { '_storage' })

--- Writes a value.
-- @function ipc.marshal
-- @param x anything that can go to another thread
-- @treturn ipc.Marshal
return function(...)
  check.that(select('#', ...) > 0, 'ipc.marshal: must provide object to serialize at arg 1')
  local good, storage = pcall(sharedserialize.save, (...))
  if not good then check.raise(('ipc.marshal: %s'):format(storage)) end
  return Marshal(storage)
end
