--- The base class of loaders: batches by numbers, in order, or random, and iterators over them.
-- @classmod dl.DataLoader
local torch = require 'torch'
local check = require 'torch.check'
local dl = require 'dataload'

local DataLoader = torch.class('dl.DataLoader', dl)

local usualBatch = 32
DataLoader.gcdelay = 200

function DataLoader.__init() end

local function notImplemented(self, name)
  check.raise(('%s: %s: Not Implemented'):format(torch.type(self), name))
end

--- The samples with these numbers. Subclasses implement it.
-- @tparam torch.LongTensor indices
-- @tparam[opt] torch.Tensor|table inputs to write to
-- @tparam[opt] torch.Tensor|table targets to write to
-- @treturn torch.Tensor|table inputs
-- @treturn torch.Tensor|table targets
function DataLoader:index(indices, inputs, targets)    -- luacheck: no unused args
  notImplemented(self, 'index')
end

--- Random samples, drawn uniformly with replacement.
-- @int batchsize
-- @tparam[opt] torch.Tensor|table inputs to write to
-- @tparam[opt] torch.Tensor|table targets to write to
function DataLoader:sample(batchsize, inputs, targets, ...)
  check.int(torch.type(self), 'batchsize', batchsize, { min = 1 })
  local indices = torch.LongTensor(batchsize):random(1, self:size())
  return self:index(indices, inputs, targets, ...)
end

--- The samples from start to stop, inclusive.
function DataLoader:sub(start, stop, inputs, targets, ...)
  local size = self:size()
  check.int(torch.type(self), 'start', start, { min = 1, max = size })
  check.int(torch.type(self), 'stop', stop, { min = start, max = size })
  local indices = torch.LongTensor(torch.LongStorage { stop - start + 1 })
  return self:index(torch.range(indices, start, stop), inputs, targets, ...)
end

--- The number of samples.
function DataLoader:size() notImplemented(self, 'size') end

--- Sizes of an input, as a list without the batch dimension.
-- @int[opt=1] excludedim
function DataLoader:isize(excludedim)    -- luacheck: no unused args
  notImplemented(self, 'isize')
end

--- Sizes of a target, like `isize`.
function DataLoader:tsize(excludedim)    -- luacheck: no unused args
  notImplemented(self, 'tsize')
end

--- Shuffles the samples.
function DataLoader:shuffle() notImplemented(self, 'shuffle') end

--- Splits the samples into two loaders: the first part and the rest.
-- @number ratio between 0 and 1
function DataLoader:split(ratio)    -- luacheck: no unused args
  notImplemented(self, 'split')
end

-- The number of samples of an iterator.
function DataLoader:_epochSize(epochsize)
  if epochsize == nil or epochsize <= 0 then return self:size() end
  return check.int(torch.type(self), 'epochsize', epochsize, { min = 1 })
end

function DataLoader:_batchSize(batchsize) return check.int(torch.type(self), 'batchsize', batchsize or usualBatch, { min = 1 }) end

--- The range of the next batch of `subiter`, which wraps around at the end.
-- @int most maximum number of samples
function DataLoader:_next(most)
  local size, start = self:size(), self._start or 1
  local stop = math.min(start + most - 1, size)
  self._start = stop < size and stop + 1 or 1
  return start, stop
end

-- Iterates until there were epochsize samples. `take` accepts the maximum number of samples and the last step's results, and returns the
-- number of samples, then inputs, targets and further values.
local function batches(self, batchsize, epochsize, take)
  batchsize, epochsize = self:_batchSize(batchsize), self:_epochSize(epochsize)
  local given, inputs, targets = 0, nil, nil
  local function pass(count, first, second, ...)
    given, inputs, targets = given + count, first, second
    self:collectgarbage()
    return given, first, second, ...
  end
  return function()
    if given >= epochsize then return end
    return pass(take(math.min(batchsize, epochsize - given), inputs, targets))
  end
end

--- Iterates over batches in order. The next call continues where it stops; the last batch may be shorter, and the next one starts again.
-- Each step overwrites the tensors of the previous one.
-- @int[opt=32] batchsize
-- @int[opt] epochsize total number of samples; default: all
-- @treturn function iterator of the number of samples so far, inputs and targets
function DataLoader:subiter(batchsize, epochsize, ...)
  local others, count = { ... }, select('#', ...)
  return batches(self, batchsize, epochsize, function(most, inputs, targets)
    local start, stop = self:_next(most)
    return stop - start + 1, self:sub(start, stop, inputs, targets, unpack(others, 1, count))
  end)
end

--- Iterates over random batches from `sample`; otherwise like `subiter`.
function DataLoader:sampleiter(batchsize, epochsize, ...)
  local others, count = { ... }, select('#', ...)
  return batches(self, batchsize, epochsize, function(most, inputs, targets)
    return most, self:sample(most, inputs, targets, unpack(others, 1, count))
  end)
end

--- Resets the position of `subiter`.
function DataLoader:reset() self._start = nil end

--- A deep copy of this loader.
function DataLoader:clone() return torch.deserialize(torch.serialize(self)) end

--- Runs Lua's garbage collector at every `gcdelay`-th call.
function DataLoader:collectgarbage()
  self.gccount = (self.gccount or 0) + 1
  if self.gccount >= self.gcdelay then
    collectgarbage()
    self.gccount = 0
  end
end

return DataLoader
