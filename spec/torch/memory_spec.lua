-- Memory: native bytes count for Lua's collector, and shared memory exists until its last user releases it.
local program = require 'spec.support.program'
local ffi = require 'ffi'
local torch = require 'torch'

-- Resident memory of this process, MB.
local function resident()
  for line in io.lines '/proc/self/status' do
    local kilobytes = line:match '^VmRSS:%s+(%d+)'
    if kilobytes then return kilobytes / 1024 end
  end
end

local function collect()
  collectgarbage()
  collectgarbage()
end

-- Live blocks after a full collection: they show memory that f has leaked.
local function liveAfter(f)
  f()
  collect()
  return torch.memory().blocks
end

-- Sanitizers keep freed memory for a while, and count shadow memory as resident.
local sanitized = (os.getenv 'MT_PRESET' or ''):find 'san' ~= nil

describe('the collector', function()
  it('is driven by native bytes: 4 GB of results of 4 MB each stay below 150 MB', function()
    local a, b = torch.FloatTensor(1e6):fill(1), torch.FloatTensor(1e6):fill(2)
    local c = a + b
    collect()
    local before, most = resident(), 0
    for i = 1, sanitized and 100 or 2000 do
      c = a + b
      if i % 50 == 0 then most = math.max(most, resident() - before) end
    end
    assert.equal(3, c[1000000])
    if not sanitized then assert.is_true(most < 150, ('%.0f MB more were resident'):format(most)) end
  end)

  it('keeps small results flat', function()
    local a, b = torch.FloatTensor(10):fill(1), torch.FloatTensor(10):fill(2)
    local c
    for _ = 1, 1e5 do c = a + b end
    local before, most = resident(), 0
    for i = 1, sanitized and 1e5 or 1e6 do
      c = a + b
      if i % 1e4 == 0 then most = math.max(most, resident() - before) end
    end
    assert.equal(3, c[10])
    if not sanitized then assert.is_true(most < 8, ('%.1f MB more were resident'):format(most)) end
  end)

  it('runs rarely while a program keeps its results, as a forward pass does, and frees garbage afterwards', function()
    local cycles, live = 0, function() return torch.memory().live / 1e6 end
    local function count()
      getmetatable(newproxy(true)).__gc = function()
        cycles = cycles + 1
        count()
      end
    end
    collect()
    local before, kept = live(), {}
    count()
    for i = 1, 200 do kept[i] = torch.FloatTensor(250000) end      -- 200 MB
    local growing, most, least = cycles, 0, math.huge
    for i = 1, 1000 do
      kept[1] = torch.FloatTensor(250000)
      most = math.max(most, live() - before)
      if i > 500 then least = math.min(least, live() - before) end
    end
    count = function() end
    assert.is_true(growing <= 6, growing .. ' collections')      -- at 5 MB twice, and at 10, 20, 40, ...
    assert.is_true(most < 440, ('%.0f MB of 200 live ones'):format(most))
    assert.is_true(cycles >= growing + 4, cycles .. ' collections')
    assert.is_true(#kept == 200 and least < 320, ('%.0f MB at least'):format(least))
  end)

  it('is driven by views and by storages, too', function()
    local before, most = resident(), 0
    for i = 1, sanitized and 50 or 500 do
      local x = torch.FloatTensor(1e6):zero()
      x:narrow(1, 1, 10):storage():size()
      if i % 50 == 0 then most = math.max(most, resident() - before) end
    end
    for i = 1, sanitized and 50 or 500 do
      torch.FloatStorage(1e6):fill(0)
      if i % 50 == 0 then most = math.max(most, resident() - before) end
    end
    if not sanitized then assert.is_true(most < 150, ('%.0f MB more were resident'):format(most)) end
  end)
end)

describe('what nothing refers to is given back', function()
  local start
  before_each(function()
    collect()
    start = torch.memory().blocks
  end)
  after_each(function()
    collect()
    assert.equal(start, torch.memory().blocks)
  end)

  it('after a function returned or raised an error', function()
    assert.equal(start, liveAfter(function() return torch.ones(10) end))
    assert.equal(start, liveAfter(function()
      pcall(function()
        local x = torch.ones(10)
        error(x)
      end)
    end))
    assert.equal(start, liveAfter(function() pcall(torch.cmul, torch.ones(3), torch.ones(4)) end))
    assert.equal(start, liveAfter(function() pcall(torch.add, torch.zeros(3), 'x', {}) end))
    assert.equal(start, liveAfter(function() pcall(torch.Tensor, { { 1, 2 }, { 3 } }) end))
  end)

  it('after a hook stopped what makes the class of a result', function()
    assert.equal('false 0', program.evaluate [[
      local x, gt = torch.ones(1000), torch.gt      -- whose result is the first ByteTensor of its process
      collectgarbage()
      collectgarbage()
      local start = torch.memory().blocks
      debug.sethook(function()
        if debug.getinfo(2, 'S').what ~= 'Lua' then return end
        debug.sethook()
        error 'stopped'
      end, 'c')
      local good = pcall(gt, x, 0)
      debug.sethook()
      collectgarbage()
      collectgarbage()
      io.write(tostring(good), ' ', torch.memory().blocks - start)]])
  end)

  it('from a coroutine that never ended', function()
    assert.equal(start, liveAfter(function()
      local thread = coroutine.create(function()
        local x = torch.ones(1000)
        coroutine.yield(x:sum())
        return x
      end)
      assert.is_true(coroutine.resume(thread))
      assert.equal(start + 1, liveAfter(function() end))     -- it waits with its tensor
      thread = nil       -- luacheck: ignore
    end))
  end)

  it('from a closure, a cycle, a weak table', function()
    assert.equal(start, liveAfter(function()
      local x = torch.ones(10)
      local function f() return x end
      local cycle = { f = f }       -- luacheck: ignore
      cycle.self = cycle       -- luacheck: ignore
    end))
    local weak = setmetatable({}, { __mode = 'k' })
    weak[torch.ones(10)] = true
    collect()
    assert.is_nil(next(weak))
  end)

  it('when the collector is called by hand, and twice', function()
    local x = torch.ones(10)
    local release = torch.getmetatable('torch.DoubleTensor').__gc
    release(x)
    release(x)
    for _, other in ipairs { 1, 'text', {}, io.stdout } do pcall(release, other) end
    assert.equal(0, x:dim())
    assert.equal(start, torch.memory().blocks)
  end)

  it('when tensors and storages that share it go in any order', function()
    local orders = { { 1, 2, 3, 4 }, { 4, 3, 2, 1 }, { 2, 4, 1, 3 }, { 3, 1, 4, 2 } }
    for _, order in ipairs(orders) do
      local x = torch.range(1, 100)
      local users = { x, x:narrow(1, 50, 10), x:storage(), torch.DoubleTensor():set(x) }
      x = nil       -- luacheck: ignore
      for k, i in ipairs(order) do
        local left = users[order[k + 1]]
        users[i] = nil
        collect()
        if left then assert.equal(start + 1, torch.memory().blocks) end
      end
      assert.equal(start, torch.memory().blocks)
    end
  end)

  it('when a tensor is set to other memory, or resized', function()
    local x = torch.ones(1000)
    x:set()
    assert.equal(start, torch.memory().blocks)
    x:resize(10):fill(1)
    x:resize(100000):fill(2)
    x:resize(10)
    assert.same({ 2, 2, 2, 2, 2, 2, 2, 2, 2, 2 }, x:totable())
    x:set(torch.zeros(2))
    assert.same({ 0, 0 }, x:totable())
  end)
end)

describe('shared memory', function()
  it('stays while a view, a storage or a view of a storage needs it', function()
    local view = torch.range(1, 1000):narrow(1, 990, 3)
    local storage = torch.range(1, 1000):storage()
    local part = torch.DoubleStorage(torch.range(1, 1000):storage(), 500, 2)
    local last = torch.DoubleTensor(torch.DoubleStorage(part, 2, 1))
    collect()
    for _ = 1, 50 do torch.zeros(1000) end       -- freed memory would be used again
    assert.same({ 990, 991, 992 }, view:totable())
    assert.equal(1000, storage[1000])
    assert.same({ 500, 501 }, part:totable())
    assert.same({ 501 }, last:totable())
  end)

  it('is seen by all when its storage grows', function()
    local x = torch.range(1, 4)
    local view = x:narrow(1, 2, 2)
    x:resize(100000):fill(7)
    assert.same({ 7, 7 }, view:totable())
    view:fill(1)
    assert.equal(1, x[2])
    x:storage():resize(200000)
    assert.equal(1, x[2])
    assert.equal(7, x[100000])
  end)

  it('cannot grow where a view of the storage would lose it', function()
    local whole = torch.DoubleStorage(10)
    local part = torch.DoubleStorage(whole, 3, 4)
    assert.error_matches(function() whole:resize(1000) end, 'not resizable: it is a view, has one')
    assert.error_matches(function() part:resize(1000) end, 'not resizable: it is a view, has one')
    assert.error_matches(function() torch.Tensor(whole):resize(1000) end, "10 elements can't grow to 1000: it is a view, has one")
    assert.error_matches(function() torch.Tensor(part, 4, 2) end, "can't grow")
  end)

  it('cannot shrink under a tensor', function()
    local x = torch.range(1, 1000)
    local storage = x:storage()
    local good, err = pcall(storage.resize, storage, 10)
    assert.is_true(good, err)
    assert.equal(10, #storage)
    x:sum()
    assert.equal(1000, x:nElement())      -- its memory still exists: storages free none before their end
  end)
end)

describe('more memory than there is', function()
  it('is an error that names the bytes', function()
    for _, size in ipairs { 2 ^ 36, 2 ^ 40, 2 ^ 45, 2 ^ 53, 2 ^ 60 } do
      assert.error_matches(function() torch.zeros(size) end, 'out of memory')
      assert.error_matches(function() torch.DoubleTensor(size) end, 'out of memory')
      assert.error_matches(function() torch.DoubleStorage(size) end, 'out of memory')
      assert.error_matches(function() torch.Tensor():resize(size) end, 'out of memory')
      assert.error_matches(function() torch.Tensor(torch.DoubleStorage(2), size, torch.LongStorage { 1 }) end, 'out of memory')
    end
    for _, sizes in ipairs { { 2 ^ 32, 2 ^ 32 }, { 2 ^ 62, 2 }, { 2 ^ 21, 2 ^ 21, 2 ^ 21 } } do
      assert.error_matches(function() torch.zeros(unpack(sizes)) end, '.')
    end
    assert.equal(1, torch.ones(1):sum())
  end)

  it('leaves tensors as they were', function()
    local x = torch.range(1, 3)
    pcall(x.resize, x, 2 ^ 40)
    assert.same({ 1, 2, 3 }, x:totable())
    assert.is_true(ffi.cast('uintptr_t', x:data()) % 64 == 0)
  end)
end)

describe('freed memory', function()
  it('is there for the next result of its size, whatever other sizes were freed before', function()
    if sanitized then return end
    local function freed(count, size)
      local tensors = {}
      for i = 1, count do tensors[i] = torch.FloatTensor(size) end
      return #tensors
    end
    freed(9, 7500000)
    collect()
    freed(1, 10000000)
    collect()
    local waiting = torch.memory().cached
    assert.is_true(waiting <= 2 ^ 28)
    local again = torch.FloatTensor(10000000)
    assert.is_true(waiting - torch.memory().cached >= 4 * again:nElement())
  end)

  it('is kept for a loop over large results, and no more of it than the program uses otherwise', function()
    if sanitized then return end
    local function large(count)
      local tensors = {}
      for i = 1, count do tensors[i] = torch.FloatTensor(2.5e7) end      -- 100 MB each, never touched
      return tensors
    end
    local held, temporary = large(3), large(4)
    temporary = #temporary
    collect()
    local waiting = torch.memory().cached
    assert.is_true(waiting >= temporary * 1e8)
    local again = large(temporary)
    assert.is_true(torch.memory().cached <= waiting - #again * 1e8)
    again, held = #again, #held
    collect()
    assert.equal(7, again + held)
    assert.is_true(torch.memory().cached <= 2 ^ 28)
  end)
end)

describe('zeros', function()
  it('occupy no memory before they are written, if the system gave it', function()
    if sanitized then return end
    local before = resident()
    local x = torch.zeros(3e7, 'torch.FloatTensor')
    local y = torch.zerosLike(x)
    assert.is_true(resident() - before < 20)
    assert.equal(0, x[3e7] + y[1])
    x:fill(1)
    assert.is_true(resident() - before > 100)
    assert.equal(0, y:sum())
  end)

  it('are written in memory that was used before, whatever lies between', function()
    for size = 4e5, 6e6, 7e5 do                                    -- below and above the size that the system gives as a block
      for _ = 1, 3 do
        for k = 0, 1 do torch.FloatTensor(size + k * 1e4):fill(3) end
        collect()
        local zeros = torch.zeros(size, 'torch.FloatTensor')
        assert.equal(0, zeros:abs():sum())
        zeros:fill(5)
        local given = torch.FloatTensor(size - 1e5):fill(6)
        torch.zeros(given, size)
        assert.equal(0, given:abs():sum())
        assert.equal(5, zeros:min())
        assert.equal(0, torch.zeros(size - 2e5, 'torch.FloatTensor'):abs():sum() + torch.zerosLike(zeros):abs():sum())
      end
    end
  end)

  it('are written in each run of a prepared graph', function()
    local run = torch.graph.capture(function(x)
      local y = torch.zeros(1200, 1000, 'torch.FloatTensor')
      y[1]:copy(x)
      return y:add(1)
    end, { torch.FloatTensor(1000):fill(2) }):prepare(torch.FloatTensor(1000))
    for i = 1, 3 do
      local y = run(torch.FloatTensor(1000):fill(i))
      assert.equal(1000 * (i + 1) + 1199000, y:sum())
    end
  end)
end)
