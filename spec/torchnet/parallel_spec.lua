-- tnt.ParallelDatasetIterator: samples that threads load.
local torch, tnt = require 'torch', require 'torchnet'

if not pcall(require, 'threads') then
  describe('tnt.ParallelDatasetIterator', function() pending 'needs the package threads' end)
  return
end

local function squares(options)
  options.nthread = options.nthread or 2
  options.init = function() require 'torchnet' end
  options.closure = function(thread)
    local tnt = require 'torchnet'      -- luacheck: ignore 431
    local set = tnt.ListDataset { list = torch.range(1, 20):long(), load = function(i) return torch.Tensor { i * i } end }
    set.thread = thread
    return set:batch { batchsize = 5 }
  end
  return tnt.ParallelDatasetIterator(options)
end

local function all(iterator)
  local list = {}
  for batch in iterator() do list[#list + 1] = batch:view(-1):totable() end
  return list
end

describe('tnt.ParallelDatasetIterator', function()
  it('gives all samples, in order where it is told so, again and again', function()
    local ordered = squares { ordered = true, nthread = 3 }
    for _ = 1, 2 do
      local list = all(ordered)
      assert.equal(4, #list)
      assert.same({ 36, 49, 64, 81, 100 }, list[2])
    end
    local list = all(squares {})
    table.sort(list, function(a, b) return a[1] < b[1] end)
    assert.same({ 256, 289, 324, 361, 400 }, list[4])
  end)

  it('takes an order, a transform and a filter', function()
    local seen = 0
    local iterator = squares {
      ordered = true, perm = function(i, size) return size + 1 - i end,
      transform = function(x)
        seen = seen + 1
        return x * 2
      end,
      filter = function(x) return x[1][1] < 500 end,
    }
    assert.same({ 242, 72, 2 }, { unpack((function()
      local firsts = {}
      for x in iterator:run() do firsts[#firsts + 1] = x[1][1] end
      return firsts
    end)()) })
    assert.equal(4, seen)
  end)

  it('calls methods of the sets in its threads', function()
    local iterator = squares { nthread = 2 }
    assert.equal(4, iterator:execSingle 'size')
    assert.same({ 4, 4 }, iterator:exec 'size')
    assert.same({ 1, 2 }, iterator:exec 'thread')
  end)

  it('reports an error of a thread', function()
    local bad = tnt.ParallelDatasetIterator {
      nthread = 1,
      closure = function()
        return require 'torchnet'.ListDataset { list = { 1, 2 }, load = function() error 'unreadable' end }
      end,
    }
    assert.error_matches(function() bad()() end, 'unreadable')
    assert.error_matches(function()
      tnt.ParallelDatasetIterator { nthread = 1, closure = function() error 'no set' end }
    end, 'no set')
  end)

  it('may be interrupted by break', function()
    local iterator = squares { ordered = true }
    for _ in iterator() do break end      -- luacheck: ignore 512
    assert.equal(4, #all(iterator))
  end)
end)
