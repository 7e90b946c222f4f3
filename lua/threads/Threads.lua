--- A pool of threads, each with a Lua state of its own, that run jobs; what jobs give comes back to functions of the program's.
-- @classmod threads.Threads
-- @usage local pool = threads.Threads(2)
-- pool:addjob(function(n) return n * n end, function(square) print(square) end, 3)
-- pool:synchronize()
local C = require 'libmoontorch.threads'
local environment, serialization = require 'threads.environment', require 'threads.serialization'
local pool = require 'threads.pool'

local serializer = 'threads.serialize'

-- Calls each of the functions in all threads; what the last one gave in each.
local function initialise(self, ...)
  local results = {}
  for i = 1, select('#', ...) do
    for id = 1, self.N do
      pool.add(self, id, (select(i, ...)), function(...) results[id] = { ... } end, id)
    end
    self:synchronize()
  end
  return results
end

--- Starts threads. Each function is called in every thread, one after the other, with the thread's number, which is the global `__threadid`
-- there, too.
-- @function Threads
-- @int N how many
-- @tparam[opt] function ... the first usually requires what upvalues of the next need
-- @treturn Threads
-- @treturn table what the last function gave, a table for each thread
local function new(class, n, ...)
  pool.check('threads.Threads', n, ...)
  local count, functions = select('#', ...), { ... }
  return pool.new(class, n, { _byReference = serialization.isShared('threads.Threads', serializer) },
    function(_, nativeClass) return C.newPool(n, nativeClass, environment.get()) end,
    function(self) return initialise(self, unpack(functions, 1, count)) end)
end

local Threads = pool.class(C, 'thread', new)

--- A descriptor of the system's (eventfd) that is readable while a job is done whose end callback was not called yet: for event loops, such
-- as epoll's, that are to call `dojob` then. It is the pool's: it stays open until the pool is gone, and nobody else reads it. An ordered
-- pool's is readable for any job; `isready` tells whether it is the next one's turn.
-- @treturn int
function Threads:eventfd()
  if not self:isrunning() then error('thread system is not running', 2) end
  return C.eventfd(self._native)
end

--- How pools that are made later send values: 'threads.serialize' copies tensors, storages and containers; 'threads.sharedserialize' hands
-- them over by reference, so that both sides see one memory.
-- @string[opt] name
-- @treturn string the name in use
function Threads.serialization(name)
  if name ~= nil then
    serialization.isShared('serialization', name)
    serializer = name
  end
  return serializer
end

return Threads
