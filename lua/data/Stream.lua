--- Samples one after another, without numbers: lines of a file, messages, results of a function.
-- Each iteration starts the stream again. Derived streams (transform, filter, ...) read only the samples that they need.
-- @classmod data.Stream
-- @usage local lines = data.Stream(function() return io.lines 'corpus.txt' end)
-- for batch in lines:filter(function(line) return #line > 0 end):shuffle(1000):batch(32)() do print(#batch) end
local torch, check, data = require 'torch', require 'torch.check', require 'data'
local loop, seeds = require 'data.loop', require 'data.seeds'

local Stream = torch.class('data.Stream', data)

local where = 'data.Stream'

local function ofList(list)
  return function()
    local i = 0
    return function()
      i = i + 1
      return list[i]
    end
  end
end

local function ofDataset(dataset)
  return function()
    local i = 0
    return function()
      i = i + 1
      if i <= dataset:size() then return dataset:get(i) end
    end
  end
end

-- Converts the iterator of a `for` loop to a function without arguments.
local function closed(f, state, control)
  return function()
    local value = f(state, control)
    control = value
    return value
  end
end

--- @tparam function|data.Dataset|table source a function that starts the stream: it accepts a seed and returns an iterator for a `for`
-- loop, which ends with nil; or a set or a list, whose samples are returned in order
function Stream:__init(source)
  if type(source) == 'table' and source.get and source.size then
    self.start = ofDataset(source)
  elseif type(source) == 'table' and not (getmetatable(source) or {}).__call then
    self.start = ofList(source)
  else
    check.callable(where, 'source', source)
    self.start = function(seed) return closed(source(seed)) end
  end
end

-- A derived stream: `begin` accepts the source's iterator and the seed, and returns the derived iterator.
local function derived(self, begin)
  local stream = torch.factory('data.Stream')()
  local start = self.start
  stream.start = function(seed) return begin(start(seed), seed) end
  return stream
end

--- Starts the stream.
-- @int[opt] seed of `shuffle`; default: torch's global generator
-- @treturn function that returns one sample per call, and nil after the last one
function Stream:iterate(seed) return self.start(seed) end

--- Same as `iterate`: `for sample in stream() do ... end`, or `in stream do`.
function Stream:__call__(...) return loop(Stream.iterate, self, ...) end

--- The samples, transformed by a function.
-- @tparam function transform (sample, number) -> sample
-- @treturn data.Stream
function Stream:transform(transform)
  check.callable(where, 'transform', transform)
  return derived(self, function(following)
    local number = 0
    return function()
      local sample = following()
      if sample == nil then return nil end
      number = number + 1
      return transform(sample, number)
    end
  end)
end

--- The samples for which a function returns true.
-- @tparam function accepts
-- @treturn data.Stream
function Stream:filter(accepts)
  check.callable(where, 'accepts', accepts)
  return derived(self, function(following)
    return function()
      local sample = following()
      while sample ~= nil and not accepts(sample) do sample = following() end
      return sample
    end
  end)
end

--- The first samples.
-- @int count
-- @treturn data.Stream
function Stream:take(count)
  check.int(where, 'count', count, { min = 0 })
  return derived(self, function(following)
    local left = count
    return function()
      if left == 0 then return nil end
      left = left - 1
      return following()
    end
  end)
end

--- The samples after the first ones.
-- @int count
-- @treturn data.Stream
function Stream:skip(count)
  check.int(where, 'count', count, { min = 0 })
  return derived(self, function(following)
    local left = count
    return function()
      while left > 0 do
        left = left - 1
        if following() == nil then return nil end
      end
      return following()
    end
  end)
end

--- This stream's samples followed by those of others.
-- @tparam data.Stream ...
-- @treturn data.Stream
function Stream:concat(...)
  local others = { ... }
  for i, other in ipairs(others) do check.instance(where, ('concat: %d'):format(i), other, 'a stream') end
  return derived(self, function(following, seed)
    local at = 0
    return function()
      local sample = following()
      while sample == nil and others[at + 1] do
        at = at + 1
        following = others[at].start(seed)
        sample = following()
      end
      return sample
    end
  end)
end

--- The samples in random order: each one is drawn from a buffer, which the stream refills.
-- @int size samples in the buffer
-- @treturn data.Stream
function Stream:shuffle(size)
  check.int(where, 'size', size, { min = 1 })
  return derived(self, function(following, seed)
    local buffer, generator = {}, seeds.generator(where, seed) or torch._gen
    return function()
      while #buffer < size do
        local sample = following()
        if sample == nil then break end
        buffer[#buffer + 1] = sample
      end
      if #buffer == 0 then return nil end
      local chosen = torch.random(generator, 1, #buffer)
      local sample = buffer[chosen]
      buffer[chosen] = buffer[#buffer]
      buffer[#buffer] = nil
      return sample
    end
  end)
end

--- Batches of consecutive samples.
-- @int size samples per batch
-- @tparam[opt] table options `dropLast`: leaves out a smaller last batch; `collate`: builds a batch from a list (data.collate)
-- @treturn data.Stream
function Stream:batch(size, options)
  check.int(where, 'size', size, { min = 1 })
  options = check.options(where, options, { 'dropLast', 'collate' })
  local collate = options.collate or data.collate
  return derived(self, function(following)
    return function()
      local samples = {}
      for k = 1, size do
        samples[k] = following()
        if samples[k] == nil then break end
      end
      if #samples == 0 or options.dropLast and #samples < size then return nil end
      return collate(samples)
    end
  end)
end

--- Each `count`-th sample, for one of several workers or ranks: together they have all samples.
-- @int place of the worker, from 1
-- @int count number of workers
-- @treturn data.Stream
function Stream:shard(place, count)
  check.int(where, 'count', count, { min = 1 })
  check.int(where, 'place', place, { min = 1, max = count })
  return derived(self, function(following)
    local number = 0
    return function()
      local sample
      repeat
        sample = following()
        number = number + 1
      until sample == nil or (number - place) % count == 0
      return sample
    end
  end)
end

--- Blocks of a length, cut from the samples one behind the other: vectors such as the ids of tokens of texts. The rest that fills no block
-- is left out.
-- @int length elements of a block
-- @treturn data.Stream of vectors, of the type of the samples
-- @raise while it is read, if a sample is no vector
function Stream:blocks(length)
  check.int(where, 'length', length, { min = 1 })
  return derived(self, function(following)
    local waiting, place = nil, 1      -- a sample, and its first element that belongs to no block yet
    return function()
      local block, filled = nil, 0
      while filled < length do
        if not waiting or place > waiting:nElement() then
          waiting, place = following(), 1
          if waiting == nil then return nil end
          check.tensor(where .. ': blocks', 'sample', waiting)
          check.that(waiting:dim() <= 1, ('%s: blocks: a sample of %d dimensions, expected vectors'):format(where, waiting:dim()))
        end
        local count = math.min(length - filled, waiting:nElement() - place + 1)
        block = block or waiting.new(length)
        if count > 0 then block:narrow(1, filled + 1, count):copy(waiting:narrow(1, place, count)) end
        filled, place = filled + count, place + count
      end
      return block
    end
  end)
end

--- The samples, read ahead of time by a separate thread, which also runs the streams that this one is derived from.
-- @int count maximum number of samples read ahead
-- @treturn data.Stream
function Stream:prefetch(count)
  check.int(where, 'count', count, { min = 1 })
  return derived({ start = function() end }, require('data.ahead')(self.start, count))
end

--- A loader of batches.
-- @tparam[opt] table options as for data.DataLoader
-- @treturn data.DataLoader
function Stream:loader(options) return data.DataLoader(self, options) end

return { Stream = data.Stream }
