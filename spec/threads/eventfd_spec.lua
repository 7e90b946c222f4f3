-- pool:eventfd(): readable exactly while a job is done whose end callback was not called.
local ffi = require 'ffi'
local threads = require 'threads'

ffi.cdef [[
  struct moontorch_spec_pollfd { int fd; short events, revents; };
  int poll(struct moontorch_spec_pollfd *fds, unsigned long n, int timeout);
]]

-- Whether a descriptor can be read within so many milliseconds.
local function readable(descriptor, patience)
  local entry = ffi.new('struct moontorch_spec_pollfd', descriptor, 1, 0)
  return ffi.C.poll(entry, 1, patience) == 1
end

describe('pool:eventfd', function()
  it('is readable while a job is done, and not before or after', function()
    local pool, sum = threads.Threads(2), 0
    local descriptor = pool:eventfd()
    assert.equal(descriptor, pool:eventfd())
    assert.is_false(readable(descriptor, 0))
    for i = 1, 2 do pool:addjob(function() return i end, function(n) sum = sum + n end) end
    for _ = 1, 2 do
      assert.is_true(readable(descriptor, 10000))
      pool:dojob()
    end
    assert.equal(3, sum)
    assert.is_false(readable(descriptor, 0))
    pool:terminate()
    assert.error_matches(function() pool:eventfd() end, 'thread system is not running')
  end)

  it('is readable for results that were ready before its creation', function()
    local pool = threads.Threads(1)
    pool:addjob(function() return 1 end)
    while not pool:isready() do os.execute 'sleep 0.01' end
    assert.is_true(readable(pool:eventfd(), 0))
    pool:synchronize()
    assert.is_false(readable(pool:eventfd(), 0))
    pool:terminate()
  end)

  it('wakes for a job that failed', function()
    local pool = threads.Threads(1)
    local descriptor = pool:eventfd()
    pool:addjob(function() error 'broken' end)
    assert.is_true(readable(descriptor, 10000))
    assert.error_matches(function() pool:synchronize() end, 'broken')
    pool:terminate()
  end)

  it('goes with the pool', function()
    local pool = threads.Threads(1)
    local descriptor = pool:eventfd()
    pool:terminate()
    pool = nil      -- luacheck: ignore 311
    collectgarbage()
    collectgarbage()
    assert.is_nil(io.open('/proc/self/fd/' .. descriptor))
  end)
end)
