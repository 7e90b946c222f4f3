--- Iterates over a set whose samples threads load.
-- @module torchnet.dataset.paralleldatasetiterator
local torch, argcheck, tnt = require 'torch', require 'argcheck', require 'torchnet.env'
local workers = require 'data.workers'

--- Each thread creates its set by `closure`. Samples are returned as soon as they are ready, or in order if `ordered`.
-- @type tnt.ParallelDatasetIterator
local Parallel = torch.class('tnt.ParallelDatasetIterator', 'tnt.DatasetIterator', tnt)

-- Tensors of samples are passed by reference.
local function poolOf(nthread, init, closure)
  local threads = require 'threads'
  local before = threads.Threads.serialization()
  threads.Threads.serialization 'threads.sharedserialize'
  local pool, sizes = threads.Threads(nthread, function(threadid)
    if init then init(threadid) end
  end, function(threadid)
    local dataset = closure(threadid)
    require('torchnet.dataset.held').set(dataset)
    return dataset:size()
  end)
  threads.Threads.serialization(before)
  return pool, sizes[1][1]
end

--- @function __init
-- @tparam[opt] function init (threadid) is called first in each thread
-- @tparam function closure (threadid) returns a thread's data set
-- @int nthread
-- @tparam[opt] function perm (idx, size) -> number of a sample
-- @tparam[opt] function filter of a transformed sample: returns whether to include it
-- @tparam[opt] function transform of a sample, in the calling thread
-- @bool[opt=false] ordered whether to preserve the samples' order
Parallel.__init = argcheck {
  help = 'Goes through a set whose samples threads load.',
  { name = 'self', type = 'tnt.ParallelDatasetIterator' },
  { name = 'init', type = 'function', opt = true, help = '(threadid) is called in each thread first' },
  { name = 'closure', type = 'function', help = "(threadid) gives a thread's data set" },
  { name = 'nthread', type = 'number', help = 'how many threads', check = function(n) return n >= 1 and n % 1 == 0 end },
  { name = 'perm', type = 'function', opt = true, help = '(idx, size) -> number of a sample' },
  { name = 'filter', type = 'function', opt = true, help = 'whether a sample comes, as transform made it' },
  { name = 'transform', type = 'function', opt = true, help = 'changes a sample' },
  { name = 'ordered', type = 'boolean', default = false, help = 'whether samples keep their order' },
  call = function(self, init, closure, nthread, perm, filter, transform, ordered)
    self.perm, self.filter, self.transform, self.ordered, self.nthread = perm, filter, transform, ordered, nthread
    self.pool, self.count = poolOf(nthread, init, closure)
  end,
}

--- Begins a pass.
-- @treturn function iterator
function Parallel:run()
  local pool, ready, asked, given, arrived = self.pool, {}, 0, 0, 0
  local size = self:execSingle 'size'
  local function ask()
    while asked < size and asked - given < 2 * self.nthread do
      asked = asked + 1
      local place = asked
      pool:addjob(function(index) return require('torchnet.dataset.held').get(index) end, function(sample)
        arrived = arrived + 1
        ready[self.ordered and place or arrived] = { sample }
      end, self.perm and self.perm(asked, size) or asked)
    end
  end
  return function()
    while given < size do
      ask()
      local k = given + 1
      while not ready[k] do workers.await(pool) end
      local sample = ready[k][1]
      ready[k], given = nil, k
      ask()
      if self.transform then sample = self.transform(sample) end
      if not self.filter or self.filter(sample) then return sample end
    end
  end
end

--- Calls a method of each thread's set, or of the sets that it wraps, like data.Dataset's `exec`.
-- @string name
-- @param ... arguments
-- @treturn table the threads' first results
function Parallel:exec(name, ...)
  local pool, results = self.pool, {}
  pool:synchronize()
  pool:specific(true)
  for thread = 1, self.nthread do
    pool:addjob(thread, function(...) return require('torchnet.dataset.held').exec(...) end, function(result)
      results[thread] = result
    end, name, ...)
  end
  pool:specific(false)
  return results
end

--- Like `exec`, in one thread.
-- @string name
-- @param ... arguments
-- @return its first result
function Parallel:execSingle(name, ...)
  local result
  self.pool:synchronize()
  self.pool:addjob(function(...) return require('torchnet.dataset.held').exec(...) end, function(value) result = value end, name, ...)
  self.pool:synchronize()
  return result
end

return { ParallelDatasetIterator = tnt.ParallelDatasetIterator }
