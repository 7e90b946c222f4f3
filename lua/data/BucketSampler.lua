--- Batches of samples of similar lengths, for sequences that are padded to the longest of their batch.
-- @classmod data.BucketSampler
-- @usage local loader = data.DataLoader(set, { batchSampler = data.BucketSampler(lengths, { batchSize = 32 }), collate = pad })
local torch, check, data = require 'torch', require 'torch.check', require 'data'
local seeds = require 'data.seeds'

local BucketSampler = torch.class('data.BucketSampler', data)

local where = 'data.BucketSampler'

--- @tparam torch.Tensor|{number,...} lengths of the samples
-- @tparam[opt] table options
--
-- - `batchSize`: samples per batch (32)
-- - `shuffle`: in each epoch another order: `window` batches of samples at a time are sorted by length, and batches come in any order
--   (true). Without it samples are sorted by length, the shortest first
-- - `window`: batches of samples that are sorted at a time (100): more make batches more uniform, fewer make orders more random
-- - `dropLast`: leaves out batches that are smaller (false)
-- @raise if lengths aren't numbers, or options are out of range
function BucketSampler:__init(lengths, options)
  options = check.options(where, options, { 'batchSize', 'shuffle', 'window', 'dropLast' })
  if torch.isTensor(lengths) then
    check.that(lengths:dim() <= 1, ('%s: lengths: a tensor of %d dimensions, expected a vector'):format(where, lengths:dim()))
    lengths = lengths:nElement() > 0 and lengths:totable() or {}
  end
  self.lengths = check.table(where, 'lengths', lengths)
  for i, length in ipairs(lengths) do check.number(where, ('lengths[%d]'):format(i), length, { min = 0 }) end
  self.batchSize = check.int(where, 'batchSize', options.batchSize or 32, { min = 1 })
  self.window = check.int(where, 'window', options.window or 100, { min = 1 })
  self.shuffle = check.flag(where, 'shuffle', options.shuffle) ~= false
  self.dropLast = check.flag(where, 'dropLast', options.dropLast) or false
end

-- Appends to batches those of samples that are sorted by length.
local function cut(self, numbers, batches)
  local lengths = self.lengths
  table.sort(numbers, function(a, b) return lengths[a] < lengths[b] or lengths[a] == lengths[b] and a < b end)
  for first = 1, #numbers, self.batchSize do
    local batch = {}
    for i = first, math.min(first + self.batchSize - 1, #numbers) do batch[#batch + 1] = numbers[i] end
    if #batch == self.batchSize or not self.dropLast then batches[#batches + 1] = batch end
  end
end

--- Returns the batches of an epoch.
-- @tparam torch.Generator generator
-- @treturn {{int,...},...} numbers of samples
function BucketSampler:order(generator)
  local count = #self.lengths
  local order = self.shuffle and seeds.draw(count, count, false, generator):totable() or {}
  for i = 1, self.shuffle and 0 or count do order[i] = i end
  local batches, step = {}, self.shuffle and self.window * self.batchSize or math.max(count, 1)
  for first = 1, count, step do
    local numbers = {}
    for i = first, math.min(first + step - 1, count) do numbers[#numbers + 1] = order[i] end
    cut(self, numbers, batches)
  end
  if not self.shuffle or #batches == 0 then return batches end
  local mixed = {}
  for i, place in ipairs(seeds.draw(#batches, #batches, false, generator):totable()) do mixed[i] = batches[place] end
  return mixed
end

return { BucketSampler = BucketSampler }
