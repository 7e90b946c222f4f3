--- Queues of calls, to which any thread adds calls and from which any thread takes them. As arguments and upvalues of jobs they are passed
-- by reference.
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
-- @tparam function callback is sent with its upvalues as values
-- @param ... its arguments
function Queue:addjob(callback, ...)
  if type(callback) ~= 'function' then error(('addjob: callback: %s, expected a function'):format(type(callback)), 2) end
  C.queueAdd(self, callback, ...)
end

local function call(f, ...) return f(...) end

--- Waits for a call, and runs it in this thread.
-- @return the function's results
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

--- A string by which another thread can open the queue (`Queue(id)`), as long as some thread holds an object of it.
-- @treturn string
function Queue:id() return ('queue %d'):format(C.id(self)) end

--- For Torch7's interface: does nothing, since objects hold the queue anyway.
function Queue:retain() return self end

--- Releases this object before the garbage collector does; objects of other threads stay valid.
-- @function Queue:free
Queue.free = C.free

local shared = 2      -- the kind for C.open

local function open(id)
  local number = tonumber(id:match '^queue (%d+)$')
  return number and C.open(number, shared) or error(('threads.Queue: id: %q, expected that of an existing queue'):format(id), 3)
end

--- A new queue, or the one with an id.
-- @function Queue
-- @param size maximum number of waiting calls; or an id
-- @string[opt='threads.serialize'] serializer how tensors are sent, as for `threads.Threads.serialization`
-- @return the queue
local function new(_, size, serializer)
  if type(size) == 'string' then return open(size) end
  if type(size) ~= 'number' or not (size >= 1 and size < 2 ^ 31 and size % 1 == 0) then
    error(('threads.Queue: N: %s, expected a whole number of 1 or more'):format(tostring(size)), 2)
  end
  return C.newQueue(size, serialization.isShared('threads.Queue', serializer or 'threads.serialize'))
end

return setmetatable({ class = Queue }, { __call = new })
