--- Pools of processes, children of fork, that run jobs: torch.processes(n, f1, ...), with the interface of `threads.Threads`.
-- A process starts as a copy of the program, including loaded data and code, and calls the functions with its number. Afterwards memory is
-- separate, except for tensors from `torch.shared`, which are passed by reference. The second result has the last function's results in
-- each process. A process that ends in a job, by a signal or os.exit, is an error of that job, and a new process replaces it.
-- Methods: addjob dojob synchronize terminate specific ordered limit acceptsjob hasjob haserror isready isrunning.
-- @usage local pool = torch.processes(2)
-- pool:addjob(function(n) return n * n end, function(square) print(square) end, 3)
-- pool:synchronize()
-- @module threads.processes
local C = require('libmoontorch.threads').processes
local pool = require 'threads.pool'

local pairs, ipairs = pairs, ipairs

local calls = { close = C.close, isOfThisProcess = C.isOfThisProcess }

-- Closes a pool if one of its processes can't be replaced.
local function breakUp(self, id, why)
  C.close(self._native, true)
  self._native, self._pending, self._ends = nil, 0, {}
  error(('torch.processes: the pool is broken: process %d ended, and a new one could not start: %s'):format(id, tostring(why)), 0)
end

local mostDeaths = 3      -- in a row while processes start: the cause would end further ones, too

-- Polls the pool: replaces processes that ended, and initialises the new ones.
local function look(native, milliseconds)
  local self = debug.getfenv(native)
  if C.look(native, milliseconds) and not self._starting then
    for _, number in ipairs { C.revive(native, self._functions) } do self._starts[number] = true end
  end
  for number in pairs(self._starts) do
    if C.isDone(native, number) then
      self._starts[number] = nil
      local _, id, good, problem = C.take(native, number)
      local died = not good and problem:find '^its process'
      self._deaths[id] = died and (self._deaths[id] or 0) + 1 or 0
      if not good and (not died or self._deaths[id] > mostDeaths) then breakUp(self, id, problem) end
    end
  end
end

function calls.add(native, ...)
  look(native, 0)
  return C.add(native, ...)
end

function calls.counts(native, worker)
  look(native, 0)
  return C.counts(native, worker)
end

function calls.isDone(native, number)
  look(native, 0)
  return C.isDone(native, number)
end

local patience = 50      -- milliseconds between two checks for an interrupt of Lua

-- Waits for a job; returns nothing if less than `room` jobs wait for the worker, so that another one may be added.
function calls.take(native, number, worker, room)
  look(native, 0)
  while not C.isDone(native, number) do
    if room and room > 0 and C.counts(native, worker or 0) < room then return end
    look(native, patience)
  end
  return C.take(native, number)
end

local Processes

-- The results of the last function in each process.
local function results(self, numbers)
  local all = {}
  for id, number in ipairs(numbers) do
    self._ends[number] = function(...) all[id] = { ... } end
  end
  self._pending, self._starting = #numbers, true
  self:synchronize()
  self._starting = false
  return all
end

--- Starts processes. Each calls the functions in order with its number, which is also the global `__threadid` in the process. The functions
-- are not sent, and see all values of the program. A process that replaces one that ended calls them again.
-- Jobs and their results are copied, as between threads; a tensor in shared memory is passed by reference. A process that ends in a job, by
-- a signal or by os.exit, is an error of that job.
-- @function torch.processes
-- @int N number of processes
-- @tparam[opt] function ... called first
-- @treturn threads.Threads with the methods of a pool of threads
-- @treturn table the last function's results, a table for each process
local function new(_, n, ...)
  pool.check('torch.processes', n, ...)
  local functions, numbers = { ... }, nil
  return pool.new(Processes, n, { _functions = functions, _starts = {}, _deaths = {} },
    function(_, nativeClass)
      local made = { C.newPool(n, nativeClass, functions) }
      local native = table.remove(made, 1)
      numbers = made
      return native
    end,
    function(self) return results(self, numbers) end)
end

Processes = pool.class(calls, 'process', new)

return Processes
