--- A pool of threads, each with a separate Lua state, that run jobs; the results are passed to functions of the program.
-- @classmod threads.Threads
-- @usage local pool = threads.Threads(2)
-- pool:addjob(function(n) return n * n end, function(square) print(square) end, 3)
-- pool:synchronize()
local C = require 'libmoontorch.threads'
local environment, serialization = require 'threads.environment', require 'threads.serialization'
local pool = require 'threads.pool'

local serializer = 'threads.serialize'

-- Calls each of the functions in all threads; returns the results of the last one in each thread.
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

--- Starts threads. Each thread calls the functions in order with the thread's number, which is also the global `__threadid` in the
-- thread.
-- @function Threads
-- @int N number of threads
-- @tparam[opt] function ... the first one usually requires packages that upvalues of the next need
-- @treturn Threads
-- @treturn table the last function's results, a table for each thread
local function new(class, n, ...)
  pool.check('threads.Threads', n, ...)
  local count, functions = select('#', ...), { ... }
  return pool.new(class, n, { _byReference = serialization.isShared('threads.Threads', serializer) },
    function(_, nativeClass) return C.newPool(n, nativeClass, environment.get()) end,
    function(self) return initialise(self, unpack(functions, 1, count)) end)
end

local Threads = pool.class(C, 'thread', new)

--- A file descriptor (eventfd) that is readable while the end callback of some finished job is not yet called, for event loops, such as
-- epoll's, which then call `dojob`. It belongs to the pool and stays open until the pool is freed; no other code may read it. In ordered
-- mode it is readable for any job; `isready` returns whether the next job in order is done.
-- @treturn int
function Threads:eventfd()
  if not self:isrunning() then error('thread system is not running', 2) end
  return C.eventfd(self._native)
end

--- Sets how pools created later send values: 'threads.serialize' copies tensors, storages and containers; 'threads.sharedserialize' passes
-- them by reference, so that both sides share memory.
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
