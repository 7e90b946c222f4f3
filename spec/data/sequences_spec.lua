-- Batches of similar lengths, and streams that are cut into blocks or divided among workers.
local torch, data = require 'torch', require 'data'

local function sorted(list)
  table.sort(list)
  return list
end

local function range(count)
  local list = {}
  for i = 1, count do list[i] = i end
  return list
end

local function collected(stream)
  local list = {}
  for sample in stream() do list[#list + 1] = torch.isTensor(sample) and sample:totable() or sample end
  return list
end

describe('data.BucketSampler', function()
  local lengths = {}
  for i = 1, 205 do lengths[i] = (i * 37) % 100 end

  local function flat(batches)
    local all = {}
    for _, batch in ipairs(batches) do
      for _, number in ipairs(batch) do all[#all + 1] = number end
    end
    return all
  end

  it('has each sample once, in batches of similar lengths', function()
    local generator = torch.Generator()
    torch.manualSeed(generator, 7)
    local batches = data.BucketSampler(lengths, { batchSize = 10, window = 30 }):order(generator)
    assert.equal(21, #batches)
    assert.same(range(205), sorted(flat(batches)))
    local spread, rises = 0, 0
    for i, batch in ipairs(batches) do
      spread = math.max(spread, lengths[batch[#batch]] - lengths[batch[1]])
      rises = rises + (i > 1 and lengths[batch[1]] > lengths[batches[i - 1][1]] and 1 or 0)
    end
    assert.is_true(spread <= 6)                      -- 205 samples of lengths from 0 to 99: 10 neighbours differ by 5
    assert.is_true(rises > 3 and rises < 17)         -- batches are in no order
  end)

  it('sorts all without shuffling, and leaves out the smaller batch', function()
    local order = flat(data.BucketSampler(torch.LongTensor { 5, 1, 3, 1, 9 }, { batchSize = 2, shuffle = false, dropLast = true }):order())
    assert.same({ 2, 4, 3, 1 }, order)
    assert.same({}, data.BucketSampler {}:order(torch.Generator()))
  end)

  it('gives a loader its batches, each epoch others, and the same for a seed', function()
    local set = data.FunctionDataset(205, function(i) return torch.LongTensor { i } end)
    local function epoch(loader)
      local list = {}
      for batch in loader() do list[#list + 1] = table.concat(batch:view(-1):totable(), ' ') end
      return list
    end
    local function loader() return data.DataLoader(set, { batchSampler = data.BucketSampler(lengths, { batchSize = 10 }), seed = 3 }) end
    local one, two = loader(), loader()
    local first = epoch(one)
    assert.equal(21, #first)
    assert.same(first, epoch(two))
    assert.not_same(first, epoch(one))
  end)

  it('refuses what are no lengths', function()
    assert.error_matches(function() data.BucketSampler { 1, 'a' } end, 'data%.BucketSampler: lengths%[2%]: .*expected a number')
    assert.error_matches(function() data.BucketSampler(torch.ones(2, 2)) end, 'of 2 dimensions, expected a vector')
    assert.error_matches(function() data.BucketSampler({ 1 }, { batchSize = 0 }) end, 'batchSize: 0, expected a whole number')
  end)
end)

describe('data.Stream', function()
  it('is cut into blocks over the ends of samples', function()
    local list = { torch.LongTensor { 1, 2, 3 }, torch.LongTensor(), torch.LongTensor { 4 }, torch.LongTensor { 5, 6, 7, 8, 9, 10, 11 } }
    local stream = data.Stream(list):blocks(5)
    assert.same({ { 1, 2, 3, 4, 5 }, { 6, 7, 8, 9, 10 } }, collected(stream))
    assert.same({ { 1, 2, 3, 4, 5 }, { 6, 7, 8, 9, 10 } }, collected(stream))      -- each iteration starts again
    assert.equal('torch.LongTensor', stream:iterate()():type())
    assert.same({ 1, 2, 3, 4 }, list[1]:cat(list[3], 1):totable())
    assert.same({}, collected(data.Stream { torch.ones(2) }:blocks(3)))
    assert.error_matches(function() collected(data.Stream { torch.ones(2, 2) }:blocks(3)) end, 'a sample of 2 dimensions, expected vectors')
  end)

  it('is divided among workers', function()
    local stream, all = data.Stream(range(11)), {}
    assert.same({ 2, 5, 8, 11 }, collected(stream:shard(2, 3)))
    for place = 1, 3 do
      for _, sample in ipairs(collected(stream:shard(place, 3))) do all[#all + 1] = sample end
    end
    assert.same(range(11), sorted(all))
    assert.error_matches(function() stream:shard(4, 3) end, 'place: 4, expected a whole number from 1 to 3')
  end)
end)
