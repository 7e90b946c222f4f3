--- Threads, each with a separate Lua state: pools that run jobs, mutexes, conditions and queues.
-- @module threads
-- @usage local threads = require 'threads'
-- local pool = threads.Threads(2)
-- for i = 1, 4 do pool:addjob(function() return i * i end, function(square) print(square) end) end
-- pool:synchronize()
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch.start.luajit'
local C = require 'libmoontorch.threads'

local locks, queue = require 'threads.locks', require 'threads.queue'
C.setClasses(locks.classes.Mutex, locks.classes.Condition, queue.class, require('threads.shared_table').class)

local threads = {
  Threads = require 'threads.Threads', Thread = require 'threads.Thread',
  Mutex = locks.Mutex, Condition = locks.Condition, safe = locks.safe, Queue = queue,
}

--- Same as `threads.Threads.serialization`; programs use both names.
-- @function threads.serialization
threads.serialization = threads.Threads.serialization

--- Wraps a value in arguments, results and upvalues of jobs: tensors, storages and containers in it are passed by reference, independent of
-- the pool's serialisation.
-- @function threads.reference
-- @param value
threads.reference = C.reference

return setmetatable(threads, { __call = function(_, ...) return threads.Threads(...) end })
