-- data.DataLoader with workers: the same batches as without workers, errors, interrupted loops, and cleanup with the loader.
local torch, data = require 'torch', require 'data'
local run = require('spec.support.program').evaluate

local function installed(name) return pcall(require, name) end

-- Returns all batches of an epoch, as tables.
local function epoch(loader)
  local list = {}
  for batch, k in loader() do
    list[k] = {}
    for name, x in pairs(batch) do list[k][name] = x:totable() end
  end
  return list
end

local noisy = data.TensorDataset { input = torch.range(1, 46):view(23, 2), target = torch.range(1, 23):long() }
  :transform(function(sample, i)
    sample.noise, sample.other, sample.number = torch.uniform(), math.random(), i
    for _ = 1, (i * 7919) % 23 * 2000 do sample.number = i end      -- later samples are often done first
    return sample
  end)

for _, mode in ipairs { 'threads', 'processes' } do
  local there = installed 'threads'
  describe('data.DataLoader with workers that are ' .. mode, function()
    if not there then
      pending 'needs the package threads'
      return
    end

    local function loader(count, more)
      local options = { batchSize = 4, shuffle = true, seed = 5, workers = count, mode = mode }
      for name, value in pairs(more or {}) do options[name] = value end
      return noisy:loader(options)
    end

    it('gives the same batches in the same order, however many there are', function()
      local alone = loader(0)
      local first, second = epoch(alone), epoch(alone)
      assert.are_not.same(first, second)
      for count = 1, 3 do
        local several = loader(count, { prefetch = count })
        assert.same(first, epoch(several))
        assert.same(second, epoch(several))
        several:close()
      end
    end)

    it('is left in the middle of an epoch, and goes on with the next', function()
      local alone, several = loader(0), loader(2)
      epoch(alone)
      local seen
      for batch, k in several() do
        seen = batch
        if k == 2 then break end
      end
      assert.equal(4, seen.target:size(1))
      assert.same(epoch(alone), epoch(several))
      local good, message = pcall(function()
        for _ in several() do error 'of the consumer' end
      end)
      assert.is_false(good)
      assert.matches('of the consumer', message)
      alone()
      assert.same(epoch(alone), epoch(several))
      several:close()
    end)

    it('goes on where another was', function()
      local one, whole = loader(2), epoch(loader(0))
      local state
      for _, k in one() do
        if k == 4 then
          state = one:state()
          break
        end
      end
      local rest = epoch(loader(3):resume(state))
      assert.same({ whole[5], whole[6] }, { rest[5], rest[6] })
      one:close()
    end)

    it('says which sample failed, where, and in which worker', function()
      local bad = data.FunctionDataset(30, function(i)
        if i == 11 then error 'unreadable' end
        return i
      end)
      local failing, seen = bad:loader { batchSize = 4, workers = 2, mode = mode }, 0
      local good, message = pcall(function()
        for batch in failing() do seen = seen + batch:size(1) end
      end)
      assert.is_false(good)
      assert.matches('^data.DataLoader: sample 11 of batch 3 %(worker [12]%): .*workers_spec.lua:%d+: unreadable\nstack traceback:',
        message)
      assert.equal(8, seen)
      failing:close()
    end)

    it('says so where a batch cannot be sent', function()
      local several = data.FunctionDataset(4, function() return io.tmpfile() end):loader { batchSize = 2, workers = 2, mode = mode }
      assert.error_matches(function() several()() end, ' %d callback%] result 2')
      several:close()
    end)

    it('calls init in each worker, and loads from the set as it is when an epoch begins', function()
      local counter = require('tds').AtomicCounter()
      local set = data.FunctionDataset(4, function(i) return i end)
      local several = set:loader { batchSize = 2, workers = 2, mode = mode, init = function(worker, dataset)
        if mode == 'threads' then counter:inc(worker * dataset:size()) end
      end }
      for batch in several() do assert.is_true(batch:sum() > 0) end
      if mode == 'threads' then assert.equal((1 + 2) * 4, counter:get()) end
      set.sampleOf = function(i) return -i end
      for batch in several() do assert.is_true(batch:sum() < 0) end
      several:close()
    end)

    it('knows classes that the program defines', function()
      local name = 'spec_data_' .. mode
      local Parent = torch.class(name .. 'Parent', 'data.Dataset', {})
      function Parent:size() return self.count end
      local module = {}
      local Child, parent = torch.class(name .. 'Child', name .. 'Parent', module)
      function Child:__init(count) self.count = count end
      function Child:get(i) return i * 10 + parent.size(self) end
      local list = {}
      local several = module[name .. 'Child'](6):shuffle(1):range(1, 6):loader { batchSize = 3, workers = 2, mode = mode }
      for _ = 1, 2 do
        for batch in several() do
          for i = 1, 3 do list[#list + 1] = batch[i] end
        end
      end
      table.sort(list)
      assert.same({ 16, 16, 26, 26, 36, 36, 46, 46, 56, 56, 66, 66 }, list)
      several:close()
    end)

    it('loads streams', function()
      local stream = data.Stream { 1, 2, 3, 4, 5, 6, 7 } :shuffle(4)
      local function all(count)
        local list = {}
        for batch in stream:loader { batchSize = 2, seed = 3, workers = count, mode = mode,
          transform = function(x, i) return { x * 10, i, torch.uniform() } end }() do
          list[#list + 1] = { batch[1]:totable(), batch[2]:totable(), batch[3]:totable() }
        end
        return list
      end
      local alone = all(0)
      assert.same({ 7 }, alone[4][2])
      assert.same(alone, all(2))
    end)
  end)
end

describe('workers that are threads', function()
  if not installed 'threads' then return pending 'need the package threads' end

  it('share tensors of the set, which are not copied', function()
    local x = torch.zeros(6, 2)
    local set = data.TensorDataset(x):transform(function(row) return row end)
    local several = set:loader { batchSize = 3, workers = 2 }
    local count = 0
    for batch in several() do count = count + batch:sum() end
    assert.equal(0, count)
    x:fill(1)
    for batch in several() do count = count + batch:sum() end
    assert.equal(12, count)
    several:close()
  end)

  it('share what a set caches', function()
    local reads = require('tds').AtomicCounter()
    local set = data.FunctionDataset(8, function(i)
      reads:inc()
      return torch.Tensor { i }
    end):cache()
    local several = set:loader { batchSize = 2, workers = 2 }
    for _ = 1, 3 do
      local sum = 0
      for batch in several() do sum = sum + batch:sum() end
      assert.equal(36, sum)
    end
    assert.equal(8, reads:get())
    several:close()
  end)

  it('end with the program, in the middle of an epoch and of a batch', function()
    assert.equal('left', run [[
      local data = require 'data'
      local set = data.FunctionDataset(1000, function(i) return torch.ones(10) * i end)
      for _, k in set:loader { batchSize = 10, workers = 2 }() do
        if k == 3 then break end
      end
      io.write 'left'
    ]])
    assert.equal('collected', run [[
      local data = require 'data'
      local set = data.FunctionDataset(1000, function(i) return torch.ones(10) * i end)
      for _ = 1, 5 do
        local iterator = set:loader { batchSize = 10, workers = 2 }()
        iterator()
        iterator = nil
        collectgarbage()
        collectgarbage()
      end
      io.write 'collected'
    ]])
  end)

  it('read streams ahead', function()
    local numbers = data.Stream(function()
      local i = 0
      return function()
        i = i + 1
        if i <= 10 then return i * i end
      end
    end)
    for _ = 1, 2 do
      local list = {}
      local odd = numbers:filter(function(x) return x % 2 == 1 end)
      for x in odd:prefetch(3):transform(function(x) return -x end)() do list[#list + 1] = x end
      assert.same({ -1, -9, -25, -49, -81 }, list)
    end
    for x in numbers:prefetch(2)() do
      if x == 9 then break end
    end
    local bad = data.Stream(function() return function() error 'torn' end end):prefetch(2)
    assert.error_matches(function() bad()() end, 'torn')
  end)
end)
