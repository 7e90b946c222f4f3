--- A pool of threads, each with a Lua state of its own, that run jobs; what jobs give comes back to functions of the program's.
-- @classmod threads.Threads
local C = require 'libmoontorch.threads'
local environment = require 'threads.environment'

local mostThreads = 1000

local select, type, unpack, xpcall = select, type, unpack, xpcall

local Threads = {}
Threads.__index = Threads

local serializers = { ['threads.serialize'] = false, ['threads.sharedserialize'] = true }      -- whether tensors go by reference
local serializer = 'threads.serialize'

local function checkRunning(self)
  if not self._native then error('thread system is not running', 3) end
end

local function refuse(op, argument, came, expected, level)
  error(('%s: %s: %s came, %s was expected'):format(op, argument, type(came) == 'number' and came or type(came), expected), level + 1)
end

--- How pools that are made later send values: 'threads.serialize' copies tensors, storages and containers; 'threads.sharedserialize' hands
-- them over by reference, so that both sides see one memory.
-- @string[opt] name
-- @treturn string the name in use
function Threads.serialization(name)
  if name ~= nil then
    if serializers[name] == nil then
      refuse('serialization', 'name', name, "'threads.serialize' or 'threads.sharedserialize'", 2)
    end
    serializer = name
  end
  return serializer
end

local function finish(self, ends, number, worker, good, ...)
  local endCallback = ends[number]
  ends[number] = nil
  self._pending = self._pending - 1
  if not good then
    self._errors[#self._errors + 1] = ('[thread %d callback] %s'):format(worker, (...))
  elseif endCallback then
    local n, results = select('#', ...), { ... }
    local ok, message = xpcall(function() endCallback(unpack(results, 1, n)) end, debug.traceback)
    if not ok then self._errors[#self._errors + 1] = ('[thread %d endcallback] %s'):format(worker, tostring(message)) end
  end
end

--- Waits for a job to be done, and calls its end callback. Errors of either are kept for `synchronize`; `haserror` tells of them.
function Threads:dojob()
  checkRunning(self)
  if self._pending > 0 then finish(self, self._ends, C.take(self._native, 0)) end
end

local function add(self, worker, callback, endCallback, ...)
  if type(callback) ~= 'function' then refuse('addjob', 'callback', callback, 'a function', 3) end
  if endCallback ~= nil and type(endCallback) ~= 'function' then refuse('addjob', 'endcallback', endCallback, 'a function', 3) end
  while not self:acceptsjob(worker) do self:dojob() end
  local number = C.add(self._native, worker or 0, self._byReference, callback, ...)
  self._pending = self._pending + 1
  self._ends[number] = endCallback or false
end

--- Queues a call of `callback(...)` for the first thread that is free; in specific mode for the thread whose number comes first. While as
-- many jobs wait as there are threads, jobs that are done get their end callbacks first.
-- @function Threads:addjob
-- @int[opt] id the thread, in specific mode
-- @tparam function callback runs in a thread; its upvalues go along as values, globals are the thread's own
-- @tparam[opt] function endcallback gets the callback's results, here, in `dojob` or `synchronize`
-- @param[opt] ... arguments of the callback
function Threads:addjob(id, ...)
  checkRunning(self)
  if not self._specific then return add(self, nil, id, ...) end
  if type(id) ~= 'number' or id < 1 or id > self.N or id % 1 ~= 0 then error('thread index expected', 2) end
  add(self, id, ...)
end

function Threads:acceptsjob()
  checkRunning(self)
  local queued, _, done = C.counts(self._native)
  return queued < self.N and done < 2 * self.N
end

function Threads:hasjob()
  checkRunning(self)
  return self._pending > 0
end

function Threads:haserror() return #self._errors > 0 end

function Threads:isrunning() return self._native ~= nil end

local function raiseErrors(self)
  if #self._errors == 0 then return end
  local message = table.concat(self._errors, '\n')
  self._errors = {}
  error('\n' .. message, 0)
end

--- Does all jobs, with their end callbacks.
-- @raise the errors of callbacks and end callbacks since the last time
function Threads:synchronize()
  if not self._native then return end
  while self._pending > 0 do self:dojob() end
  raiseErrors(self)
end

function Threads:specific(flag)
  checkRunning(self)
  if flag ~= nil then
    self:synchronize()
    self._specific = flag and true or false
  end
  return self._specific
end

function Threads:terminate()
  checkRunning(self)
  while self._pending > 0 do self:dojob() end
  C.close(self._native, false)
  self._native = nil
  raiseErrors(self)
end

-- A pool that is collected does its jobs first, as in Torch7; what goes wrong is told, as nobody can catch it.
local function collect(native)
  local pool = debug.getfenv(native)
  if not pool._native or not C.isOfThisProcess(native) then return end
  local good, message = pcall(pool.terminate, pool)
  if good then return end
  C.close(native, true)
  io.stderr:write('threads: a pool was collected, and its jobs had errors: ', tostring(message), '\n')
end

local nativeClass = { __gc = collect }

-- Calls each of the functions in all threads; what the last one gave in each.
local function initialise(pool, ...)
  local results = {}
  for i = 1, select('#', ...) do
    for id = 1, pool.N do
      pool:addjob(id, (select(i, ...)), function(...) results[id] = { ... } end, id)
    end
    pool:synchronize()
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
local function new(n, ...)
  if type(n) ~= 'number' or not (n >= 1 and n <= mostThreads and n % 1 == 0) then
    refuse('threads.Threads', 'N', n, ('a whole number from 1 to %d'):format(mostThreads), 3)
  end
  local pool = setmetatable({
    N = n,
    _pending = 0,                            -- jobs whose end callback has not been called
    _ends = {},                              -- end callbacks, by the numbers of their jobs
    _errors = {},                            -- for synchronize
    _specific = true,                        -- while threads are initialised
    _byReference = serializers[serializer],
  }, Threads)
  pool._native = C.newPool(n, nativeClass, environment.get())
  debug.setfenv(pool._native, pool)
  local good, results = pcall(initialise, pool, ...)
  if not good then
    C.close(pool._native, true)
    pool._native = nil
    error(results, 0)
  end
  pool._specific = false
  return pool, results
end

setmetatable(Threads, { __call = function(_, ...) return new(...) end })

return Threads
