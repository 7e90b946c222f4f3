-- dataload's loaders of tensors and sequences, in one thread and several.
local torch = require 'torch'
local dl = require 'dataload'

-- Samples 1..n, as inputs n x 1 and targets 10, 20, ...
local function loaderOf(n) return dl.TensorLoader(torch.range(1, n):view(n, 1), torch.range(10, 10 * n, 10):long()) end

local function batchesOf(iterator)
  local list = {}
  for k, inputs, targets in iterator do list[#list + 1] = { k, inputs:clone():view(-1):totable(), targets:totable() } end
  return list
end

describe('dl.DataLoader', function()
  it('leaves to its subclasses what they have', function()
    local base = dl.DataLoader()
    for _, name in ipairs { 'index', 'shuffle', 'split', 'size', 'isize', 'tsize' } do
      assert.error_matches(function() base[name](base) end, 'dl.DataLoader: ' .. name .. ': Not Implemented')
    end
  end)
end)

describe('dl.TensorLoader', function()
  it('gives samples by number, in ranges and drawn, into buffers', function()
    local loader = loaderOf(5)
    local inputs, targets = loader:index(torch.LongTensor { 4, 2 })
    assert.same({ { 4 }, { 2 } }, inputs:totable())
    assert.same({ 40, 20 }, targets:totable())
    local again, other = loader:sub(2, 4, inputs, targets)
    assert.equal(inputs:storage():data(), again:storage():data())
    assert.same({ { 2 }, { 3 }, { 4 } }, again:totable())
    assert.same({ 20, 30, 40 }, other:totable())
    local seen = {}
    for _ = 1, 20 do
      local x, y = loader:sample(5)
      for i = 1, 5 do
        assert.equal(10 * x[i][1], y[i])
        seen[y[i]] = true
      end
    end
    assert.same({ [10] = true, [20] = true, [30] = true, [40] = true, [50] = true }, seen)
    assert.same({ 5, { 1 }, {}, { 5 } }, { loader:size(), loader:isize(), loader:tsize(), loader:isize(2) })
  end)

  it('takes tables of tensors to any depth', function()
    local loader = dl.TensorLoader({ torch.range(1, 4), { a = torch.range(1, 8):view(4, 2) } }, nil)
    local inputs, targets = loader:sub(2, 3)
    assert.same({ { 2, 3 }, { { 3, 4 }, { 5, 6 } } }, { inputs[1]:totable(), inputs[2].a:totable() })
    assert.is_nil(targets)
    assert.same({ {}, { a = { 2 } } }, loader:isize())
  end)

  it('iterates in order, goes on where it stopped, and wraps at the end', function()
    local loader = loaderOf(5)
    assert.same({ { 2, { 1, 2 }, { 10, 20 } }, { 3, { 3 }, { 30 } } }, batchesOf(loader:subiter(2, 3)))
    assert.same({ { 2, { 4, 5 }, { 40, 50 } }, { 4, { 1, 2 }, { 10, 20 } }, { 5, { 3 }, { 30 } } }, batchesOf(loader:subiter(2)))
    assert.same({ { 2, { 4, 5 }, { 40, 50 } }, { 4, { 1, 2 }, { 10, 20 } } }, batchesOf(loader:subiter(3, 4)))
    loader:reset()
    assert.same({ { 5, { 1, 2, 3, 4, 5 }, { 10, 20, 30, 40, 50 } } }, batchesOf(loader:subiter(nil, -1)))
    local counts = {}
    for k in loader:sampleiter(2, 5) do counts[#counts + 1] = k end
    assert.same({ 2, 4, 5 }, counts)
    local first, second
    for _, inputs in loader:subiter(2, 4) do
      if first then second = inputs else first = inputs end
    end
    assert.equal(first:storage():data(), second:storage():data())
  end)

  it('is shuffled, split and cloned', function()
    local loader = loaderOf(6)
    local same, order = loader:shuffle()
    assert.equal(loader, same)
    assert.same(order:totable(), loader.inputs:view(-1):long():totable())
    assert.same((order * 10):totable(), loader.targets:totable())
    local first, rest = loader:split(0.7)
    assert.same({ 4, 2 }, { first:size(), rest:size() })
    first.inputs:fill(0)
    assert.equal(0, loader.inputs[4][1])
    local copy = loader:clone()
    copy.inputs:fill(7)
    assert.equal(0, loader.inputs[1][1])
    for _, ratio in ipairs { 0, 1, 'x' } do
      assert.error_matches(function() loader:split(ratio) end, 'Expecting 0 < arg < 1')
    end
    assert.error_matches(function() dl.TensorLoader(torch.ones(3), torch.ones(2)) end, 'dl.TensorLoader: 2 samples, expected 3')
    assert.error_matches(function() loader:sub(3, 9) end, 'dl.TensorLoader: stop: 9, expected a whole number from 3 to 6')
  end)
end)

describe('dl.SequenceLoader', function()
  it('cuts a sequence into columns, whose targets are one step later', function()
    local loader = dl.SequenceLoader(torch.range(1, 11):int(), 2)
    assert.same({ { 1, 6 }, { 2, 7 }, { 3, 8 }, { 4, 9 }, { 5, 10 } }, loader.data:totable())
    assert.equal(4, loader:size())
    local inputs, targets = loader:sub(2, 3)
    assert.same({ { 2, 7 }, { 3, 8 } }, inputs:totable())
    assert.same({ { 3, 8 }, { 4, 9 } }, targets:totable())
    local steps = {}
    for k, x in loader:subiter(3) do steps[#steps + 1] = { k, x:size(1) } end
    assert.same({ { 3, 3 }, { 4, 1 } }, steps)
    local both = dl.SequenceLoader(torch.range(1, 4), 2, true)
    assert.equal(2, both:size())
    assert.same({ { 1, 3 }, { 2, 4 } }, (select(2, both:sub(1, 2))):totable())
    assert.error_matches(function() loader:sample(2) end, 'Not Implemented')
    assert.error_matches(function() loader:sampleiter(2) end, 'Not Implemented. Use subiter instead.')
    assert.error_matches(function() dl.SequenceLoader(torch.ones(3), 2) end, 'sequence: 3 steps, expected more for 2 columns')
  end)
end)

describe('dl.MultiSequence', function()
  local function sequences()
    return { torch.LongTensor { 11, 12, 13 }, torch.LongTensor { 21, 22 }, torch.LongTensor { 31, 32, 33, 34 } }
  end

  it('runs through whole sequences, with a step between them', function()
    local loader = dl.MultiSequence(sequences(), 2)
    assert.equal(5, loader:size())
    local inputs, targets = loader:sub(1, 4)
    assert.same({ { 0, 0 }, { 11, 31 }, { 12, 32 }, { 0, 33 } }, inputs:totable())
    assert.same({ { 1, 1 }, { 12, 32 }, { 13, 33 }, { 1, 34 } }, targets:totable())
    inputs, targets = loader:sub(1, 3)
    assert.same({ { 21, 0 }, { 0, 21 }, { 11, 0 } }, inputs:totable())
    assert.same({ { 22, 1 }, { 1, 22 }, { 12, 1 } }, targets:totable())
    loader:reset()
    assert.same({ { 0, 0 } }, loader:sub(1, 1):totable())
  end)

  it('takes steps that are tensors, tds.Vec, and draws sequences', function()
    local list = { torch.ones(2, 3), torch.ones(3, 3):mul(2) }
    local inputs, targets = dl.MultiSequence(list, 1):sub(1, 4)
    assert.same({ { 0, 0, 0 }, { 1, 1, 1 }, { 0, 0, 0 }, { 2, 2, 2 } }, inputs:view(4, 3):totable())
    assert.same({ 0, 1, 0, 2 }, targets:select(3, 1):contiguous():view(4):totable())
    local vec = require('tds').Vec(sequences())
    assert.same({ { 0 }, { 11 } }, dl.MultiSequence(vec, 1):sub(1, 2):totable())
    local drawn, seen = dl.MultiSequence(sequences(), 1), {}
    drawn.randseq = true
    local x = drawn:sub(1, 100)
    for i = 1, 100 do seen[x[i][1]] = true end
    assert.is_true(seen[11] and seen[21] and seen[31])
  end)
end)

describe('dl.AsyncIterator', function()
  it('gives all batches of a loader, from threads', function()
    local loader = dl.AsyncIterator(loaderOf(50), 2)
    assert.same({ 50, { 1 }, {} }, { loader:size(), loader:isize(), loader:tsize() })
    local seen, last = {}, nil
    for k, inputs, targets in loader:subiter(8) do
      last = k
      for i = 1, inputs:size(1) do
        assert.equal(10 * inputs[i][1], targets[i])
        seen[#seen + 1] = inputs[i][1]
      end
    end
    table.sort(seen)
    assert.equal(50, last)
    assert.same(torch.range(1, 50):totable(), seen)
    local count = 0
    for _, inputs in loader:sampleiter(7, 20) do count = count + inputs:size(1) end
    assert.equal(20, count)
    loader:forceCollectGarbage()
  end)

  it('has one iterator at a time, and says what goes wrong in a thread', function()
    local loader = dl.AsyncIterator(loaderOf(10), 1, false, 'binary', function(number) assert(number == 1) end)
    loader:subiter(2)()
    assert.error_matches(function() loader:sampleiter(2) end, 'Can only support one iterator per synchronize')
    loader:synchronize()
    for _ in loader:sampleiter(2, 4) do assert.is_true(true) end
    local broken = dl.AsyncIterator(dl.DataLoader(), 1)
    broken.size = function() return 4 end
    local _, message = pcall(broken:subiter(2))
    assert.matches('thread 1 callback.*size: Not Implemented', message)
    assert.error_matches(function() dl.AsyncIterator({}) end, 'dl.AsyncIterator: dataset: table, expected a loader')
  end)
end)
