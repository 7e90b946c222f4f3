--- Functions in new threads, each with a Lua state of its own: threads of the package threads, whose tensors are passed by reference.
-- @classmod ipc.map
local check = require 'torch.check'
local pool = require 'ipc.pool'

local Map = {}
Map.__index = Map

local function start(where, n, init, f, ...)
  check.int(where, 'n', n, { min = 1, max = 1000 })
  check.that(type(f) == 'function', ('%s: f: %s: map arg #2 expected a function'):format(where, check.describe(f)))
  if init ~= nil and type(init) ~= 'string' then check.callable(where, 'init', init) end
  local self = setmetatable({ _pool = pool.new(where, n), _results = {}, _n = n }, Map)
  self._pool:specific(true)
  self._pool:limit(n)
  local results, count, arguments = self._results, select('#', ...), { ... }
  for id = 1, n do
    arguments[count + 1] = id
    local function finish(...) results[id] = { n = select('#', ...), ... } end
    local good, problem = pcall(pool.add, where, self._pool, id, finish, init, false, f, unpack(arguments, 1, count + 1))
    if not good then
      self._pool:terminate()
      check.raise(problem)
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
