--- A function that runs in a background thread: `require 'ipc.BackgroundTask'(f, ...)`.
-- @module ipc.BackgroundTask
local check = require 'torch.check'
local newPool = require 'ipc.BackgroundTaskPool'

--- Calls f(...) in a new thread, with a Lua state of its own with torch.
-- @function ipc.BackgroundTask
-- @tparam function f its upvalues are sent as values; tensors are shared
-- @param ... arguments
-- @treturn table functions to be called with a dot: `isDone()` returns whether f has returned; `getResult()` waits for it, and returns its
-- results or raises its error, as often as it is called
return function(f, ...)
  check.that(type(f) == 'function', ('ipc.BackgroundTask: f: %s, expected a function'):format(check.describe(f)))
  local pool, result = newPool(1, { closeOnLastTask = true }), nil
  local id = pool.addTask(f, ...)
  local function take(...) result = { n = select('#', ...), ... } end
  return {
    isDone = function() return result ~= nil or pool.isDone(id) end,
    getResult = function()
      if not result then take(pcall(pool.getResult, id)) end
      if not result[1] then error(result[2], 0) end
      return unpack(result, 2, result.n)
    end,
  }
end
