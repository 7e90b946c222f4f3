-- Pools of threads: jobs, results, end callbacks, errors.
local torch = require 'torch'
local threads = require 'threads'

describe('a pool of threads', function()
  local pool
  after_each(function()
    if pool and pool:isrunning() then pool:terminate() end
    pool = nil
  end)

  it('runs jobs in states of their own, and end callbacks here', function()
    pool = threads.Threads(2)
    rawset(_G, 'here', 'the main program')
    local sum, globals = 0, {}
    for i = 1, 10 do
      pool:addjob(function() return i * i, rawget(_G, 'here') end, function(square, other)
        sum = sum + square
        globals[#globals + 1] = other or 'none'
      end)
    end
    pool:synchronize()
    rawset(_G, 'here', nil)
    assert.equal(385, sum)
    assert.same(('none '):rep(10), table.concat(globals, ' ') .. ' ')
  end)

  it('hands arguments over with their nils, and results likewise', function()
    pool = threads(1)
    local got
    local function collect(...) got = { n = select('#', ...), ... } end
    pool:addjob(function(...) return select('#', ...), ... end, collect, nil, 1, nil, 'a', nil)
    pool:synchronize()
    assert.same({ n = 6, 5, nil, 1, nil, 'a' }, got)
  end)

  it('calls functions in each thread as it starts, with its number', function()
    local results
    pool, results = threads.Threads(3, function() require 'torch' end, function(id) return id, __threadid, nil, id * 10 end)
    for id = 1, 3 do assert.same({ id, id, nil, id * 10 }, results[id]) end
  end)

  it('keeps errors of callbacks for synchronize, with their stack', function()
    pool = threads.Threads(1)
    pool:addjob(function() error 'no luck' end)
    pool:addjob(function() return 1 end, function() error 'nor here' end)
    while pool:hasjob() do pool:dojob() end
    assert.is_true(pool:haserror())
    local good, message = pcall(pool.synchronize, pool)
    assert.is_false(good)
    assert.matches('%[thread 1 callback%] .*pool_spec.lua:%d+: no luck\nstack traceback:.*pool_spec.lua:%d+', message)
    assert.matches('%[thread 1 endcallback%] .*pool_spec.lua:%d+: nor here\nstack traceback:', message)
    assert.is_false(pool:haserror())
    pool:synchronize()
  end)

  it('gives jobs to the thread that is named in specific mode', function()
    pool = threads.Threads(3)
    assert.is_false(pool:specific())
    pool:specific(true)
    local ran = {}
    for i = 1, 9 do pool:addjob(i % 3 + 1, function() return __threadid end, function(id) ran[i] = id end) end
    pool:specific(false)
    for i = 1, 9 do assert.equal(i % 3 + 1, ran[i]) end
    pool:specific(true)
    assert.error_matches(function() pool:addjob(function() end) end, 'thread index expected')
    assert.error_matches(function() pool:addjob(4, function() end) end, 'thread index expected')
  end)

  it('is not running once terminated', function()
    pool = threads.Threads(2)
    local done = 0
    for _ = 1, 5 do pool:addjob(function() end, function() done = done + 1 end) end
    pool:terminate()
    assert.equal(5, done)
    assert.is_false(pool:isrunning())
    for _, method in ipairs { 'addjob', 'dojob', 'acceptsjob', 'hasjob' } do
      assert.error_matches(function() pool[method](pool, function() end) end, 'thread system is not running')
    end
    pool:terminate()
    pool:synchronize()
    pool:terminate()
    assert.is_false(pool:haserror())
  end)

  it('copies tensors, or shares them', function()
    for _, mode in ipairs { 'threads.serialize', 'threads.sharedserialize' } do
      threads.serialization(mode)
      assert.equal(mode, threads.Threads.serialization())
      pool = threads.Threads(1)
      threads.serialization 'threads.serialize'
      local x, y = torch.zeros(3), nil
      pool:addjob(function() x:fill(7) return x end, function(result) y = result end)
      pool:synchronize()
      assert.equal(7, y:sum() / 3)
      local shared = mode == 'threads.sharedserialize'
      assert.equal(shared and 21 or 0, x:sum())
      y:fill(1)
      assert.equal(shared and 3 or 0, x:sum())
      pool:terminate()
    end
  end)

  it('calls end callbacks in the order of their jobs where that is asked for', function()
    pool = threads.Threads(3, function() require 'sys' end)
    assert.is_false(pool:ordered())
    pool:ordered(true)
    local order, errors = {}, {}
    for i = 1, 20 do
      pool:addjob(function()
        require('sys').sleep(i % 3 == 1 and 0.01 or 0)
        if i == 7 then error 'seven' end
        return i
      end, function(n) order[#order + 1] = n end)
    end
    local good, message = pcall(pool.synchronize, pool)
    assert.is_false(good)
    assert.matches('seven', message)
    for i = 1, 6 do errors[i] = i end
    for i = 8, 20 do errors[i - 1] = i end
    assert.same(errors, order)
  end)

  it('has as many jobs under way as are allowed', function()
    pool = threads.Threads(2)
    assert.is_nil(pool:limit())
    pool:limit(5)
    assert.equal(5, pool:limit())
    local most, done, added = 0, 0, 0
    for _ = 1, 30 do
      pool:addjob(function() end, function() done = done + 1 end)
      added = added + 1
      most = math.max(most, added - done)
    end
    assert.equal(5, most)
    pool:synchronize()
    assert.equal(30, done)
    assert.error_matches(function() pool:limit(0) end, 'limit: n: 0, expected a whole number of 1 or more')
  end)

  it('serves loops that do other things meanwhile', function()
    pool = threads.Threads(2)
    local added, done, refused = 0, 0, 0
    while done < 40 do
      while added < 40 and pool:acceptsjob() do
        pool:addjob(function() return 1 end, function(n) done = done + n end)
        added = added + 1
      end
      if not pool:acceptsjob() then refused = refused + 1 end
      if pool:isready() then pool:dojob() end
    end
    assert.is_false(pool:hasjob())
    assert.is_true(refused > 0)
    assert.error_matches(function() pool:dojob() end, 'dojob: no job is under way')
  end)

  it('accepts jobs for a thread by what waits for it, in specific mode', function()
    pool = threads.Threads(2)
    pool:specific(true)
    local mutex = threads.Mutex()
    mutex:lock()
    for _ = 1, 3 do pool:addjob(1, function() mutex:lock() mutex:unlock() end) end
    while pool:acceptsjob(1) do pool:addjob(1, function() end) end
    assert.is_true(pool:acceptsjob(2))
    assert.error_matches(function() pool:acceptsjob() end, 'thread index expected')
    mutex:unlock()
  end)

  it('calls end callbacks that add jobs', function()
    pool = threads.Threads(2)
    local n = 0
    local function step()
      n = n + 1
      if n < 100 then pool:addjob(function() end, step) end
    end
    for _ = 1, 3 do pool:addjob(function() end, step) end
    pool:synchronize()
    assert.equal(102, n)
  end)

  it('stays as it is through collections', function()
    pool = threads.Threads(2, function() require 'torch' collectgarbage 'setpause' end)
    local sum = 0
    for i = 1, 300 do
      local up = { torch.Tensor(100):fill(i), { name = 'x' .. i } }
      pool:addjob(function(t)
        collectgarbage(i % 2 == 0 and 'collect' or 'step')
        return up[1]:sum() / 100 + t[3], { up, function() return up end }
      end, function(value, parts)
        sum = sum + value
        assert(parts[2]()[2].name == 'x' .. i)
      end, { 1, 2, i })
      if i % 10 == 0 then collectgarbage() end
    end
    pool:synchronize()
    assert.equal(2 * 300 * 301 / 2, sum)
  end)

  it('names the invalid argument', function()
    assert.error_matches(function() threads.Threads(0) end, 'threads.Threads: N: 0, expected a whole number from 1 to 1000')
    assert.error_matches(function() threads.Threads() end, 'threads.Threads: N: nil')
    assert.error_matches(function() threads.Threads(1, 5) end, 'threads.Threads: f1: 5, expected a function')
    assert.error_matches(function() threads.Threads.serialization 'json' end, "serialization: name: json, expected 'threads.serialize' or")
    assert.error_matches(function() threads.Threads(2, function() error 'at once' end) end, 'at once.*%[thread [12] callback%].*at once')
    pool = threads.Threads(1)
    assert.error_matches(function() pool:addjob(1) end, 'addjob: callback: 1, expected a function')
    assert.error_matches(function() pool:addjob(function() end, 'x') end, 'addjob: endcallback: string, expected a function')
  end)
end)
