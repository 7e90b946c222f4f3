--- Samplers select an epoch's samples and their order. A sampler has `order(generator, epoch)`, which returns a LongTensor of numbers.
-- Each epoch has a generator, so that the order depends only on the loader's seed and the epoch.
-- @module data.samplers
local torch, check, data = require 'torch', require 'torch.check', require 'data'
local seeds = require 'data.seeds'

local function counted(self, where, size)
  if type(size) == 'table' and size.size then size = size:size() end
  self.count = check.int(where, 'size', size, { min = 0 })
end

local function sequence(size) return size == 0 and torch.LongTensor(0) or torch.range(1, size):long() end

--- All samples in order.
-- @type data.SequentialSampler
local Sequential = torch.class('data.SequentialSampler', data)

--- @tparam int|data.Dataset size number of samples
function Sequential:__init(size) counted(self, 'data.SequentialSampler', size) end

--- The number of samples in an epoch.
function Sequential:size() return self.count end

--- The numbers of an epoch's samples.
function Sequential:order() return sequence(self.count) end

--- Random samples.
-- @type data.RandomSampler
local Random = torch.class('data.RandomSampler', data)

--- @tparam int|data.Dataset size number of samples
-- @tparam[opt] table options `count`: number of samples per epoch (default: all); `replacement`: a sample may occur twice
function Random:__init(size, options)
  local where = 'data.RandomSampler'
  counted(self, where, size)
  options = check.options(where, options, { 'count', 'replacement' })
  self.replacement = check.flag(where, 'replacement', options.replacement)
  local most = not options.replacement and self.count or nil
  self.taken = options.count and check.int(where, 'count', options.count, { min = 0, max = most }) or self.count
end

--- The number of samples in an epoch.
function Random:size() return self.taken end

--- The numbers of an epoch's samples.
-- @tparam torch.Generator generator
function Random:order(generator) return seeds.draw(self.count, self.taken, self.replacement, generator) end

--- Random samples with weights, for example to draw rare classes as often as others.
-- @type data.WeightedSampler
local Weighted = torch.class('data.WeightedSampler', data)

--- @tparam torch.Tensor|{number,...} weights of the samples; they need not add up to 1
-- @tparam[opt] table options `count`: number of samples per epoch (default: the number of weights); `replacement`: whether a sample may
-- occur twice (default true)
function Weighted:__init(weights, options)
  local where = 'data.WeightedSampler'
  if type(weights) == 'table' then weights = torch.DoubleTensor(weights) end
  self.weights = check.tensor(where, 'weights', weights):double()
  check.that(self.weights:dim() == 1 and self.weights:min() >= 0 and self.weights:sum() > 0,
    where .. ': weights: expected a vector of numbers that are not negative, and not all 0')
  options = check.options(where, options, { 'count', 'replacement' })
  self.replacement = check.flag(where, 'replacement', options.replacement) ~= false
  local most = not self.replacement and self.weights:gt(0):sum() or nil
  self.count = check.int(where, 'count', options.count or self.weights:size(1), { min = 1, max = most })
end

--- The number of samples in an epoch.
function Weighted:size() return self.count end

--- The numbers of an epoch's samples.
-- @tparam torch.Generator generator
function Weighted:order(generator) return torch.multinomial(generator, self.weights, self.count, self.replacement):view(-1) end

--- The share of one process in distributed training: together the processes use every sample, an equal number each.
-- @type data.DistributedSampler
local Distributed = torch.class('data.DistributedSampler', data)

--- @tparam int|data.Dataset size number of samples
-- @tparam table options `rank` of this process, from 1; `replicas`, the number of processes; `shuffle` (default true; the processes'
-- loaders need the same seed); `dropLast`: leaves out samples that don't divide evenly (otherwise the first samples are repeated)
function Distributed:__init(size, options)
  local where = 'data.DistributedSampler'
  counted(self, where, size)
  options = check.options(where, options, { 'rank', 'replicas', 'shuffle', 'dropLast' })
  self.replicas = check.int(where, 'replicas', options.replicas, { min = 1 })
  self.rank = check.int(where, 'rank', options.rank, { min = 1, max = self.replicas })
  self.shuffle = check.flag(where, 'shuffle', options.shuffle) ~= false
  self.share = (options.dropLast and math.floor or math.ceil)(self.count / self.replicas)
end

--- The number of samples in an epoch, per process.
function Distributed:size() return self.share end

--- The numbers of an epoch's samples in this process.
-- @tparam torch.Generator generator
function Distributed:order(generator)
  if self.share == 0 then return torch.LongTensor(0) end
  local all = self.shuffle and torch.randperm(generator, self.count):long() or sequence(self.count)
  local places = (torch.range(0, self.share - 1) * self.replicas + self.rank - 1):fmod(self.count):long() + 1
  return all:index(1, places)
end

return {
  SequentialSampler = data.SequentialSampler, RandomSampler = data.RandomSampler, WeightedSampler = data.WeightedSampler,
  DistributedSampler = data.DistributedSampler,
}
