--- One pass of a loader over its data: its batches, the pending ones, and the next one.
-- @module data.run
local torch = require 'torch'
local fetch, seeds, workers, share = require 'data.fetch', require 'data.seeds', require 'data.workers', require 'data.share'

local Run = {}
Run.__index = Run

-- Batches of a fixed size from an order of numbers: function (k) -> numbers, place of the first one.
local function sliced(order, size, dropLast)
  local total = order:nElement()
  local count = (dropLast and math.floor or math.ceil)(total / size)
  return count, function(k)
    local first = (k - 1) * size
    return order:narrow(1, first + 1, math.min(size, total - first)), first
  end
end

-- Batches from a batch sampler.
local function listed(batches)
  local places, total = {}, 0
  for k, batch in ipairs(batches) do places[k], total = total, total + batch:nElement() end
  return #batches, function(k) return batches[k], places[k] end
end

-- Batches of a stream, whose number is unknown before its end.
local function streamed(stream, loader, base)
  local nextSample, place = stream:iterate(base), 0
  return math.huge, function()
    local samples, first = { first = place + 1 }, place
    for k = 1, loader.batchSize do
      local sample = nextSample()
      if sample == nil then break end
      samples[k] = sample
    end
    place = place + #samples
    if #samples == 0 or loader.dropLast and #samples < loader.batchSize then return nil end
    return samples, first
  end
end

--- Begins a pass.
-- @tparam data.DataLoader loader
-- @int epoch
-- @int position number of batches to skip
-- @param[opt] pool the workers
function Run.new(loader, epoch, position, pool)
  local run = setmetatable({ loader = loader, pool = pool, epoch = epoch, given = position, asked = position, ready = {} }, Run)
  run.base = seeds.base(loader.seed, epoch)
  if loader.isStream then
    run.count, run.batchAt = streamed(loader.dataset, loader, run.base)
    for _ = 1, position do run.batchAt() end
  elseif loader.batchSampler then
    run.count, run.batchAt = listed(loader:batches(run.base, epoch))
  else
    run.count, run.batchAt = sliced(loader:order(run.base, epoch), loader.batchSize, loader.dropLast)
  end
  return run
end

local function raise(k, failure, worker)
  local sample = failure.sample and ('sample %d of '):format(failure.sample) or ''
  local by = worker and (' (worker %d)'):format(worker) or ''
  error(('data.DataLoader: %sbatch %d%s: %s%s'):format(sample, k, by, failure.message, failure.trace), 0)
end

-- Returns this process's part of a batch, whose samples keep their places in the random sequence.
local function partOf(part, which, place)
  if torch.isTensor(which) then
    local first, count = share(which:nElement(), part.place, part.count)
    return count > 0 and which:narrow(1, first + 1, count) or torch.LongTensor(0), place + first
  end
  local first, count = share(#which, part.place, part.count)
  local samples = { first = which.first + first }
  for k = 1, count do samples[k] = which[first + k] end
  return samples, place + first
end

-- The next batch's numbers and place; nil after the last one.
local function following(run)
  if run.asked >= run.count then return nil end
  local which, place = run.batchAt(run.asked + 1)
  if which == nil then
    run.count = run.asked
    return nil
  end
  run.asked = run.asked + 1
  if run.loader.part then which, place = partOf(run.loader.part, which, place) end
  return which, run.base + place
end

-- Requests batches from workers up to the limit of pending batches.
local function ask(run)
  local loader, ready = run.loader, run.ready
  while run.asked - run.given < loader.prefetch * loader.workers do
    local which, place = following(run)
    if which == nil then return end
    local k = run.asked
    workers.load(run.pool, function(done, batch, worker) ready[k] = { done, batch, worker } end, which, place)
  end
end

-- Returns the next batch from the workers; nil after the last one.
local function await(run)
  ask(run)
  local k = run.given + 1
  if k > run.asked then return nil end
  while not run.ready[k] do workers.await(run.pool) end
  local done, batch, worker = unpack(run.ready[k], 1, 3)
  run.ready[k] = nil
  if not done then
    workers.fail(run.loader.mode, run.pool)
    raise(k, batch, worker)
  end
  run.given = k
  ask(run)
  return batch
end

local function loadNow(run)
  local which, place = following(run)
  if which == nil then return nil end
  local done, batch = fetch(run.loader:source(), which, place)
  if not done then raise(run.asked, batch) end
  run.given = run.asked
  return batch
end

--- Returns the next batch and its number; nothing after the last one.
function Run:next()
  if self.ended then return nil end
  self.ended = true                     -- in case an error occurs below
  if self.pool and not self.pool:isrunning() then
    error('data.DataLoader: this loop has no workers any more: the loader was closed, or began another epoch', 0)
  end
  local batch
  if self.loader.workers > 0 then batch = await(self) else batch = loadNow(self) end
  if batch == nil then
    self.loader:_finish(self)
    return nil
  end
  self.ended = false
  return batch, self.given
end

return Run
