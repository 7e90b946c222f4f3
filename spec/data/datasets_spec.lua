-- Data sets, and sets that are derived from them.
local torch, data = require 'torch', require 'data'

local function numbers(set)
  local list = {}
  for i, sample in set:each() do list[i] = sample end
  return list
end

local ten = data.FunctionDataset(10, function(i) return i * i end)

describe('data.TensorDataset', function()
  local x, y = torch.range(1, 6):view(3, 2), torch.LongTensor { 7, 8, 9 }

  it('has slices as samples: of one tensor, of a list, by name', function()
    assert.same({ 3, 4 }, data.TensorDataset(x):get(2):totable())
    local pair = data.TensorDataset(x, y):get(2)
    assert.same({ { 3, 4 }, 8 }, { pair[1]:totable(), pair[2] })
    local named = data.TensorDataset { input = x, target = y }:get(3)
    assert.same({ { 5, 6 }, 9 }, { named.input:totable(), named.target })
  end)

  it('gives whole batches of the types of its tensors', function()
    local batch = data.TensorDataset { input = x, target = y }:getBatch(torch.LongTensor { 3, 1 })
    assert.same({ { 5, 6 }, { 1, 2 } }, batch.input:totable())
    assert.equal('torch.LongTensor', batch.target:type())
  end)

  it('says what it cannot take', function()
    local function message(...) return select(2, pcall(...)) end
    assert.matches('data.TensorDataset: 2: 4 samples, expected 3', message(data.TensorDataset, x, torch.ones(4)))
    assert.matches('data.TensorDataset: tensors: an empty table', message(data.TensorDataset, {}))
    assert.matches('data.TensorDataset: index: 4, expected a whole number from 1 to 3',
      message(function() data.TensorDataset(x):get(4) end))
    assert.matches('index: 1.5', message(function() data.TensorDataset(x):get(1.5) end))
  end)
end)

describe('data.ListDataset', function()
  it('loads entries of lists, tds vectors and tensors', function()
    local tds = require 'tds'
    local function load(entry) return 'read ' .. entry end
    assert.same({ 'read a', 'read b' }, numbers(data.ListDataset({ 'a', 'b' }, load)))
    assert.same({ 'read in/a' }, numbers(data.ListDataset(tds.Vec { 'a', 'b' }, load, { folder = 'in', max = 1 })))
    assert.same({ 3, 5 }, numbers(data.ListDataset(torch.Tensor { 3, 5 })))
  end)

  it('takes the lines of a file', function()
    local name = os.tmpname()
    local file = io.open(name, 'w')
    file:write 'first\r\nsecond\n'
    file:close()
    assert.same({ 'first', 'second' }, numbers(data.ListDataset(name)))
    os.remove(name)
    assert.has_error(function() data.ListDataset(name) end)
  end)
end)

describe('a data set', function()
  it('is joined, cut, chosen from and changed', function()
    assert.equal(20, ten:concat(ten):size())
    assert.equal(20, data.ConcatDataset(ten, ten):size())
    assert.same({ 4, 4 }, data.ZipDataset(ten, ten):get(2))
    assert.equal(16, ten:concat(ten):get(14))
    assert.same({ 9, 16 }, numbers(ten:range(3, 4)))
    assert.same({ 100, 1 }, numbers(ten:subset { 10, 1 }))
    assert.same({ 4, 16, 36, 64, 100 }, numbers(ten:filter(function(x) return x % 2 == 0 end)))
    assert.same({ 3, 8 }, numbers(ten:transform(function(x, i) return x + 2 * i end):range(1, 2)))
    assert.same({ 1, 1 }, ten:zip(ten):get(1))
    assert.same({ { 1, 4, 9 }, { 16, 25, 36 } }, { ten:batch(3):get(1):totable(), ten:batch(3):get(2):totable() })
  end)

  it('changes fields of samples by functions of their own', function()
    local set = data.FunctionDataset(2, function(i) return { a = i, b = i } end)
    assert.same({ a = 2, b = -1 }, set:transform({ a = function(x) return x * 2 end, b = function(x) return -x end }):get(1))
    assert.same({ a = 1, b = 11 }, set:transform(function(x) return x + 10 end, 'b'):get(1))
  end)

  it('is cut into parts by shares and by sizes', function()
    local train, test = ten:split(0.7, 0.3)
    assert.same({ 7, 3, 64 }, { train:size(), test:size(), test:get(1) })
    local parts = ten:split { a = 2, b = 3 }
    assert.same({ { 1, 4 }, { 9, 16, 25 } }, { numbers(parts.a), numbers(parts.b) })
    local thirds = { ten:split(1 / 3, 1 / 3, 1 / 3) }
    assert.same({ 4, 3, 3 }, { thirds[1]:size(), thirds[2]:size(), thirds[3]:size() })
    local all, none = ten:split(10, 0)
    assert.same({ 10, 0 }, { all:size(), none:size() })
    assert.error_matches(function() ten:split(0.8, 0.3) end, 'shares of 1.1 in all, expected at most 1')
    assert.error_matches(function() ten:split(8, 3) end, '11 samples in all, expected at most 10')
  end)

  it('is shuffled into a permutation that its seed tells', function()
    local order = numbers(ten:shuffle(3))
    assert.same(order, numbers(ten:shuffle(3)))
    assert.are_not.same(order, numbers(ten:shuffle(4)))
    table.sort(order)
    assert.same({ 1, 4, 9, 16, 25, 36, 49, 64, 81, 100 }, order)
  end)

  it('gives a sample of itself, with replacement or without', function()
    local all = numbers(ten:sample(10, { seed = 1 }))
    table.sort(all)
    assert.same(numbers(ten), all)
    assert.equal(50, ten:sample(50, { replacement = true }):size())
    assert.error_matches(function() ten:sample(11) end, 'size: 11')
    assert.same({ 100, 81 }, numbers(ten:resample(function(_, i) return 11 - i end, 2)))
    assert.error_matches(function() ten:resample(function() return 11 end):get(1) end, 'index out of range: 11')
  end)

  it('reads what it caches once, and hands out tables of their own', function()
    local reads = 0
    local set = data.FunctionDataset(3, function(i)
      reads = reads + 1
      return { x = torch.Tensor { i }, inner = { 'text', true } }
    end):cache()
    local first = set:get(2)
    first.inner[1] = 'changed'
    assert.same({ 'text', true }, set:get(2).inner)
    assert.equal(2, set:get(2).x[1])
    assert.equal(1, reads)
  end)

  it('is asked for methods and fields of what it is made of', function()
    local Custom = data.FunctionDataset(2, function(i) return i end)
    Custom.classes = { 'cat', 'dog' }
    function Custom:rename(name) self.classes[1] = name return name end      -- luacheck: ignore 432
    local set = Custom:shuffle():batch(2):transform(function(x) return x end)
    assert.equal('lion', set:exec('rename', 'lion'))
    assert.same({ 'lion', 'dog' }, set:exec 'classes')
    assert.error_matches(function() set:exec 'nothing' end, 'exec: nothing')
  end)

  it('of a class that lacks a method says so', function()
    torch.class('spec_data_Bare', 'data.Dataset', {})
    local bare = torch.factory 'spec_data_Bare' ()
    assert.error_matches(function() bare:size() end, 'spec_data_Bare: size: the class has none')
  end)
end)

