--- The workers of a loader: a pool of threads or processes, each of which has the loader's source.
-- @module data.workers
local torch, check = require 'torch', require 'torch.check'

local workers = {}

local modes = { threads = 'threads', processes = 'torch.processes' }

--- Whether a name is one of a way to have workers.
function workers.isMode(name) return modes[name] ~= nil end

local function poolOf(mode)
  local threads = require(modes[mode])
  local before = threads.Threads.serialization and threads.Threads.serialization()
  if before then threads.Threads.serialization 'threads.sharedserialize' end
  return threads, before
end

--- Starts workers.
-- @string mode 'threads' or 'processes'
-- @int count
-- @tparam table source what `data.fetch` loads from; tensors in it are shared, the rest is copied
-- @tparam[opt] function init is called in each with its number and the dataset
-- @return the pool
function workers.start(mode, count, source, init)
  local threads, before = poolOf(mode)
  local defaultType = torch.getdefaulttensortype()
  local done, pool = pcall(threads.Threads, count, function(number)
    local torch = require 'torch'      -- luacheck: ignore 431
    torch.setnumthreads(1)
    torch.setdefaulttensortype(defaultType)
    require('data.worker').install(source, number)
    if init then init(number, source.dataset) end
  end)
  if before then threads.Threads.serialization(before) end
  if not done then check.raise(('data.DataLoader: a worker did not start: %s'):format(tostring(pool))) end
  return pool
end

--- Gives all workers a source as it is now.
function workers.refresh(pool, count, source)
  pool:specific(true)
  for number = 1, count do
    pool:addjob(number, function(new, at) require('data.worker').install(new, at) end, nil, source, number)
  end
  pool:specific(false)
end

--- Has a batch loaded by the first worker that is free.
-- @param pool
-- @tparam function done (whether it could be loaded, batch or failure, number of the worker)
-- @tparam torch.LongTensor|table which
-- @int place
function workers.load(pool, done, which, place)
  pool:addjob(function(indices, at) return require('data.worker').load(indices, at) end, done, which, place)
end

return workers
