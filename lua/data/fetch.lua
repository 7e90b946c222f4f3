--- Loads a batch, in a worker, or in the loader if there are no workers.
-- A source is the table { dataset =, collate =, transform = } of a loader; a stream passes the samples themselves.
-- @module data.fetch
local torch = require 'torch'
local collate, seeds = require 'data.collate', require 'data.seeds'

local debug, tostring, type = debug, tostring, type

local current      -- the number of the sample that is being loaded; nil during collation

-- Converts an error to its text, sample and stack.
local function failure(message)
  return { message = type(message) == 'string' and message or tostring(message), sample = current, trace = debug.traceback('', 2) }
end

local function checked(sample, what)
  if sample == nil then error(('%s: nothing, expected a sample'):format(what), 0) end
  return sample
end

local function loadNumbered(source, indices, place)
  local dataset, transform = source.dataset, source.transform
  if not transform and not source.collate and dataset.getBatch then
    seeds.begin(place)
    local batch = dataset:getBatch(indices)
    if batch ~= nil then return batch end
  end
  local samples, numbers = {}, indices:totable()
  for k = 1, #numbers do
    current = numbers[k]
    seeds.begin(place + k - 1)
    local sample = checked(dataset:get(current), 'get')
    if transform then sample = checked(transform(sample, current), 'transform') end
    samples[k] = sample
  end
  current = nil
  return (source.collate or collate)(samples)
end

local function loadGiven(source, given, place)
  local samples, transform = {}, source.transform
  for k = 1, #given do
    current = given.first + k - 1
    seeds.begin(place + k - 1)
    samples[k] = transform and checked(transform(given[k], current), 'transform') or given[k]
  end
  current = nil
  return (source.collate or collate)(samples)
end

local function load(source, which, place)
  current = nil
  local isNumbered = torch.isTensor(which)
  if source.isPart and (isNumbered and which:nElement() or #which) == 0 then return {} end      -- another process has the samples
  if isNumbered then return loadNumbered(source, which, place) end
  return loadGiven(source, which, place)
end

--- Loads a batch; its random draws depend only on its place.
-- @tparam table source
-- @tparam torch.LongTensor|table which numbers of samples, or the samples of a stream, with `first`, the number of the first one
-- @int place of the first sample in the random sequence of the seed and epoch
-- @treturn bool whether loading succeeded
-- @return the batch, or a table of message, sample (nil if the batch as a whole failed) and trace
return function(source, which, place) return seeds.apart(load, failure, source, which, place) end
