--- The base of pools of workers, threads or processes: jobs, their end callbacks and errors, and the modes.
-- A class of pools has `_calls`, the functions that access its workers, and `_word`, the name of a worker in messages.
-- @classmod threads.pool
local type, tostring, xpcall, traceback = type, tostring, xpcall, debug.traceback

local Pool = {}

local mostWorkers = 1000

local function refuse(op, argument, actual, expected, level)
  local shown = type(actual) == 'number' and tostring(actual) or type(actual)
  error(('%s: %s: %s, expected %s'):format(op, argument, shown, expected), level + 1)
end

local function checkRunning(self)
  if not self._native then error(self._word .. ' system is not running', 3) end
end

-- Finishes a job: calls its end callback and stores errors. Without a job's number it does nothing: the wait ended because there was room
-- for another job.
local function finish(self, number, worker, good, ...)
  self._waits = false
  if not number then return end
  local endCallback = self._ends[number]
  self._ends[number] = nil
  self._pending = self._pending - 1
  if self._ordered then self._oldest = number + 1 end
  local problem = ...
  if good then
    if not endCallback then return end
    local ok, message = xpcall(endCallback, traceback, ...)
    if ok then return end
    problem = message
  end
  self._errors[#self._errors + 1] = ('[%s %d %s] %s'):format(self._word, worker, good and 'endcallback' or 'callback', tostring(problem))
end

local function doJob(self, worker, room)
  self._waits = true      -- also after an interrupt ends the wait
  finish(self, self._calls.take(self._native, self._ordered and self._oldest or 0, worker, room))
end

--- Waits until a job is done, and calls its end callback. Errors of either are stored for `synchronize`; see `haserror`.
-- @raise if no job is pending
function Pool:dojob()
  checkRunning(self)
  if self._pending == 0 then
    error('dojob: no job is under way' .. (#self._errors > 0 and ', and there were errors:\n' .. table.concat(self._errors, '\n') or ''), 2)
  end
  doJob(self)
end

-- Whether a job may be added without finishing another one first; `worker` is nil for any thread. At most N jobs may wait for N threads,
-- and 2 N results.
local function accepts(self, worker)
  if self._limit then return self._pending < self._limit end
  local waiting, done = self._calls.counts(self._native, worker or 0)
  return waiting < self.N and done < 2 * self.N
end

-- If there are too many results, finishes one; otherwise it is enough that a thread starts a job.
local function makeRoom(self, worker)
  local _, done = self._calls.counts(self._native, 0)
  local mustDo = self._limit or done >= 2 * self.N
  doJob(self, worker, mustDo and 0 or self.N)
end

local function add(self, worker, callback, endCallback, ...)
  if type(callback) ~= 'function' then refuse('addjob', 'callback', callback, 'a function', 3) end
  if endCallback ~= nil and type(endCallback) ~= 'function' then refuse('addjob', 'endcallback', endCallback, 'a function', 3) end
  while not accepts(self, worker) do makeRoom(self, worker) end
  local number = self._calls.add(self._native, worker or 0, self._byReference, callback, ...)
  if self._pending == 0 then self._oldest = number end
  self._pending = self._pending + 1
  self._ends[number] = endCallback
end

local function isThread(self, id) return type(id) == 'number' and id >= 1 and id <= self.N and id % 1 == 0 end

--- Queues a call of `callback(...)` for the next free thread, or in specific mode for the thread `id`. While as many calls wait as there
-- are threads, first calls the end callbacks of finished jobs.
-- @function Pool:addjob
-- @int[opt] id the thread, in specific mode
-- @tparam function callback runs in a thread; its upvalues are sent as values, globals are those of the thread
-- @tparam[opt] function endcallback is called with the callback's results in this thread, by `dojob` or `synchronize`
-- @param[opt] ... arguments of the callback
-- @raise if a value can't be sent to another thread, with its location and the reason
function Pool:addjob(id, ...)
  checkRunning(self)
  if not self._specific then return add(self, nil, id, ...) end
  if not isThread(self, id) then error(self._word .. ' index expected', 2) end
  add(self, id, ...)
end

--- Whether `addjob` would return at once.
-- @int[opt] id the thread, in specific mode
-- @treturn bool
function Pool:acceptsjob(id)
  checkRunning(self)
  if self._specific and not isThread(self, id) then error(self._word .. ' index expected', 2) end
  return accepts(self, self._specific and id or nil)
end

--- Whether a job is pending, or its end callback was not called yet.
-- @treturn bool
function Pool:hasjob()
  checkRunning(self)
  return self._pending > 0
end

--- Whether there were errors that `synchronize` has not raised yet.
-- @treturn bool
function Pool:haserror() return #self._errors > 0 end

--- Whether `dojob` would return without waiting.
-- @treturn bool
function Pool:isready()
  checkRunning(self)
  return self._pending > 0 and self._calls.isDone(self._native, self._ordered and self._oldest or 0)
end

--- Whether the pool accepts jobs: until `terminate`.
-- @treturn bool
function Pool:isrunning() return self._native ~= nil end

local function raiseErrors(self)
  if #self._errors == 0 then return end
  local message = table.concat(self._errors, '\n')
  self._errors = {}
  error('\n' .. message, 0)
end

--- Waits for all jobs and calls their end callbacks.
-- @raise the errors of callbacks and end callbacks since the last call, each as '[thread 1 callback] ' or '[thread 1 endcallback] ', the
-- message and the stack
function Pool:synchronize()
  if not self._native then return end
  while self._pending > 0 do doJob(self) end
  raiseErrors(self)
end

-- Returns or sets a mode of the pool; sets it after all jobs are done.
local function mode(self, name, value)
  checkRunning(self)
  if value ~= nil then
    self:synchronize()
    self[name] = value
  end
  return self[name]
end

--- Whether each job names its thread.
-- @bool[opt] flag sets it, after `synchronize`
-- @treturn bool
function Pool:specific(flag) return mode(self, '_specific', flag) end

--- Whether end callbacks are called in the order in which their jobs were added, instead of the order in which they finish.
-- @bool[opt] flag sets it, after `synchronize`
-- @treturn bool
function Pool:ordered(flag) return mode(self, '_ordered', flag) end

--- The maximum number of pending jobs, from `addjob` to the end callback; nil: about three per thread.
-- @int[opt] n sets it, after `synchronize`
-- @treturn ?int
function Pool:limit(n)
  if n ~= nil and not (type(n) == 'number' and n >= 1 and n % 1 == 0) then refuse('limit', 'n', n, 'a whole number of 1 or more', 2) end
  return mode(self, '_limit', n)
end

--- Waits for all jobs, and ends the threads; does nothing if they have ended. The garbage collector does this for unused pools.
-- @raise as `synchronize`, after the threads have ended
function Pool:terminate()
  if not self._native then return end
  while self._pending > 0 do doJob(self) end
  self._calls.close(self._native, false)
  self._native = nil
  raiseErrors(self)
end

--- Ends the threads at once: running jobs are stopped, and waiting ones are dropped.
function Pool:_stop()
  if not self._native then return end
  self._calls.close(self._native, true)
  self._native, self._pending, self._ends, self._errors = nil, 0, {}, {}
end

-- Terminates a pool that is garbage. Doesn't wait for jobs if Ctrl-C interrupted a wait before.
local function collect(native)
  local self = debug.getfenv(native)
  if not self._native or not self._calls.isOfThisProcess(native) then return end
  local good, message = true, nil
  if not self._waits then good, message = pcall(self.terminate, self) end
  self._calls.close(native, true)
  if not good then require('libmoontorch').log('threads: a pool was collected that had errors: ' .. tostring(message), true) end
end

local nativeClass = { __gc = collect }

local Private = {}

--- Queues a job for the worker with a number, like `addjob` in specific mode.
Private.add = add

--- Creates a class of pools.
-- @tparam table calls
-- @string word
-- @tparam function new (class, ...) creates a pool
-- @treturn table
function Private.class(calls, word, new)
  local class = setmetatable({ _calls = calls, _word = word }, { __index = Pool, __call = new })
  class.__index = class
  return class
end

--- Checks the arguments of a constructor.
-- @string where
-- @int n number of workers
-- @tparam function ... functions that each worker calls first
function Private.check(where, n, ...)
  if type(n) ~= 'number' or not (n >= 1 and n <= mostWorkers and n % 1 == 0) then
    refuse(where, 'N', n, ('a whole number from 1 to %d'):format(mostWorkers), 3)
  end
  for i = 1, select('#', ...) do
    local f = select(i, ...)
    if type(f) ~= 'function' then refuse(where, ('f%d'):format(i), f, 'a function', 3) end
  end
end

--- Creates a pool.
-- @tparam table class
-- @int n number of workers
-- @tparam table own further fields
-- @tparam function start (pool, class of native pools) starts the workers, and returns the native pool
-- @tparam function initialise (pool) returns the results of its first functions
-- @treturn table the pool
-- @return the results of `initialise`
function Private.new(class, n, own, start, initialise)
  local self = {
    N = n,
    _pending = 0,           -- jobs whose end callback has not been called
    _oldest = 1,            -- the number of the first one, in ordered mode
    _ends = {},             -- end callbacks, by the numbers of their jobs
    _errors = {},           -- for synchronize
    _specific = false,
    _ordered = false,
  }
  for name, value in pairs(own) do self[name] = value end
  setmetatable(self, class)
  self._native = start(self, nativeClass)
  debug.setfenv(self._native, self)
  local good, results = pcall(initialise, self)
  if not good then
    if self._native then self._calls.close(self._native, true) end
    self._native = nil
    error(results, 0)
  end
  return self, results
end

return Private
