--- Mutexes and conditions, which threads share: as arguments, upvalues and results they go by reference. Their numbers do, too, as in
-- Torch7: `threads.Mutex(id)` is the mutex of that number.
-- @module threads.locks
local C = require 'libmoontorch.threads'

local locks = {}

local kinds = { Mutex = 0, Condition = 1 }

local function constructor(name, make)
  return function(id)
    if id == nil then return make() end
    if type(id) ~= 'number' then error(('threads.%s: id: %s came, a number was expected'):format(name, type(id)), 2) end
    return C.open(id, kinds[name]) or error(('threads.%s: id: %s came, which is the number of none that lives'):format(name, id), 2)
  end
end

--- A lock that one thread at a time holds.
-- @type Mutex
local Mutex = { __gc = C.free }
Mutex.__index = Mutex

--- Waits until no other thread holds the lock, and takes it.
-- @function Mutex:lock
Mutex.lock = C.lock

--- Gives the lock up.
-- @function Mutex:unlock
-- @raise if this thread does not hold it
Mutex.unlock = C.unlock

--- The number by which another thread finds it, as long as somebody holds an object of it.
-- @function Mutex:id
-- @treturn number
Mutex.id = C.id

--- Lets go of it before the collector would; others keep theirs.
-- @function Mutex:free
Mutex.free = C.free

--- Where threads wait for each other's signals.
-- @type Condition
local Condition = { __gc = C.free }
Condition.__index = Condition

--- Gives the mutex up, waits for a signal, and locks the mutex again.
-- @function Condition:wait
-- @tparam Mutex mutex which this thread holds
Condition.wait = C.wait

--- Wakes one of the threads that wait.
-- @function Condition:signal
Condition.signal = C.signal

--- As that of a mutex.
-- @function Condition:id
-- @treturn number
Condition.id = C.id

--- As that of a mutex.
-- @function Condition:free
Condition.free = C.free

locks.classes = { Mutex = Mutex, Condition = Condition }

--- A new mutex, or the one of a number.
-- @function locks.Mutex
-- @int[opt] id
locks.Mutex = constructor('Mutex', C.newMutex)

--- A new condition, or the one of a number.
-- @function locks.Condition
-- @int[opt] id
locks.Condition = constructor('Condition', C.newCondition)

local function pack(...) return { n = select('#', ...), ... } end

--- A function that holds a mutex while f runs, and can go to other threads.
-- @tparam function f
-- @tparam[opt] Mutex mutex a new one where none is given
-- @treturn function gives what f gives, and raises what f raises
function locks.safe(f, mutex)
  if type(f) ~= 'function' then error(('threads.safe: f: %s came, a function was expected'):format(type(f)), 2) end
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
