-- Profiles that include the jobs of a pool of threads, each with a Lua state of its own.
local torch, threads = require 'torch', require 'threads'

local profiler = torch.profiler

describe('a profile of a pool', function()
  local pool
  setup(function() pool = threads.Threads(2, function() require 'torch' end) end)
  teardown(function() pool:terminate() end)

  local function job(n)
    local x = torch.ones(n)
    for _ = 1, n do x = torch.exp(x) end
    return x:nElement()
  end

  it('has the ops of its jobs, of several threads', function()
    local sum = 0
    local p = profiler.profile(function()
      torch.abs(torch.ones(2))
      for n = 1, 4 do pool:addjob(job, function(elements) sum = sum + elements end, n) end
    end, { threads = pool, memory = true })
    assert.equal(10, sum)                                        -- the jobs have ended
    local calls = {}
    for _, row in ipairs(p:keyAverages()) do calls[row.key] = row.calls end
    assert.same({ abs = 1, ones = 5, exp = 10 }, calls)
    local seen, bytes = {}, 0
    for i, event in ipairs(p:events()) do
      seen[event.thread], bytes = true, bytes + event.bytes
      assert.is_true(event.start >= 0 and (event.parent == nil or event.parent < i))
    end
    local count = 0
    for _ in pairs(seen) do count = count + 1 end
    assert.is_true(count == 2 or count == 3)
    assert.equal((2 + 2) * 8 + (1 * 2 + 2 * 3 + 3 * 4 + 4 * 5) * 8, bytes)
    local allocated = 0
    for _, row in ipairs(p:memoryBy()) do allocated = allocated + row.bytes end
    assert.equal(bytes, allocated)
    local path = os.tmpname()
    p:exportChromeTrace(path)
    assert.matches('"exp"', require('spec.support.files').read(path))
    os.remove(path)
    -- the pool is as before
    assert.is_false(pool:specific() and true or false)
    pool:addjob(function() return pcall(require('torch').profiler.profile, function() end) end, function(done) assert.is_true(done) end)
    pool:synchronize()
  end)

  it('ends with the errors of the program and of its jobs, and leaves no profile behind', function()
    assert.error_matches(function() profiler.profile(function() error 'oh no' end, { threads = pool }) end, 'oh no')
    assert.error_matches(function()
      profiler.profile(function() pool:addjob(function() error 'in a job' end) end, { threads = pool })
    end, 'in a job')
    local p = profiler.profile(function() torch.abs(torch.ones(1)) end, { threads = pool })
    assert.equal('abs', p:keyAverages { sortBy = 'name' }[1].key)
  end)

  it('needs a pool and no schedule', function()
    assert.error_matches(function() profiler.start { threads = 3 } end, 'profiler.start: threads: 3, expected a pool of threads')
    assert.error_matches(function() profiler.start { threads = pool, schedule = profiler.schedule { active = 1 } } end,
      'threads: a pool and a schedule, expected one of them')
    assert.is_true(pcall(profiler.profile, function() end))
  end)
end)
