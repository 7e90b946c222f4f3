--- Batches that threads load ahead of time, each with a copy of a loader.
-- @classmod dl.AsyncIterator
-- @usage local loader = dl.AsyncIterator(dl.ImageClass('photos', { 3, 256, 256 }, { 3, 224, 224 }, 'sampleTrain'), 4)
-- for k, inputs, targets in loader:sampleiter(64) do step(inputs, targets) end
local torch = require 'torch'
local check = require 'torch.check'
local dl = require 'dataload'

local AsyncIterator, parent = torch.class('dl.AsyncIterator', 'dl.DataLoader', dl)

local where = 'dl.AsyncIterator'

-- Both functions run in the threads.
local function subJob(number, start, stop, ...)
  return number, package.loaded['dataload.loader']:sub(start, stop, nil, nil, ...)
end
local function sampleJob(number, size, ...)
  return number, package.loaded['dataload.loader']:sample(size, nil, nil, ...)
end

local function startThreads(self, threadInit)
  local threads = require 'threads'
  local text, mode, seed = torch.serialize(self.dataset, self.serialmode), self.serialmode, torch.initialSeed() % 2 ^ 31
  local before = threads.Threads.serialization()
  threads.Threads.serialization 'threads.sharedserialize'
  local good, pool = pcall(threads.Threads, self.nthread, function() require 'dataload' end, function(number)
    local own = require 'torch'
    if threadInit then threadInit(number) end
    own.manualSeed(seed + number)
    math.randomseed(seed + number)
    package.loaded['dataload.loader'] = own.deserialize(text, mode)
  end)
  threads.Threads.serialization(before)
  if not good then error(pool, 0) end
  return pool
end

--- @tparam dl.DataLoader dataset copied to each thread
-- @int[opt=2] nthread number of threads
-- @bool[opt=false] verbose whether to print their number
-- @string[opt='ascii'] serialmode format for sending the loader, 'ascii' or 'binary'
-- @tparam[opt] function threadInit called first in each thread, with the thread's number
function AsyncIterator:__init(dataset, nthread, verbose, serialmode, threadInit)
  parent.__init(self)
  check.that(torch.isTypeOf(dataset, 'dl.DataLoader'), ('%s: dataset: %s, expected a loader'):format(where, torch.type(dataset)))
  self.dataset, self.nthread = dataset, check.int(where, 'nthread', nthread or 2, { min = 1, max = 1000 })
  self.serialmode = serialmode or 'ascii'
  check.that(self.serialmode == 'ascii' or self.serialmode == 'binary',
    ("%s: serialmode: %s, expected 'ascii' or 'binary'"):format(where, tostring(serialmode)))
  self.threads = startThreads(self, threadInit)
  self.ready = {}
  if verbose then print(('%d threads load batches'):format(self.nthread)) end
end

--- Discards pending batches, so that another iterator can begin.
function AsyncIterator:synchronize()
  self.threads:synchronize()
  self.ready, self.iterating = {}, nil
end

--- Resets the position of `subiter`, and discards pending batches.
function AsyncIterator:reset()
  self:synchronize()
  parent.reset(self)
end

--- Runs Lua's garbage collector in all threads.
function AsyncIterator:forceCollectGarbage()
  self:synchronize()
  self.threads:specific(true)
  for number = 1, self.nthread do
    self.threads:addjob(number, function() collectgarbage() end)
  end
  self.threads:specific(false)
  collectgarbage()
end

-- Keeps one pending request per thread; returns batches as soon as they are ready. request(most) -> samples, job, its arguments.
local function iterate(self, kind, epochsize, request)
  check.that(not self.iterating, where .. ': ' .. kind .. ': Can only support one iterator per synchronize()')
  self.iterating = kind
  local asked, given = 0, 0
  local function ask()
    if asked >= epochsize then return end
    local count, job, first, second = request(epochsize - asked)
    asked = asked + count
    self.threads:addjob(job, function(...) table.insert(self.ready, { n = select('#', ...), ... }) end, count, first, second)
  end
  for _ = 1, self.nthread do ask() end
  return function()
    if given >= epochsize then
      self.iterating = nil
      return
    end
    while #self.ready == 0 do
      self.threads:dojob()
      if self.threads:haserror() then self:synchronize() end
    end
    local batch = table.remove(self.ready, 1)
    given = given + batch[1]
    ask()
    self:collectgarbage()
    return given, unpack(batch, 2, batch.n)
  end
end

--- Iterates over batches in order, like the loader's `subiter`; with several threads, returns the first batch that is ready.
-- @int[opt=32] batchsize
-- @int[opt] epochsize total number of samples; default: all
-- @treturn function iterator of the number of samples so far, inputs and targets
function AsyncIterator:subiter(batchsize, epochsize)
  batchsize, epochsize = self:_batchSize(batchsize), self:_epochSize(epochsize)
  return iterate(self, 'subiter', epochsize, function(most)
    local start, stop = self:_next(math.min(batchsize, most))
    return stop - start + 1, subJob, start, stop
  end)
end

--- Iterates over random batches, like the loader's `sampleiter`.
function AsyncIterator:sampleiter(batchsize, epochsize)
  batchsize, epochsize = self:_batchSize(batchsize), self:_epochSize(epochsize)
  return iterate(self, 'sampleiter', epochsize, function(most)
    local size = math.min(batchsize, most)
    return size, sampleJob, size
  end)
end

function AsyncIterator:size(...) return self.dataset:size(...) end
function AsyncIterator:isize(...) return self.dataset:isize(...) end
function AsyncIterator:tsize(...) return self.dataset:tsize(...) end

return AsyncIterator
