-- torchnet's data sets and iterators, by positional and named calls.
local torch, tnt, data = require 'torch', require 'torchnet', require 'data'
local files = require 'spec.support.files'

local function squares(n)
  return tnt.ListDataset { list = torch.range(1, n):long(), load = function(i) return i * i end }
end

local function all(set)
  local list = {}
  for sample in set:iterator()() do list[#list + 1] = torch.isTensor(sample) and sample:totable() or sample end
  return list
end

describe("torchnet's data sets", function()
  it('take positional and named calls', function()
    local function twice(x) return 2 * x end
    for _, set in ipairs { tnt.ListDataset({ 1, 2, 3 }, twice, 2), tnt.ListDataset { list = { 1, 2, 3 }, load = twice, maxload = 2 } } do
      assert.same({ 2, 4 }, all(set))
      assert.is_true(torch.isTypeOf(set, 'tnt.Dataset'))
      assert.equal('tnt.ListDataset', torch.type(set))
    end
    assert.same({ 5, 6 }, all(tnt.TableDataset { data = { 5, 6 } }))
    assert.same({ 5, 6 }, all(tnt.TableDataset { 5, 6 }))
    assert.error_matches(function() tnt.ListDataset({ 1 }) end, 'load = function.*invalid arguments! load: nothing')
  end)

  it('read lists from files, with a folder before each entry', function()
    local name = os.tmpname()
    local file = io.open(name, 'w')
    file:write 'a\nb\n'
    file:close()
    local set = tnt.ListDataset { filename = name, load = function(entry) return entry end, path = 'in' }
    os.remove(name)
    assert.same({ 'in/a', 'in/b' }, all(set))
  end)

  it('make batches, with an order, a merge, a policy and a filter', function()
    local set = tnt.ListDataset({ 1, 2, 3, 4, 5 }, function(i) return { x = torch.FloatTensor { i, i }, n = i } end)
    local batch = set:batch { batchsize = 2 }:get(3)
    assert.same({ x = { { 5, 5 } }, n = { 5 } }, { x = batch.x:totable(), n = batch.n })
    assert.equal('torch.FloatTensor', batch.x:type())
    assert.equal(2, set:batch(2, 'skip-last'):size())
    assert.same({ 5, 4 }, set:batch(2, function(i, size) return size + 1 - i end):get(1).n)
    assert.same({ 2, 4 }, tnt.BatchDataset { dataset = set, batchsize = 5, filter = function(s) return s.n % 2 == 0 end }:get(1).n)
    assert.equal(2, tnt.BatchDataset { dataset = set, batchsize = 2, merge = function(list) return #list end }:get(1))
    assert.error_matches(function() set:batch(2, 'divisible-only') end, 'not divisible')
    local ragged = tnt.ListDataset({ 1, 2 }, function(i) return torch.ones(i) end):batch(2):get(1)
    assert.equal(2, ragged[2]:size(1))
  end)

  it('load batches by coroutines: all samples are asked for before one is waited for', function()
    local events = {}
    local set = tnt.ListDataset({ 1, 2 }, function(i)
      events[#events + 1] = 'ask ' .. i
      coroutine.yield()
      events[#events + 1] = 'take ' .. i
      return torch.Tensor { i }
    end)
    assert.same({ { 1 }, { 2 } }, set:coroutinebatch(2):get(1):totable())
    assert.same({ 'ask 1', 'ask 2', 'take 1', 'take 2' }, events)
    local bad = tnt.ListDataset({ 1 }, function() error 'lost' end)
    assert.error_matches(function() bad:coroutinebatch(1):get(1) end, 'lost')
  end)

  it('are shuffled, resampled, split, joined and transformed', function()
    local set = squares(6)
    local shuffled = set:shuffle()
    local order = all(shuffled)
    shuffled:resample()
    assert.are_not.same(order, all(shuffled))
    table.sort(order)
    assert.same({ 1, 4, 9, 16, 25, 36 }, order)
    assert.equal(20, set:shuffle(20, true):size())
    assert.error_matches(function() set:shuffle(20) end, 'without replacement')
    assert.same({ 36, 25 }, all(set:resample(function(dataset, i) return dataset:size() + 1 - i end, 2)))
    assert.same({ 1, 4 }, all(set:resample { size = 2 }))
    local split = set:split({ train = 0.5, test = 0.5 }, 'test')
    assert.same({ 1, 4, 9 }, all(split))
    split:select 'train'
    assert.same({ 16, 25, 36 }, all(split))
    assert.equal(12, tnt.ConcatDataset { set, set }:size())
    assert.equal(12, tnt.ConcatDataset { datasets = { set, set } }:size())
    assert.same({ 2, 5 }, all(set:transform(function(x) return x + 1 end):resample { size = 2 }))
    local tables = tnt.TableDataset { data = { { a = 1, b = 2 } } }
    assert.same({ a = 1, b = 4 }, tables:transform(function(b) return 2 * b end, 'b'):get(1))
    assert.same({ a = -1, b = 2 }, tables:transform { transforms = { a = function(a) return -a end } }:get(1))
  end)

  it('take functions by field as the one argument of transform', function()
    local set = tnt.TableDataset { { input = 2, target = 3 }, { input = 4, target = 5 } }
    local both = set:transform { input = function(x) return x * x end, target = function(y) return -y end }
    assert.same({ input = 16, target = -5 }, both:get(2))
    assert.same({ key = 3 }, tnt.TableDataset({ { key = 2 } }):transform({ key = function(x) return x + 1 end }):get(1))
    local split = tnt.TableDataset({ { 'a' }, { 'b' } }):split { partitions = { one = 1, two = 1 }, initialpartition = 'one' }
    assert.same({ 'a' }, split:get(1))
  end)

  it('give copies of tables, and their very tensors', function()
    local x = torch.ones(2)
    local rows = { { input = x, tags = { 'a' } }, { input = x, tags = { 'b' } } }
    for _, set in ipairs { tnt.TableDataset { rows[1], rows[2] }, tnt.ListDataset(rows, function(row) return row end),
                           data.ListDataset(rows) } do
      local changed = set:transform(function(sample)
        sample.tags[1], sample.input = 'changed', 0
        return sample
      end)
      assert.same({ input = 0, tags = { 'changed' } }, changed:get(1))
      assert.same({ 'a' }, rows[1].tags)
      assert.is_true(rawequal(x, set:get(1).input))
    end
    local flat = tnt.transform.tableapply(function(entry) return torch.type(entry) end)
    assert.same({ 'table', x = 'torch.DoubleTensor' }, flat { { x, x }, x = x })
  end)

  it('draw another order by exec, through batches, transforms and iterators', function()
    local set = squares(30):shuffle()
    local batches = set:transform(function(x) return torch.Tensor { x } end):batch(5)
    local function order() return all(batches) end
    for _, resample in ipairs {
      function() batches:exec 'resample' end, function() batches:iterator():exec 'resample' end,
      function() tnt.ConcatDataset({ batches }):exec 'resample' end,
      function() set:split({ all = 1 }, 'all'):transform(function(x) return x end):exec 'resample' end,
    } do
      local before = order()
      resample()
      assert.are_not.same(before, order())
    end
    assert.error_matches(function() squares(3):batch(2):exec 'manualSeed' end, 'exec: manualSeed')
    assert.equal(6, batches:exec 'size')
    assert.equal('tnt.ShuffleDataset', torch.type(squares(3):batch(2):exec('shuffle')))
  end)

  it('go with sets and loaders of data', function()
    local set = data.FunctionDataset(4, function(i) return torch.Tensor { i } end)
    assert.same({ { { 1 }, { 2 } }, { { 3 }, { 4 } } }, all(tnt.BatchDataset(set, 2)))
    local rows = 0
    for batch in data.DataLoader(squares(5), { batchSize = 2 })() do rows = rows + batch:size(1) end
    assert.equal(5, rows)
  end)

  it('pass calls on to their inner data sets', function()
    local set = squares(4)
    function set:name() return 'squares of ' .. self:size() end      -- luacheck: ignore 432
    assert.equal('squares of 4', set:shuffle():batch(2):exec 'name')
    assert.equal('squares of 4', set:batch(2):iterator():exec 'name')
  end)
end)

describe('tnt.DatasetIterator', function()
  it('accepts an order, a transform and a filter on the transformed samples', function()
    local iterator = tnt.DatasetIterator {
      dataset = squares(4), perm = function(i, size) return size + 1 - i end, transform = function(x) return x + 1 end,
      filter = function(x) return x ~= 10 end,
    }
    local list = {}
    for x in iterator:run() do list[#list + 1] = x end
    assert.same({ 17, 5, 2 }, list)
  end)
end)

describe('tnt.IndexedDataset', function()
  local folder
  setup(function()
    folder = files.folder()
  end)
  teardown(function() require('paths').rmall(folder, 'yes') end)

  local function write(field, kind, values)
    local writer = tnt.IndexedDatasetWriter(folder .. '/' .. field .. '.idx', folder .. '/' .. field .. '.bin', kind)
    for _, value in ipairs(values) do writer:add(value) end
    writer:close()
  end

  it('reads what its writer wrote, mapped or not', function()
    write('input', 'float', { torch.FloatTensor { { 1, 2 }, { 3, 4 } }, torch.DoubleTensor { 5 }, torch.FloatTensor(0) })
    write('target', 'table', { { class = 'a' }, { class = 'b' }, { 7 } })
    for _, mapped in ipairs { false, true } do
      local set = tnt.IndexedDataset { fields = { 'input', 'target' }, path = folder, mmap = mapped }
      assert.equal(3, set:size())
      assert.same({ { 1, 2 }, { 3, 4 } }, set:get(1).input:totable())
      assert.same({ 5, 'b' }, { set:get(2).input[1], set:get(2).target.class })
      assert.equal(0, set:get(3).input:nElement())
      assert.equal('torch.FloatTensor', set:get(1).input:type())
    end
    assert.equal(2, tnt.IndexedDataset({ 'input' }, folder, 2):size())
    write('ids', 'long', { torch.LongTensor { { 1, 2, 3 }, { 4, 5, 6 } }, torch.LongTensor(0) })
    for _, mapped in ipairs { false, true } do
      local set = tnt.IndexedDataset { fields = { 'ids' }, path = folder, mmap = mapped }
      assert.same({ { { 1, 2, 3 }, { 4, 5, 6 } }, 0 }, { set:get(1).ids:totable(), set:get(2).ids:nElement() })
    end
    local writer = tnt.IndexedDatasetWriter(folder .. '/input.idx', folder .. '/input.bin')
    writer:add(torch.ones(1, 3))
    writer:close()
    local reader = tnt.IndexedDatasetReader(folder .. '/input.idx', folder .. '/input.bin')
    assert.same({ 4, { 5 }, { { 1, 1, 1 } } }, { reader:size(), reader:get(2):totable(), reader:get(4):totable() })
    local set = tnt.IndexedDataset { fields = { 'target' }, path = folder }
    assert.equal('b', set:get(2).target.class)
    local loader = data.DataLoader(set, { batchSize = 1, sampler = { 1, 2 }, workers = 1 })
    for batch, k in loader() do assert.same({ k == 1 and 'a' or 'b' }, batch.target.class) end
    loader:close()
  end)

  it('has the files that torchnet and fairseq have', function()
    write('bytes', 'byte', { torch.ByteTensor { 1, 2, 3 }, torch.ByteTensor { { 4, 5 } } })
    local function bytes(name)
      local file = io.open(folder .. '/' .. name, 'rb')
      local text = file:read '*a'
      file:close()
      return text
    end
    assert.equal('\1\2\3\4\5', bytes 'bytes.bin')
    local function long(n) return string.char(n) .. ('\0'):rep(7) end
    local expected = 'TNTIDX\0\0'
    for _, n in ipairs { 1, 1, 1, 2, 3, 0, 1, 3, 0, 3, 5, 3, 1, 2 } do expected = expected .. long(n) end
    assert.equal(expected, bytes 'bytes.idx')
  end)

  it('says what is wrong with files', function()
    local path = folder .. '/damaged.idx'
    local function reads(text)
      local file = io.open(path, 'wb')
      file:write(text)
      file:close()
      return function() return tnt.IndexedDatasetReader(path, folder .. '/bytes.bin'):get(1) end
    end
    assert.error_matches(reads 'something else, long enough to be an index of the kind, yes', 'no index of torchnet')
    local function long(n) return string.char(n) .. ('\0'):rep(7) end
    local function index(...)
      local text = 'TNTIDX\0\0'
      for _, n in ipairs { ... } do text = text .. long(n) end
      return reads(text)
    end
    assert.error_matches(index(1, 1, 1, 200, 3, 0), 'its length does not match its counts')
    assert.error_matches(index(1, 1, 1, 1, 1, 0, 1, 0, 100, 100), 'sample 1 lies outside')
    assert.error_matches(index(1, 1, 1, 1, 1, 0, 9, 0, 3, 3), 'sizes of sample 1 lie outside')
    assert.error_matches(index(1, 1, 1, 1, 1, 0, 1, 0, 3, 4), 'has 3 elements, and sizes of 4')
    assert.error_matches(index(2, 1, 1, 0, 0, 0, 0), 'version 2')
  end)
end)

describe('tnt.transform', function()
  local transform = tnt.transform
  it('makes functions of functions', function()
    assert.equal(8, transform.compose { function(x) return x + 1 end, function(x) return x * 2 end } (3))
    assert.same({ a = 3, b = 4 }, transform.merge { function(x) return { a = x } end, function(x) return { b = x + 1 } end } (3))
    assert.equal(5, transform.identity(5))
    assert.same({}, transform.tablenew()(7))
    assert.same({ a = 2, b = 4 }, transform.tableapply(function(x) return x * 2 end) { a = 1, b = 2 })
    assert.same({ a = { 1, 3 }, b = { 2, 4 } }, transform.tablemergekeys() { { a = 1, b = 2 }, { a = 3, b = 4 } })
    local perm, seen = transform.randperm(5), {}
    for i = 1, 5 do seen[perm(i)] = true end
    assert.equal(5, #seen)
    local x = transform.normalize()(torch.Tensor { 1, 3 })
    assert.is_true(math.abs(x[1] + math.sqrt(0.5)) < 1e-15 and x[2] == -x[1])
    assert.same({ -1, 1 }, transform.normalize { threshold = 10 } (torch.Tensor { 1, 3 }):totable())
  end)

  it('is built on functions of tables', function()
    local tables = tnt.utils.table
    local x = torch.ones(2)
    local copy = tables.clone { x = x, inner = { 1 } }
    x:zero()
    assert.same({ { 1, 1 }, { 1 } }, { copy.x:totable(), copy.inner })
    assert.same({ a = 1, b = 2 }, tables.merge({ a = 0, b = 2 }, { a = 1 }))
    assert.same({ 2, { 3 } }, tables.foreach({ 1, { 2 } }, function(v) return v + 1 end, true))
    assert.is_false(tables.canmergetensor { torch.ones(2), torch.ones(3) })
    assert.same({ { 1, 1 }, { 0, 0 } }, tables.mergetensor { torch.ones(2), torch.zeros(2) }:totable())
  end)
end)
