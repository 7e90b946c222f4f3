--- Which samples an epoch goes through, and in what order. A sampler has `order(generator, epoch)`, which gives a LongTensor of numbers;
-- the generator is the epoch's own, so that the order depends on the loader's seed and the epoch alone.
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

--- @tparam int|data.Dataset size how many samples there are
function Sequential:__init(size) counted(self, 'data.SequentialSampler', size) end

--- How many numbers an epoch has.
function Sequential:size() return self.count end

--- The numbers of an epoch.
function Sequential:order() return sequence(self.count) end

--- Samples at random.
-- @type data.RandomSampler
local Random = torch.class('data.RandomSampler', data)

--- @tparam int|data.Dataset size how many samples there are
-- @tparam[opt] table options `count`: how many an epoch takes (default: all); `replacement`: one may come twice
function Random:__init(size, options)
  local where = 'data.RandomSampler'
  counted(self, where, size)
  options = check.options(where, options, { 'count', 'replacement' })
  self.replacement = check.flag(where, 'replacement', options.replacement)
  local most = not options.replacement and self.count or nil
  self.taken = options.count and check.int(where, 'count', options.count, { min = 0, max = most }) or self.count
end

--- How many numbers an epoch has.
function Random:size() return self.taken end

--- The numbers of an epoch.
-- @tparam torch.Generator generator
function Random:order(generator) return seeds.draw(self.count, self.taken, self.replacement, generator) end

--- Samples at random by weights: rare classes as often as others, say.
-- @type data.WeightedSampler
local Weighted = torch.class('data.WeightedSampler', data)

--- @tparam torch.Tensor|{number,...} weights of the samples; they need not add up to 1
-- @tparam[opt] table options `count`: how many an epoch takes (default: as many as weights); `replacement`: whether one may come twice
-- (default true)
function Weighted:__init(weights, options)
  local where = 'data.WeightedSampler'
  if type(weights) == 'table' then weights = torch.DoubleTensor(weights) end
  self.weights = check.tensor(where, 'weights', weights):double()
  check.that(self.weights:dim() == 1 and self.weights:min() >= 0 and self.weights:sum() > 0,
    where .. ': weights: a vector of numbers that are not negative, and not all 0, was expected')
  options = check.options(where, options, { 'count', 'replacement' })
  self.replacement = check.flag(where, 'replacement', options.replacement) ~= false
  local most = not self.replacement and self.weights:gt(0):sum() or nil
  self.count = check.int(where, 'count', options.count or self.weights:size(1), { min = 1, max = most })
end

--- How many numbers an epoch has.
function Weighted:size() return self.count end

--- The numbers of an epoch.
-- @tparam torch.Generator generator
function Weighted:order(generator) return torch.multinomial(generator, self.weights, self.count, self.replacement):view(-1) end

--- The share of one of several processes that learn together: they take every sample between them, an equal number each.
-- @type data.DistributedSampler
local Distributed = torch.class('data.DistributedSampler', data)

--- @tparam int|data.Dataset size how many samples there are
-- @tparam table options `rank` of this process, from 1; `replicas`, how many there are; `shuffle` (default true; the processes' loaders
-- need the same seed); `dropLast`: samples that don't come out even are left out (else the first ones come again)
function Distributed:__init(size, options)
  local where = 'data.DistributedSampler'
  counted(self, where, size)
  options = check.options(where, options, { 'rank', 'replicas', 'shuffle', 'dropLast' })
  self.replicas = check.int(where, 'replicas', options.replicas, { min = 1 })
  self.rank = check.int(where, 'rank', options.rank, { min = 1, max = self.replicas })
  self.shuffle = check.flag(where, 'shuffle', options.shuffle) ~= false
  self.share = (options.dropLast and math.floor or math.ceil)(self.count / self.replicas)
end

--- How many numbers an epoch has, in each process.
function Distributed:size() return self.share end

--- The numbers of an epoch in this process.
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
