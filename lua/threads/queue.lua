--- Queues of calls, which any thread adds to and any thread takes from; as arguments and upvalues of jobs they go by reference.
-- @module threads.queue
-- @usage local Queue = require 'threads.queue'
-- local queue = Queue(10)
-- queue:addjob(function(a, b) return a + b end, 1, 2)      -- here
-- local sum = queue:dojob()                                -- in another thread
local C = require 'libmoontorch.threads'
local serialization = require 'threads.serialization'

local Queue = { __gc = C.free }
Queue.__index = Queue

--- Queues a call; waits while the queue is full.
-- @tparam function callback goes with its upvalues as values
-- @param ... its arguments
function Queue:addjob(callback, ...)
  if type(callback) ~= 'function' then error(('addjob: callback: %s came, a function was expected'):format(type(callback)), 2) end
  C.queueAdd(self, callback, ...)
end

local function call(f, ...) return f(...) end

--- Waits for a call, and makes it in this thread.
-- @return what the function gives
function Queue:dojob() return call(C.queueTake(self)) end

--- Whether calls wait.
-- @treturn bool
function Queue:hasjob() return (C.queueCounts(self)) > 0 end

--- Whether a call can be added without waiting.
-- @treturn bool
function Queue:acceptsjob()
  local waiting, room = C.queueCounts(self)
  return waiting < room
end

--- A text by which another thread finds the queue (`Queue(id)`), as long as somebody holds an object of it.
-- @treturn string
function Queue:id() return ('queue %d'):format(C.id(self)) end

--- Of Torch7's interface: objects hold the queue as it is, so this does nothing.
function Queue:retain() return self end

--- Lets go of the queue before the collector would; others keep theirs.
-- @function Queue:free
Queue.free = C.free

local shared = 2      -- the kind, as C.open takes it

local function open(id)
  local number = tonumber(id:match '^queue (%d+)$')
  return number and C.open(number, shared) or error(('threads.Queue: id: %q came, which is that of none that lives'):format(id), 3)
end

--- A new queue, or the one of an id.
-- @function Queue
-- @param size how many calls may wait; or an id
-- @string[opt='threads.serialize'] serializer how tensors go, as `threads.Threads.serialization` has it
-- @return the queue
local function new(_, size, serializer)
  if type(size) == 'string' then return open(size) end
  if type(size) ~= 'number' or not (size >= 1 and size < 2 ^ 31 and size % 1 == 0) then
    error(('threads.Queue: N: %s came, a whole number of 1 or more was expected'):format(tostring(size)), 2)
  end
  return C.newQueue(size, serialization.isShared('threads.Queue', serializer or 'threads.serialize'))
end

return setmetatable({ class = Queue }, { __call = new })
