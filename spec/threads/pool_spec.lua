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
    for _, method in ipairs { 'addjob', 'dojob', 'acceptsjob', 'hasjob', 'terminate' } do
      assert.error_matches(function() pool[method](pool, function() end) end, 'thread system is not running')
    end
    pool:synchronize()
  end)

  it('copies tensors, or shares them', function()
    for _, mode in ipairs { 'threads.serialize', 'threads.sharedserialize' } do
      threads.Threads.serialization(mode)
      pool = threads.Threads(1)
      threads.Threads.serialization 'threads.serialize'
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
end)