describe('data.BatchDataset', function()
  it('has three ways with a rest', function()
    assert.equal(4, ten:batch(3):size())
    assert.same({ 100 }, ten:batch(3):get(4):totable())
    assert.equal(3, ten:batch(3, { policy = 'skip-last' }):size())
    assert.equal(2, ten:batch(5, { policy = 'divisible-only' }):size())
    assert.error_matches(function() ten:batch(3, { policy = 'divisible-only' }) end, 'not divisible')
    assert.error_matches(function() ten:batch(3, { policy = 'none' }) end, "policy: 'none'")
  end)

  it('takes an order, a filter and a way to put samples together', function()
    local reversed = ten:batch(4, { order = function(i, size) return size + 1 - i end })
    assert.same({ 100, 81, 64, 49 }, reversed:get(1):totable())
    assert.same({ 4, 16 }, ten:batch(4, { filter = function(x) return x % 2 == 0 end }):get(1):totable())
    assert.equal(4, ten:batch(4, { collate = function(samples) return #samples end }):get(1))
  end)
end)

describe('data.SplitDataset', function()
  it('has the samples of the selected part', function()
    local split = data.SplitDataset(ten, { train = 0.8, test = 0.2 }, 'train')
    assert.equal(8, split:size())
    assert.equal(9, split:get(1))
    split:select 'test'
    assert.same({ 1, 4 }, numbers(split))
    assert.error_matches(function() split:select 'valid' end, 'partition not found: valid, expected one of test, train')
    assert.error_matches(function() data.SplitDataset(ten, { a = 1 }):size() end, 'no partition selected')
  end)
end)

describe('data.collate', function()
  local collate = data.collate

  it('stacks tensors, numbers and booleans in nested tables', function()
    local function sample(i) return { x = torch.FloatTensor { i, i }, inner = { n = i, even = i % 2 == 0 }, name = 'n' .. i } end
    local batch = collate { sample(1), sample(2), sample(3) }
    assert.equal('torch.FloatTensor', batch.x:type())
    assert.same({ { 1, 1 }, { 2, 2 }, { 3, 3 } }, batch.x:totable())
    assert.same({ 1, 2, 3 }, batch.inner.n:totable())
    assert.equal('torch.BoolTensor', batch.inner.even:type())
    assert.same({ 'n1', 'n2', 'n3' }, batch.name)
    assert.same({}, collate {})
  end)

  it('names what does not fit', function()
    assert.error_matches(function() collate { { x = torch.ones(2) }, { x = torch.ones(3) } } end,
      'data.collate: x: a tensor of size %[3%] in sample 2 of the batch, expected %[2%] as in the first')
    assert.error_matches(function() collate { { a = 1 }, { b = 1 } } end, 'data.collate: a: nothing in sample 2')
    assert.error_matches(function() collate { { a = 1 }, { a = 1, b = 1 } } end, 'data.collate: sample: a field b in sample 2')
    assert.error_matches(function() collate { { a = { 1 } }, { a = {} } } end, 'a%.1: nothing in sample 2')
    assert.error_matches(function() collate { 1, 'a' } end, 'a string in sample 2 of the batch, expected a number as in the first')
  end)
end)
