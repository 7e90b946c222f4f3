-- data.DataLoader without workers, its samplers, and streams.
local torch, data = require 'torch', require 'data'

local x = torch.range(1, 20):view(10, 2)
local set = data.TensorDataset { input = x, target = torch.range(1, 10):long() }

-- The numbers of the samples of an epoch, a list a batch.
local function targets(loader)
  local list = {}
  for batch in loader() do list[#list + 1] = (torch.isTensor(batch) and batch or batch.target):totable() end
  return list
end

local function flat(lists)
  local all = {}
  for _, list in ipairs(lists) do
    for _, value in ipairs(list) do all[#all + 1] = value end
  end
  return all
end

local function sorted(list)
  table.sort(list)
  return list
end

local oneToTen = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }

describe('data.DataLoader', function()
  it('goes through a set in order', function()
    local loader = data.DataLoader(set, { batchSize = 4 })
    assert.equal(3, loader:size())
    assert.same({ { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9, 10 } }, targets(loader))
    assert.same({ { 1, 2, 3, 4 }, { 5, 6, 7, 8 } }, targets(set:loader { batchSize = 4, dropLast = true }))
    for batch, k in loader() do assert.equal(batch.input[1][1], (k - 1) * 8 + 1) end
    assert.same({ { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9, 10 } }, targets(data.DataLoader { dataset = set, batchSize = 4 }))
    assert.same({ { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9, 10 } }, targets(data.DataLoader { set, batchSize = 4 }))
    assert.same({ { 1, 2 }, { 3 } }, targets(data.DataLoader(torch.range(1, 3), { batchSize = 2 })))
  end)

  it('is gone through by a loop that does not call it, too', function()
    local loader, count = set:loader { batchSize = 4 }, 0
    for _ = 1, 2 do
      for batch, k in loader do count = count + k * batch.target:size(1) end
    end
    assert.equal(2 * (4 + 8 + 6), count)
    assert.equal(3, loader.epoch)
    for _, k in loader do
      if k == 2 then break end
    end
    for batch, k in loader do
      if k == 1 then assert.equal(1, batch.target[1]) end
    end
    local sum = 0
    for value in data.Stream { 1, 2, 3 } do sum = sum + value end
    assert.equal(6, sum)
  end)

  it('says where nothing came', function()
    local _, message = pcall(function() data.FunctionDataset(3, function() end):loader()()() end)
    assert.matches('^data.DataLoader: sample 1 of batch 1: get: nothing, expected a sample\n', message)
    _, message = pcall(function() set:loader { transform = function() end }()() end)
    assert.matches('batch 1: transform: nothing', message)
  end)

  it('shuffles anew each epoch, by its seed', function()
    local loader, again = set:loader { batchSize = 4, shuffle = true, seed = 3 }, set:loader { batchSize = 3, shuffle = true, seed = 3 }
    local first, second = flat(targets(loader)), flat(targets(loader))
    assert.are_not.same(first, second)
    assert.same(first, flat(targets(again)))
    assert.same(oneToTen, sorted(first))
    assert.same(oneToTen, sorted(second))
    assert.are_not.same(flat(targets(set:loader { shuffle = true, seed = 4 })), flat(targets(set:loader { shuffle = true, seed = 3 })))
  end)

  it('takes its seed from torch.manualSeed, and leaves the generator where it was', function()
    torch.manualSeed(11)
    local one = targets(set:loader { shuffle = true })
    assert.same(one, targets(set:loader { shuffle = true }))
    local noisy = set:transform(function(sample)
      sample.noise = torch.uniform()
      return sample
    end)
    torch.manualSeed(11)
    local expected = { torch.uniform(), torch.uniform() }
    torch.manualSeed(11)
    local actual = { torch.uniform() }
    targets(noisy:loader { shuffle = true })
    actual[2] = torch.uniform()
    assert.same(expected, actual)
  end)

  it('draws for a sample by its place alone', function()
    local noisy = data.FunctionDataset(10, function() return { torch.uniform(), math.random() } end)
    local function noise(batchSize)
      local one, other = {}, {}
      for batch in noisy:loader { batchSize = batchSize, seed = 5 }() do
        for i = 1, batch[1]:size(1) do one[#one + 1], other[#other + 1] = batch[1][i], batch[2][i] end
      end
      return { one, other }
    end
    local all = noise(10)
    assert.same(all, noise(3))
    assert.are_not.equal(all[1][1], all[1][2])
    assert.are_not.equal(all[2][1], all[2][2])
  end)

  it('changes and puts together samples by functions', function()
    local loader = set:loader { batchSize = 5, transform = function(sample, i) return sample.target * 100 + i end,
      collate = function(samples) return torch.Tensor(samples) end }
    assert.same({ { 101, 202, 303, 404, 505 }, { 606, 707, 808, 909, 1010 } }, targets(loader))
  end)

  it('goes on where it was', function()
    local function loader() return set:loader { batchSize = 2, shuffle = true, seed = 9 } end
    local whole, one = loader(), loader()
    local expected = { targets(whole), targets(whole) }
    local state
    targets(one)
    for _, k in one() do
      if k == 2 then
        state = torch.deserialize(torch.serialize(one:state()))
        break
      end
    end
    assert.same({ seed = 9, epoch = 2, position = 2, samples = 10, batchSize = 2 }, state)
    local other = set:loader { batchSize = 2, shuffle = true }:resume(state)
    assert.same(state, other:state())
    assert.same({ expected[2][3], expected[2][4], expected[2][5] }, targets(other))
    assert.equal(3, other.epoch)
    assert.same(targets(whole), targets(other))
    assert.error_matches(function() set:loader { batchSize = 3 }:resume(state) end, 'state: batchSize of 2, expected 3')
  end)

  it('begins the next epoch when a loop was left', function()
    local loader, whole = set:loader { shuffle = true, seed = 2 }, set:loader { shuffle = true, seed = 2 }
    targets(whole)
    loader()()
    assert.same(targets(whole), targets(loader))
  end)

  it('says which sample failed, and ends there', function()
    local loader = data.FunctionDataset(10, function(i)
      if i == 7 then error 'unreadable' end
      return i
    end):loader { batchSize = 4 }
    local seen = {}
    local done, message = pcall(function()
      for batch, k in loader() do seen[k] = batch:size(1) end
    end)
    assert.is_false(done)
    assert.matches('^data.DataLoader: sample 7 of batch 2: .*loader_spec.lua:%d+: unreadable\nstack traceback:', message)
    assert.same({ 4 }, seen)
    assert.equal(1, loader:state().position)
  end)

  it('refuses options that it does not have', function()
    assert.error_matches(function() set:loader { batchsize = 3 } end, 'options: batchsize, expected one of batchSize, ')
    assert.error_matches(function() set:loader { shuffle = true, sampler = { 1 } } end, 'shuffle: true with a sampler')
    assert.error_matches(function() set:loader { mode = 'fibres' } end, "mode: 'fibres'")
    assert.error_matches(function() data.DataLoader { 1 } end, 'dataset: 1, expected a dataset %(size and get%)')
    assert.error_matches(function() data.DataLoader(data.TensorDataset) end, 'the class data.TensorDataset')
    assert.error_matches(function() set:loader { sampler = function() end }() end, 'sampler: it returned nil')
    assert.error_matches(function() set:loader { batchSampler = { 1, 2 } }() end, 'batchSampler: batch 1 is 1, expected a list')
    assert.error_matches(function() set:loader { sampler = { 1, 3.2 } }() end, 'sampler: it returned 3.2 as number 2, expected a')
    assert.error_matches(function() set:loader { sampler = torch.Tensor { 1.9, 3 } }() end,
      'sampler: it returned 1.9 as number 1, expected a whole')
    assert.error_matches(function() set:loader { sampler = { '1' } }() end, "sampler: it returned '1' as number 1, expected a whole number")
    assert.error_matches(function() set:loader { batchSampler = { { 1 }, { 0 / 0 } } }() end, 'batchSampler: batch 2: it returned nan as')
  end)

  it('calls getBatch of a set that has one', function()
    local asked = {}
    local batched = data.FunctionDataset(5, function() error 'not singly' end, function(indices)
      asked[#asked + 1] = indices:totable()
      return indices
    end)
    targets(batched:loader { batchSize = 3 })
    assert.same({ { 1, 2, 3 }, { 4, 5 } }, asked)
  end)
end)

describe('a sampler', function()
  it('is an object, a function, or numbers', function()
    assert.same({ { 3, 3 }, { 1 } }, targets(set:loader { batchSize = 2, sampler = { 3, 3, 1 } }))
    assert.same({ { 2, 4 } }, targets(set:loader { batchSize = 2, sampler = torch.LongTensor { 2, 4 } }))
    assert.same({ { 1 } }, targets(set:loader { sampler = function(_, epoch) return { epoch } end }))
    local loader = set:loader { batchSampler = function() return { { 1, 2, 3 }, { 4 } } end }
    assert.same({ { 1, 2, 3 }, { 4 } }, targets(loader))
    assert.equal(2, loader:size())
  end)

  it('draws some samples, with replacement or without', function()
    local few = set:loader { sampler = data.RandomSampler(set, { count = 4 }), seed = 1 }
    local seen = {}
    for _, i in ipairs(flat(targets(few))) do
      assert.is_nil(seen[i])
      seen[i] = true
    end
    assert.equal(1, few:size())
    assert.equal(30, #flat(targets(set:loader { sampler = data.RandomSampler(10, { count = 30, replacement = true }) })))
  end)

  it('draws by weights', function()
    local counts = {}
    local weighted = data.WeightedSampler({ 0, 1, 3 }, { count = 4000 })
    for _, i in ipairs(flat(targets(set:loader { sampler = weighted, seed = 1 }))) do counts[i] = (counts[i] or 0) + 1 end
    assert.is_nil(counts[1])
    assert.is_true(math.abs(counts[3] / 4000 - 0.75) < 5 * math.sqrt(0.75 * 0.25 / 4000))     -- five standard deviations
    local once = flat(targets(set:loader { sampler = data.WeightedSampler({ 0, 1, 3 }, { count = 2, replacement = false }) }))
    assert.same({ 2, 3 }, sorted(once))
  end)

  it('shares an epoch between processes', function()
    local all = {}
    for rank = 1, 3 do
      local loader = set:loader { sampler = data.DistributedSampler(set, { rank = rank, replicas = 3, dropLast = true }), seed = 8 }
      local own = flat(targets(loader))
      assert.equal(3, #own)
      for _, i in ipairs(own) do all[#all + 1] = i end
    end
    table.sort(all)
    for k = 2, 9 do assert.is_true(all[k] > all[k - 1]) end
    local last = set:loader { sampler = data.DistributedSampler(10, { rank = 3, replicas = 3, shuffle = false }) }
    assert.same({ { 3, 6, 9, 2 } }, targets(last))
  end)
end)

describe('data.Stream', function()
  local function collect(stream, seed)
    local list = {}
    for sample in stream(seed) do list[#list + 1] = torch.isTensor(sample) and sample:totable() or sample end
    return list
  end
  local numbers = data.Stream { 1, 2, 3, 4, 5, 6, 7 }

  it('comes of iterators, lists and sets', function()
    assert.same({ 'a', 'b' }, collect(data.Stream(function() return ('a b'):gmatch '%a' end)))
    local three = function() return function(last, i) if i < last then return i + 1 end end, 3, 0 end
    assert.same({ 1, 2, 3 }, collect(data.Stream(three)))
    assert.same({ 1, 4 }, collect(data.Stream(data.FunctionDataset(2, function(i) return i * i end))))
  end)

  it('is changed, chosen from, joined and cut into batches', function()
    assert.error_matches(function() numbers:prefetch(0) end, 'count: 0, expected a whole number, 1 or more')
    assert.same({ 101, 202, 303 }, collect(numbers:transform(function(v, count) return v * 100 + count end):take(3)))
    assert.same({ 2, 4 }, collect(numbers:transform(function(v) return v * 2 end):take(2)))
    assert.same({ 6, 7 }, collect(numbers:skip(5)))
    assert.same({}, collect(numbers:skip(9)))
    assert.same({ 2, 4, 6 }, collect(numbers:filter(function(v) return v % 2 == 0 end)))
    assert.equal(14, #collect(numbers:concat(numbers)))
    assert.same({ { 1, 2, 3 }, { 4, 5, 6 }, { 7 } }, collect(numbers:batch(3)))
    assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, collect(numbers:batch(3, { dropLast = true })))
  end)

  it('reads no further than it has to', function()
    local read = 0
    local endless = data.Stream(function() return function() read = read + 1 return read end end)
    assert.same({ 1, 2 }, collect(endless:take(2)))
    assert.equal(2, read)
  end)

  it('is shuffled within a buffer', function()
    local shuffled = numbers:shuffle(3)
    local order = collect(shuffled, 4)
    assert.same(order, collect(shuffled, 4))
    for place, v in ipairs(order) do assert.is_true(v <= place + 2) end
    assert.same({ 1, 2, 3, 4, 5, 6, 7 }, sorted(order))
    assert.same({ 1, 2, 3, 4, 5, 6, 7 }, collect(numbers:shuffle(1)))
  end)

  it('is loaded in batches, and goes on where it was', function()
    local loader = numbers:loader { batchSize = 3, transform = function(v) return v * 10 end }
    assert.is_nil(loader:size())
    assert.same({ { 10, 20, 30 }, { 40, 50, 60 }, { 70 } }, targets(loader))
    assert.same({ { 10, 20, 30 }, { 40, 50, 60 } }, targets(numbers:loader { batchSize = 3, dropLast = true,
      transform = function(v) return v * 10 end }))
    local mixed = numbers:shuffle(4)
    local whole = targets(mixed:loader { batchSize = 2, seed = 6 })
    local state = { seed = 6, epoch = 1, position = 2, batchSize = 2 }
    assert.same({ whole[3], whole[4] }, targets(mixed:loader { batchSize = 2 }:resume(state)))
    assert.error_matches(function() numbers:loader { shuffle = true } end, 'true with a stream, expected false')
  end)
end)
