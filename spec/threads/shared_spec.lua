-- Objects that threads share: mutexes, conditions, queues, containers of tds; raw threads; values as storages.
local torch, tds = require 'torch', require 'tds'
local threads = require 'threads'

describe('a mutex', function()
  it('is held by one thread at a time', function()
    local pool = threads.Threads(4, function() require 'torch' end)
    local mutex, hash = threads.Mutex(), tds.Hash { n = 0 }
    local reference = threads.reference(hash)
    for _ = 1, 8 do
      pool:addjob(function()
        for _ = 1, 200 do
          mutex:lock()
          reference.n = reference.n + 1
          mutex:unlock()
        end
      end)
    end
    pool:terminate()
    assert.equal(1600, hash.n)
  end)

  it('is found by its number while it lives', function()
    local mutex = threads.Mutex()
    local id = mutex:id()
    assert.equal('number', type(id))
    local pool = threads.Threads(1)
    mutex:lock()
    local tried
    pool:addjob(function()
      local same = require('threads').Mutex(id)
      same:lock()
      same:unlock()
      return same:id()
    end, function(n) tried = n end)
    mutex:unlock()
    pool:terminate()
    assert.equal(id, tried)
    mutex:free()
    mutex = nil      -- luacheck: ignore 311
    collectgarbage()
    assert.error_matches(function() threads.Mutex(id) end, 'threads.Mutex: id: %d+, expected that of an existing Mutex')
    assert.error_matches(function() threads.Mutex 'x' end, 'threads.Mutex: id: string, expected a number')
  end)

  it('refuses what would wait for ever, and what another thread has', function()
    local mutex = threads.Mutex()
    mutex:lock()
    assert.error_matches(function() mutex:lock() end, 'this thread has locked it already')
    local pool = threads.Threads(1)
    pool:addjob(function() mutex:unlock() end)
    assert.error_matches(function() pool:terminate() end, 'this thread has not locked it')
    mutex:unlock()
    assert.error_matches(function() mutex:unlock() end, 'this thread has not locked it')
    mutex:free()
    assert.error_matches(function() mutex:lock() end, 'expected a threads.Mutex')
    assert.error_matches(function() threads.Mutex().lock(io.stdout) end, 'expected a threads.Mutex')
    assert.error_matches(function() threads.Mutex().lock() end, 'expected a threads.Mutex')
  end)

  it('is what safe holds while a function runs', function()
    threads.Threads.serialization 'threads.sharedserialize'
    local hash, pool = tds.Hash { n = 0 }, threads.Threads(3, function() require 'torch' end)
    threads.Threads.serialization 'threads.serialize'
    local add = threads.safe(function(n)
      hash.n = hash.n + n
      if n == 2 then error 'two' end
      return nil, n
    end)
    for _ = 1, 300 do pool:addjob(function() return add(1) end) end
    pool:synchronize()
    assert.equal(300, hash.n)
    assert.same({ n = 2, nil, 1 }, (function(...) return { n = select('#', ...), ... } end)(add(1)))
    assert.error_matches(function() add(2) end, '^two$')
    add(1)      -- the error freed it
    pool:terminate()
    assert.error_matches(function() threads.safe(1) end, 'threads.safe: f: number, expected a function')
  end)
end)

