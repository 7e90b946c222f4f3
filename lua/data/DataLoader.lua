--- Iterates over a data set in batches, which workers load ahead of time.
-- The order of samples and the random numbers drawn while loading them (from torch's generator and math.random) depend only on the seed,
-- the epoch and the position in the epoch: batches and their order are the same for any number of workers.
-- @classmod data.DataLoader
-- @usage local loader = data.DataLoader(set, { batchSize = 64, shuffle = true, workers = 2, seed = 1 })
-- for epoch = 1, 10 do
--   for batch, k in loader() do step(batch.input, batch.target) end
-- end
local torch, check, data = require 'torch', require 'torch.check', require 'data'
local isDataset, seeds, workers = require 'data.is_dataset', require 'data.seeds', require 'data.workers'
local messages, loop, Run = require 'torch.check.message', require 'data.loop', require 'data.run'

local DataLoader = torch.class('data.DataLoader', data)

local where = 'data.DataLoader'

local names = {
  'batchSize', 'shuffle', 'sampler', 'batchSampler', 'dropLast', 'collate', 'transform', 'workers', 'mode', 'prefetch', 'require', 'init',
  'seed',
}

local function has(value, method) return type(value) == 'table' and value[method] ~= nil end

-- Checks the source of an order: an object with `order`, a function, or the numbers themselves.
local function checkSampler(name, value)
  if value == nil or has(value, 'order') or torch.isTensor(value) or type(value) == 'table' then return value end
  return check.callable(where, name, value)
end

local function readOrder(self, options)
  self.batchSize = check.int(where, 'batchSize', options.batchSize or 32, { min = 1 })
  self.dropLast = check.flag(where, 'dropLast', options.dropLast) or false
  self.sampler, self.batchSampler = checkSampler('sampler', options.sampler), checkSampler('batchSampler', options.batchSampler)
  local shuffle = check.flag(where, 'shuffle', options.shuffle)
  if (self.sampler or self.batchSampler or self.isStream) and shuffle then
    check.raise(where .. ': shuffle: true with ' .. (self.isStream and 'a stream, expected false: its shuffle(size) shuffles'
      or 'a sampler, expected one of them'))
  end
  if self.isStream and (self.sampler or self.batchSampler) then
    check.raise(where .. ': sampler: a sampler for a stream, expected nil: its samples have no numbers')
  end
  self.shuffles = shuffle
end

local function readWorkers(self, options)
  self.workers = check.int(where, 'workers', options.workers or 0, { min = 0, max = 256 })
  self.mode = options.mode or 'threads'
  check.that(workers.isMode(self.mode), ("%s: mode: '%s', expected 'threads' or 'processes'"):format(where, tostring(self.mode)))
  self.prefetch = check.int(where, 'prefetch', options.prefetch or 2, { min = 1 })
  self.modules = check.table(where, 'require', type(options.require) == 'string' and { options.require } or options.require or {})
  self.init = options.init and check.callable(where, 'init', options.init)
end

-- Splits a table with both into the set and the options.
local function apart(given)
  local options = {}
  for name, value in pairs(given) do
    if name ~= 1 and name ~= 'dataset' then options[name] = value end
  end
  return given.dataset or given[1], options
end

--- @tparam data.Dataset|data.Stream|torch.Tensor dataset a tensor is the set of its slices; or a table with the set and the options, as in
-- `data.DataLoader { set, batchSize = 64 }`
-- @tparam[opt] table options
--
-- - `batchSize`: samples per batch (32); `dropLast`: leaves out a smaller last batch (false)
-- - `shuffle`: a new order in each epoch (false)
-- - `sampler`: selects the samples of an epoch: an object with `order(generator, epoch)` such as data.WeightedSampler, such a function,
--   or numbers; `batchSampler`: likewise, for a list of batches
-- - `transform`: a function of each sample and its number; `collate`: a function that builds a batch from a list of samples (data.collate)
-- - `workers`: number of workers (0: the calling thread loads); `mode`: 'threads' (default) or 'processes'; `prefetch`: pending batches per
--   worker (2); `require`: names of modules that workers require first; `init`: a function of a worker's number and the data set, called
--   in the worker before the first batch
-- - `seed`: of orders and random draws (torch.initialSeed())
function DataLoader:__init(dataset, options)
  if options == nil and type(dataset) == 'table' and getmetatable(dataset) == nil then dataset, options = apart(dataset) end
  options = check.options(where, options, names)
  if torch.isTensor(dataset) then dataset = data.TensorDataset(dataset) end
  self.isStream = has(dataset, 'iterate')
  self.dataset = self.isStream and dataset or isDataset.check(where, 'dataset', dataset)
  readOrder(self, options)
  readWorkers(self, options)
  self.transform = options.transform and check.callable(where, 'transform', options.transform)
  self.collate = options.collate and options.collate ~= data.collate and check.callable(where, 'collate', options.collate) or nil
  self.seed = check.int(where, 'seed', options.seed or torch.initialSeed() % 2 ^ 53)
  self.epoch, self.skipped = 1, 0
end

--- The source of batches as passed to workers.
-- @treturn table
function DataLoader:source()
  return {
    dataset = not self.isStream and self.dataset or nil, collate = self.collate, transform = self.transform, isPart = self.part ~= nil,
  }
end

-- Lets the loader load one process's part of each batch, with the random draws of the whole; an empty part is an empty table.
function DataLoader:_takePart(place, count) self.part = { place = place, count = count } end

-- A sampler's result for an epoch; without a sampler all numbers, in the loader's order.
local function orderOf(self, sampler, base, epoch)
  local generator = torch.Generator 'philox'
  torch.manualSeed(generator, base - 1)      -- samples draw from base on
  if sampler == nil then
    local size = self.dataset:size()
    if self.shuffles then return seeds.draw(size, size, false, generator) end
    return size == 0 and torch.LongTensor(0) or torch.range(1, size):long()
  end
  if has(sampler, 'order') then
    sampler = sampler:order(generator, epoch)
  elseif not torch.isTensor(sampler) and (type(sampler) == 'function' or (getmetatable(sampler) or {}).__call) then
    sampler = sampler(generator, epoch)
  end
  return sampler
end

-- Converts numbers of samples, which `what` returned, to a LongTensor.
local function numbersOf(given, what)
  for k, number in ipairs(type(given) == 'table' and given or {}) do
    if type(number) ~= 'number' or number % 1 ~= 0 then
      check.raise(('%s: %s: it returned %s as number %d, expected a whole number'):format(where, what, messages.value(number), k))
    end
  end
  if type(given) == 'table' then return torch.LongTensor(given) end
  if given:isFloatingPoint() and given:nElement() > 0 then
    local whole = torch.eq(given, torch.floor(given))
    if not torch.all(whole) then
      local k = torch.nonzero(torch.eq(whole:view(-1), 0))[1][1]
      check.raise(('%s: %s: it returned %g as number %d, expected a whole number'):format(where, what, given:view(-1)[k], k))
    end
  end
  return given:long()
end

--- Returns the numbers of an epoch's samples from the loader's sampler.
-- @int base
-- @int epoch
-- @treturn torch.LongTensor
function DataLoader:order(base, epoch)
  local order = orderOf(self, self.sampler, base, epoch)
  if type(order) ~= 'table' and not torch.isTensor(order) then
    check.raise(('%s: sampler: it returned %s, expected a LongTensor or a list of numbers'):format(where, messages.value(order)))
  end
  return numbersOf(order, 'sampler')
end

--- Returns the lists of numbers of an epoch's batches from the loader's `batchSampler`.
-- @int base
-- @int epoch
-- @treturn {torch.LongTensor,...}
function DataLoader:batches(base, epoch)
  local given, batches = orderOf(self, self.batchSampler, base, epoch), {}
  if type(given) ~= 'table' then
    check.raise(('%s: batchSampler: it returned %s, expected a list of batches'):format(where, messages.value(given)))
  end
  for k, batch in ipairs(given) do
    if type(batch) ~= 'table' and not torch.isTensor(batch) then
      check.raise(('%s: batchSampler: batch %d is %s, expected a list of numbers'):format(where, k, messages.value(batch)))
    end
    batches[k] = numbersOf(batch, ('batchSampler: batch %d'):format(k))
  end
  return batches
end

local function begin(self)
  if self.run then self.epoch = self.epoch + 1 end      -- an epoch that the program left before its end
  if self.workers > 0 then
    self.pool = workers.start(self.mode, self.workers, self:source(), self.modules, self.init, self.pool)
  end
  local run = Run.new(self, self.epoch, self.skipped, self.pool)
  self.run, self.skipped = run, 0
  return function() return run:next() end
end

--- Begins the next epoch: `for batch, k in loader() do ... end`, or `in loader do`, where k is the batch's number. A loop may break at any
-- time.
-- @treturn function iterator
function DataLoader:__call__(...) return loop(begin, self, ...) end

-- A pass calls this at its end.
function DataLoader:_finish(run)
  if run.pool then workers.finish(self.mode, run.pool) end
  if self.run ~= run then return end
  self.run, self.epoch = nil, self.epoch + 1
end

--- The number of batches in an epoch; nil for a stream.
-- @treturn ?int
function DataLoader:size()
  if self.isStream then return nil end
  local count
  if has(self.sampler, 'size') then count = self.sampler:size() end
  if self.batchSampler or self.sampler and not count then
    if self.batchSampler then return #self:batches(1, self.epoch) end
    count = self:order(1, self.epoch):nElement()
  end
  return (self.dropLast and math.floor or math.ceil)((count or self.dataset:size()) / self.batchSize)
end

--- The loader's position, for checkpoints: a batch counts as done once its iteration of the loop has begun.
-- @treturn table { seed, epoch, position: batches done in the epoch, samples, batchSize }
function DataLoader:state()
  return {
    seed = self.seed, epoch = self.epoch, position = self.run and self.run.given or self.skipped, batchSize = self.batchSize,
    samples = not self.isStream and self.dataset:size() or nil,
  }
end

--- Continues from the position of a loader: the next call returns the remaining batches of that epoch, equal to those of that loader.
-- @tparam table state from `state`
-- @treturn data.DataLoader self
function DataLoader:resume(state)
  check.table(where, 'state', state)
  local seed = check.int(where, 'state.seed', state.seed)
  local epoch = check.int(where, 'state.epoch', state.epoch, { min = 1 })
  local position = check.int(where, 'state.position', state.position, { min = 0 })
  for _, name in ipairs { 'batchSize', 'samples' } do
    local own = name == 'batchSize' and self.batchSize or not self.isStream and self.dataset:size() or nil
    if state[name] ~= nil and state[name] ~= own then
      check.raise(('%s: state: %s of %s, expected %s'):format(where, name, tostring(state[name]), tostring(own)))
    end
  end
  self.run, self.seed, self.epoch, self.skipped = nil, seed, epoch, position
  return self
end

--- Stops the workers at once, also while they load; the next epoch starts new ones. The garbage collector does this for unused loaders.
function DataLoader:close()
  local pool = self.pool
  self.pool, self.run = nil, nil
  if pool then pool:_stop() end
end

function DataLoader:__tostring__()
  return ('%s of %s, batches of %d, %d workers'):format(where, tostring(self.dataset), self.batchSize, self.workers)
end

return { DataLoader = data.DataLoader }
