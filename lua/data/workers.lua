--- The workers of a loader: a pool of threads or processes, each of which has the loader's source.
-- @module data.workers
local torch, check, classes = require 'torch', require 'torch.check', require 'data.classes'

local workers = {}

local function started(start, ...)
  local done, pool = pcall(start, ...)
  return done and pool or check.raise(('data: a worker did not start: %s'):format(tostring(pool)))
end

-- A pool of threads that pass tensors by reference.
local function threadsOf(count, modules)
  local Threads = require('threads').Threads
  local before = Threads.serialization()
  Threads.serialization 'threads.sharedserialize'
  local defaultType = torch.getdefaulttensortype()
  local done, pool = pcall(started, Threads, count, function()
    local torch = require 'torch'      -- luacheck: ignore 431
    torch.setnumthreads(1)
    torch.setdefaulttensortype(defaultType)
    for _, name in ipairs(modules) do require(name) end
  end)
  Threads.serialization(before)
  return done and pool or error(pool, 0)
end

-- Calls a function in each worker.
local function inAll(pool, count, f, ...)
  pool:specific(true)
  for number = 1, count do pool:addjob(number, f, nil, number, ...) end
  pool:specific(false)
end

-- Defines the program's classes with instances in a value. All classes are defined before their members, which may refer to them.
local function teach(pool, count, value)
  local own = classes.of(value)
  for _, class in ipairs(own) do
    inAll(pool, count, function(_, name, parent)
      local define = require('data.classes').define
      if define(name, parent) then require('data.worker').defined[name] = true end
    end, class.name, class.parent)
  end
  for _, class in ipairs(own) do
    inAll(pool, count, function(_, name, members)
      if require('data.worker').defined[name] then require('data.classes').fill(name, members) end
    end, class.name, class.members)
  end
end

-- Sends the current source to all threads.
local function refresh(pool, count, source)
  pcall(pool.synchronize, pool)      -- ignores errors that an abandoned epoch left behind
  teach(pool, count, source)
  inAll(pool, count, function(number, new) require('data.worker').install(new, number) end, source)
end

local starts = {}      -- mode -> function (count, source, modules, init, pool) that returns the pool of an epoch

function starts.threads(count, source, modules, init, pool)
  if pool then
    refresh(pool, count, source)
    return pool
  end
  pool = threadsOf(count, modules)
  refresh(pool, count, source)
  if init then inAll(pool, count, function(number, f) f(number, require('data.worker').dataset()) end, init) end
  return pool
end

-- Forked children have a copy of the program's current state; each epoch starts new ones, and stops those of an abandoned epoch.
function starts.processes(count, source, modules, init, pool)
  if pool then pool:_stop() end
  return started(torch.processes, count, function(number)
    torch.setnumthreads(1)
    for _, name in ipairs(modules) do require(name) end
    require('data.worker').install(source, number, true)
    if init then init(number, source.dataset) end
  end)
end

--- Whether a name is a mode of workers.
function workers.isMode(name) return starts[name] ~= nil end

--- Returns the workers of an epoch, with the current source.
-- @string mode 'threads' or 'processes'
-- @int count
-- @tparam table source of `data.fetch`; threads share its tensors and copy the rest
-- @tparam {string,...} modules that each worker requires first
-- @tparam[opt] function init is called in each worker with its number and the dataset
-- @param[opt] pool of the last epoch
-- @return the pool
function workers.start(mode, ...) return starts[mode](...) end

--- Stops the workers of a finished epoch if each epoch starts new ones.
-- @string mode
-- @param pool
function workers.finish(mode, pool)
  if mode == 'processes' then pool:terminate() end
end

--- Stops the workers of a failed epoch if each epoch starts new ones.
-- @string mode
-- @param pool
function workers.fail(mode, pool)
  if mode == 'processes' then pool:_stop() end
end

--- Queues a batch for the next free worker.
-- @param pool
-- @tparam function done (whether loading succeeded, batch or failure, number of the worker)
-- @tparam torch.LongTensor|table which
-- @int place
function workers.load(pool, done, which, place)
  pool:addjob(function(indices, at) return require('data.worker').load(indices, at) end, done, which, place)
end

--- Waits until a job is done. Raises errors of the job itself, for example if its result can't be sent.
-- @param pool
function workers.await(pool)
  if pool:haserror() or not pool:hasjob() then pool:synchronize() end
  pool:dojob()
end

--- Starts a thread that reads a stream.
-- @tparam function start starts the stream
-- @int[opt] seed of its draws
-- @return the pool
function workers.reader(start, seed)
  local pool = threadsOf(1, {})
  inAll(pool, 1, function(_, f, s) require('data.worker').begin(f, s) end, start, seed)
  return pool
end

--- Queues the read of a sample.
-- @param pool
-- @tparam function done (whether reading succeeded, sample or message)
function workers.read(pool, done)
  pool:addjob(function() return require('data.worker').read() end, done)
end

return workers