describe('a condition', function()
  it('wakes who waits for it', function()
    local mutex, condition, state = threads.Mutex(), threads.Condition(), tds.Hash { turn = 1 }
    local shared, mutexId, conditionId = threads.reference(state), mutex:id(), condition:id()
    local pool, turns = threads.Threads(2, function() require 'torch' end), {}
    pool:specific(true)
    for me = 1, 2 do
      pool:addjob(me, function()
        local threads = require 'threads'      -- luacheck: ignore 431
        local lock, changed = threads.Mutex(mutexId), threads.Condition(conditionId)
        for _ = 1, 100 do
          lock:lock()
          while shared.turn ~= me do changed:wait(lock) end
          shared.turn = 3 - me
          changed:signal()
          lock:unlock()
        end
        return me
      end, function(n) turns[#turns + 1] = n end)
    end
    pool:terminate()
    table.sort(turns)
    assert.same({ 1, 2 }, turns)
    assert.error_matches(function() condition:wait(mutex) end, 'this thread has not locked it')
    condition:signal()
  end)
end)

describe('a queue', function()
  local Queue = require 'threads.queue'

  it('hands calls from any thread to any other', function()
    local queue, answers = Queue(2), Queue(2)
    local pool = threads.Threads(2)
    for _ = 1, 2 do
      pool:addjob(function()
        local n = 0
        while true do
          local a, b, c = queue:dojob()
          if a == 'end' then return n end
          n = n + 1
          answers:addjob(function() return a, b, c end)
        end
      end)
    end
    local sum, given = 0, 0
    for i = 1, 50 do
      queue:addjob(function(...) return i, nil, ... end, 'x')
      given = given + 1
      while answers:hasjob() do
        local n, none, x = answers:dojob()
        assert.is_nil(none)
        assert.equal('x', x)
        sum, given = sum + n, given - 1
      end
    end
    while given > 0 do sum, given = sum + answers:dojob(), given - 1 end
    for _ = 1, 2 do queue:addjob(function() return 'end' end) end
    pool:terminate()
    assert.equal(1275, sum)
  end)

  it('copies tensors, or shares them', function()
    local x = torch.zeros(2)
    for name, expected in pairs { ['threads.serialize'] = 0, ['threads.sharedserialize'] = 6 } do
      local queue = Queue(1, name)
      queue:addjob(function(y) y:fill(3) end, x)
      queue:dojob()
      assert.equal(expected, x:sum())
      x:zero()
    end
    assert.error_matches(function() Queue(1, 'other') end, "expected 'threads.serialize' or 'threads.sharedserialize'")
  end)

  it('is found by its id, and refuses values that can\'t be sent', function()
    local queue = Queue(3)
    local same = Queue(queue:id())
    same:addjob(function() return 7 end)
    assert.is_true(queue:hasjob())
    assert.is_true(queue:acceptsjob())
    assert.equal(7, queue:dojob())
    assert.error_matches(function() queue:addjob(function() end, coroutine.create(print)) end, 'argument 1: a coroutine')
    assert.error_matches(function() queue:addjob(1) end, 'addjob: callback: number, expected a function')
    assert.error_matches(function() Queue 'queue 0' end, 'expected that of an existing queue')
    assert.error_matches(function() Queue(0) end, 'threads.Queue: N: 0, expected a whole number of 1 or more')
    queue:addjob(function() error 'inside' end)
    assert.error_matches(function() queue:dojob() end, 'inside')
    queue:retain():free()
  end)
end)

describe('a raw thread', function()
  it('runs a text, and raises its error when it is freed', function()
    local name = os.tmpname()
    local thread = threads.Thread(("local file = io.open(%q, 'w') file:write 'from a thread' file:close()"):format(name))
    thread:free()
    thread:free()
    local file = io.open(name)
    assert.equal('from a thread', file:read '*a')
    file:close()
    os.remove(name)
    local failing = threads.Thread "error 'of the thread'"
    assert.error_matches(function() failing:free() end, 'of the thread\nstack traceback:.*thread:1: in main chunk')
    assert.error_matches(function() threads.Thread 'no code' end, 'threads.Thread: code: ')
    assert.error_matches(function() threads.Thread(3) end, 'threads.Thread: code: number, expected a string')
  end)
end)

describe('a container of tds', function()
  it('is shared where tensors are', function()
    threads.Threads.serialization 'threads.sharedserialize'
    local pool = threads.Threads(3, function() require 'tds' end)
    threads.Threads.serialization 'threads.serialize'
    local counter, hash = tds.AtomicCounter(), tds.Hash()
    for i = 1, 30 do
      pool:addjob(function()
        for _ = 1, 100 do counter:inc() end
        hash[i] = i
      end)
    end
    pool:terminate()
    assert.equal(3000, counter:get())
    assert.equal(30, #hash)
  end)
end)

describe('values as storages', function()
  it('are copies, or stand for what they were made of', function()
    local x = torch.ones(3)
    for name, shared in pairs { ['threads.serialize'] = false, ['threads.sharedserialize'] = true } do
      local serialize = require(name)
      local storage = serialize.save { x = x, f = function() return x:sum() end }
      assert.equal('torch.CharStorage', torch.typename(storage))
      for _ = 1, 2 do
        local value = serialize.load(storage)
        value.x[1] = 5
        assert.equal(shared and 5 or 1, x[1])
        assert.equal(7, value.f())      -- x is one tensor, inside, too
        x:fill(1)
      end
    end
  end)

  it('keep what they stand for, and are refused as copies', function()
    local serialize = require 'threads.sharedserialize'
    local storage = serialize.save(torch.range(1, 4))
    collectgarbage()
    assert.equal(10, serialize.load(storage):sum())
    local copy = torch.CharStorage(storage:size()):copy(storage)
    assert.equal(10, serialize.load(copy):sum())
    storage = nil      -- luacheck: ignore 311
    collectgarbage()
    collectgarbage()
    for _, other in ipairs { copy, torch.CharStorage(16):fill(0), torch.CharStorage(), torch.IntStorage(4) } do
      assert.error_matches(function() serialize.load(other) end, 'load: storage: expected the result of threads.sharedserialize.save')
    end
    assert.error_matches(function() serialize.load() end, 'load: storage')
    assert.error_matches(function() serialize.save(coroutine.create(print)) end, 'value 1: a coroutine')
  end)
end)

describe('the native part', function()
  it('survives whatever it is given', function()
    local C = require 'libmoontorch.threads'
    local waits = { take = true, queueTake = true, wait = true, lock = true, setClasses = true }
    local function odd()
      return { nil, 0, -1, 1e18, 0 / 0, '', 'x', true, {}, print, function() end, io.stdout, torch.ones(1), coroutine.create(print),
               threads.Mutex(), threads.Condition(), threads.Queue(1), newproxy(), torch.CharStorage(16) }
    end
    for name, f in pairs(C) do
      if not waits[name] then
        for i = 1, 19 do
          for j = 1, 19 do pcall(f, odd()[i], odd()[j], {}, function() end) end
          pcall(f, odd()[i])
        end
        pcall(f)
      end
    end
    local pool = threads.Threads(1)
    C.add(pool._native, 0, false)
    C.add(pool._native, 1, true, 5)
    for _ = 1, 2 do assert.is_false((select(3, C.take(pool._native, 0)))) end
    for name, f in pairs(C) do
      if name ~= 'take' and name ~= 'setClasses' then pcall(f, pool._native, 'x', -3, {}) end
    end
    assert.has_error(function() C.take(pool._native, 0, 7) end)
    assert.has_error(function() C.lock(pool._native) end)
  end)
end)
