--- Mutexes and conditions, which threads share: as arguments, upvalues and results they are passed by reference. As in Torch7, their
-- numbers can be passed, too: `threads.Mutex(id)` is the mutex with that number.
-- @module threads.locks
local C = require 'libmoontorch.threads'

local locks = {}

local kinds = { Mutex = 0, Condition = 1 }

local function constructor(name, make)
  return function(id)
    if id == nil then return make() end
    if type(id) ~= 'number' then error(('threads.%s: id: %s, expected a number'):format(name, type(id)), 2) end
    return C.open(id, kinds[name]) or error(('threads.%s: id: %s, expected that of an existing %s'):format(name, id, name), 2)
  end
end

--- A lock that one thread at a time can hold.
-- @type Mutex
local Mutex = { __gc = C.free }
Mutex.__index = Mutex

--- Waits until no other thread holds the lock, and locks it.
-- @function Mutex:lock
Mutex.lock = C.lock

--- Unlocks it.
-- @function Mutex:unlock
-- @raise if this thread does not hold it
Mutex.unlock = C.unlock

--- The number by which another thread can open it, as long as some thread holds an object of it.
-- @function Mutex:id
-- @treturn number
Mutex.id = C.id

--- Releases this object before the garbage collector does; objects of other threads stay valid.
-- @function Mutex:free
Mutex.free = C.free

--- A condition variable, for threads to wait for signals.
-- @type Condition
local Condition = { __gc = C.free }
Condition.__index = Condition

--- Unlocks the mutex, waits for a signal, and locks the mutex again.
-- @function Condition:wait
-- @tparam Mutex mutex locked by this thread
Condition.wait = C.wait

--- Wakes one of the waiting threads.
-- @function Condition:signal
Condition.signal = C.signal

--- Same as for a mutex.
-- @function Condition:id
-- @treturn number
Condition.id = C.id

--- Same as for a mutex.
-- @function Condition:free
Condition.free = C.free

locks.classes = { Mutex = Mutex, Condition = Condition }

--- A new mutex, or the one with a number.
-- @function locks.Mutex
-- @int[opt] id
locks.Mutex = constructor('Mutex', C.newMutex)

--- A new condition, or the one with a number.
-- @function locks.Condition
-- @int[opt] id
locks.Condition = constructor('Condition', C.newCondition)

local function pack(...) return { n = select('#', ...), ... } end

--- A function that holds a mutex while f runs, and can be sent to other threads.
-- @tparam function f
-- @tparam[opt] Mutex mutex default: a new one
-- @treturn function returns f's results, and raises f's errors
function locks.safe(f, mutex)
  if type(f) ~= 'function' then error(('threads.safe: f: %s, expected a function'):format(type(f)), 2) end
  mutex = mutex or locks.Mutex()
  return function(...)
    mutex:lock()
    local results = pack(pcall(f, ...))
    mutex:unlock()
    if not results[1] then error(results[2], 0) end
    return unpack(results, 2, results.n)
  end
end

return locks
