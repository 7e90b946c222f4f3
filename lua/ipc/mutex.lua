--- Locks of threads: recursive, with a barrier.
-- @classmod ipc.Mutex
local torch, check = require 'torch', require 'torch.check'
local tds, threads = require 'tds', require 'threads'
local ipc = require 'ipc'

local Mutex = torch.class('ipc.Mutex', ipc)

local held = {}      -- by the lock's number: how often this thread has it

-- Fields of the hash that the threads share: `round` of the barrier, and how many threads have `come` in it.
function Mutex:__init()
  self._lock, self._guard, self._changed = threads.Mutex(), threads.Mutex(), threads.Condition()
  self._barrier = tds.Hash { round = 0, come = 0 }
end

--- Waits until no other thread has the lock, and takes it; as often as the thread likes.
function Mutex:lock()
  local id = self._lock:id()
  if not held[id] then self._lock:lock() end
  held[id] = (held[id] or 0) + 1
end

--- Gives the lock back, when it was called as often as `lock`.
-- @raise if this thread does not have it
function Mutex:unlock()
  local id = self._lock:id()
  check.that(held[id], 'ipc.mutex: unlock: this thread does not have the lock')
  held[id] = held[id] > 1 and held[id] - 1 or nil
  if not held[id] then self._lock:unlock() end
end

--- Waits until n threads have called it; then it serves for the next time.
-- @int n
function Mutex:barrier(n)
  check.int('ipc.mutex: barrier', 'n', n, { min = 1 })
  local shared = self._barrier
  self._guard:lock()
  local round = shared.round
  shared.come = shared.come + 1
  if shared.come >= n then
    shared.come, shared.round = 0, round + 1
    for _ = 2, n do self._changed:signal() end
  else
    while shared.round == round do self._changed:wait(self._guard) end
  end
  self._guard:unlock()
end

check.methods(Mutex, 'an ipc.mutex')
require 'ipc.passing'(Mutex, { '_lock', '_guard', '_changed', '_barrier' })

--- A new lock, which threads share as an argument, result or upvalue.
-- @function ipc.mutex
-- @treturn ipc.Mutex
return function() return Mutex() end
