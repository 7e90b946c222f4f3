--- Functions that run in background threads, while the program goes on: `require 'ipc.BackgroundTaskPool'(n)`.
-- @module ipc.BackgroundTaskPool
local check = require 'torch.check'
local pool = require 'ipc.pool'

local where = 'ipc.BackgroundTaskPool'

local unlimited = 2 ^ 31      -- waiting tasks

local function pack(...) return { n = select('#', ...), ... } end

--- Returns a pool of threads that run tasks, each thread with a Lua state of its own with torch; the threads start with the first task.
-- @function ipc.BackgroundTaskPool
-- @int n number of threads
-- @tparam[opt] table options `closeOnLastTask`: whether the threads end when the result of the last task has been taken (false); the next
-- task starts new ones
-- @treturn table functions to be called with a dot.
-- `addTask(f, ...)` runs f(...) as soon as a thread is free, and returns the task's number: f's upvalues are sent as values, tensors are
-- shared. `hasTask()` returns whether there are tasks whose results have not been taken. `isDone([id [, block]])` returns whether a task,
-- or any of them without a number, has ended; with `block` it waits for that. `getResult([id])` waits for a task, or for the one that ends
-- first, and returns the results of f, or raises its error; a result can be taken once.
return function(n, options)
  check.int(where, 'n', n, { min = 1, max = 1000 })
  options = check.options(where, options, { 'closeOnLastTask' })
  local closes = check.flag(where, 'closeOnLastTask', options.closeOnLastTask)
  local threadPool
  local ended, order = {}, {}      -- results by number; numbers in the order in which tasks ended
  local waiting, last = {}, 0      -- the numbers of tasks that have not ended
  local tasks = {}

  local function collect()
    while threadPool:isready() do threadPool:dojob() end
  end

  -- Returns the number of a task that may be asked for: nil for any.
  local function known(name, id)
    if id == nil then
      check.that(tasks.hasTask(), ('%s: %s: there is no task, expected a call of addTask before'):format(where, name))
    else
      check.that(waiting[id] or ended[id],
        ('%s: %s: id: %s, expected the number of a task whose result has not been taken'):format(where, name, tostring(id)))
    end
    collect()
  end

  local function isOver(id)
    if id == nil then return order[1] ~= nil end
    return ended[id] ~= nil
  end

  local function await(id)
    while not isOver(id) do threadPool:dojob() end
  end

  function tasks.addTask(f, ...)
    check.that(type(f) == 'function', ('%s: addTask: f: %s, expected a function'):format(where, check.describe(f)))
    if not threadPool then
      threadPool = pool.new(where, n)
      threadPool:limit(unlimited)
    end
    collect()
    local id = last + 1
    pool.add(where .. ': addTask', threadPool, nil, function(...)
      waiting[id] = nil
      ended[id] = pack(...)
      order[#order + 1] = id
    end, nil, true, f, ...)
    last, waiting[id] = id, true
    return id
  end

  function tasks.hasTask() return next(waiting) ~= nil or next(ended) ~= nil end

  function tasks.isDone(id, block)
    known('isDone', id)
    if block then await(id) end
    return isOver(id)
  end

  function tasks.getResult(id)
    known('getResult', id)
    await(id)
    id = id or order[1]
    local result = ended[id]
    ended[id] = nil
    for i, number in ipairs(order) do
      if number == id then
        table.remove(order, i)
        break
      end
    end
    if closes and not tasks.hasTask() then
      threadPool:terminate()
      threadPool = nil
    end
    if not result[1] then error(result[2], 0) end
    return unpack(result, 2, result.n)
  end

  return tasks
end
