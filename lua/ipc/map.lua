--- Functions in new threads, each with a Lua state of its own: threads of the package threads, whose tensors are passed by reference.
-- @classmod ipc.map
local check = require 'torch.check'
local threads = require 'threads'
local registry = require 'ipc.registry'

local Map = {}
Map.__index = Map

-- Returns a pool that sends tensors by reference.
local function newPool(n)
  local before = threads.serialization()
  threads.serialization 'threads.sharedserialize'
  local good, pool = pcall(threads.Threads, n)
  threads.serialization(before)
  if not good then check.raise((pool:gsub('threads%.Threads: N', 'ipc.map: n'))) end
  pool:specific(true)
  pool:limit(n)
  return pool
end

-- Runs in a thread.
local function run(names, init, f, ...)
  local global = _G.require
  global 'torch'
  global('ipc.registry').adopt(names)
  if type(init) == 'string' then
    local chunk, problem = loadstring(init, '=init')
    if not chunk then error('ipc.map_extended: ' .. problem, 0) end
    init = chunk
  end
  if init then init() end
  return f(...)
end

local function start(where, n, init, f, ...)
  check.int(where, 'n', n, { min = 1, max = 1000 })
  check.that(type(f) == 'function', ('%s: f: %s: map arg #2 expected a function'):format(where, check.describe(f)))
  if init ~= nil and type(init) ~= 'string' then check.callable(where, 'init', init) end
  local self = setmetatable({ _pool = newPool(n), _results = {}, _n = n }, Map)
  local results, count, arguments = self._results, select('#', ...), { ... }
  for id = 1, n do
    arguments[count + 1] = id
    local good, problem = pcall(self._pool.addjob, self._pool, id, run, function(...) results[id] = { n = select('#', ...), ... } end,
      registry.get(), init, f, unpack(arguments, 1, count + 1))
    if not good then
      self._pool:terminate()
      check.raise((tostring(problem):gsub('^.-addjob: argument (%d+)', function(i)
        return ('%s: %s'):format(where, i == '3' and 'f' or 'argument ' .. i - 3)
      end)))
    end
  end
  return self
end

--- Calls f(..., id) in n new threads, with id from 1 to n.
-- @function ipc.map
-- @int n
-- @tparam function f with upvalues as values; tensors in these, in arguments and in results are shared, without locks
-- @param ... arguments
-- @treturn ipc.map at once
local map = { map = function(n, f, ...) return start('ipc.map', n, nil, f, ...) end }

--- The same; each thread first runs code.
-- @function ipc.map_extended
-- @int n
-- @param init a function, Lua code in a string, or nil
-- @tparam function f
-- @param ... arguments
-- @treturn ipc.map
function map.map_extended(n, init, f, ...) return start('ipc.map_extended', n, init, f, ...) end

--- Waits until all functions have returned.
-- @return the results of the first thread, then those of the second, ...
-- @raise the error of a function, after all have ended
function Map:join()
  self._pool:terminate()
  local list, count = {}, 0
  for id = 1, self._n do
    local results = self._results[id]
    for i = 1, results and results.n or 0 do list[count + i] = results[i] end
    count = count + (results and results.n or 0)
  end
  self._results, self._n = {}, 0
  return unpack(list, 1, count)
end

--- Raises the error of a function that has already failed, and does nothing otherwise.
function Map:checkErrors()
  while self._pool:isrunning() and self._pool:isready() do self._pool:dojob() end
  if self._pool:haserror() then self:join() end
end

check.methods(Map, 'a map of ipc.map')

return map
