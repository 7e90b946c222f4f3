local emulated = require 'spec.support.emulated_cuda'
local torch = require 'torch'

local cuda, api = emulated.cuda, emulated.api
local mega = 2 ^ 20

local function bytes(n, device) return torch.ByteTensor(n):to(device or 'cuda:1') end
local function stats() return cuda.memoryStats(1) end

-- Creates and frees a tensor with a number of bytes.
local function pass(n)
  assert.equal(n, bytes(n):nElement())
  collectgarbage()
end

describe('memory of a CUDA device', function()
  before_each(emulated.clean)

  it('is handed out again without asking the driver', function()
    pass(1000)
    local before = stats().driverAllocations
    for _ = 1, 20 do pass(1000) end
    assert.equal(before, stats().driverAllocations)
  end)

  it('comes in blocks of 512 bytes from a segment of 2 MB where blocks are small', function()
    local a, b = bytes(1), bytes(513)
    local now = stats()
    assert.same({ 512 + 1024, 2 * mega, 2, 1 }, { now.allocated, now.reserved, now.blocks, now.segments })
    assert.is_true(a:nElement() + b:nElement() == 514)
  end)

  it('of up to 10 MB comes from a segment of 20 MB, and beyond from one of its own', function()
    local a, b = bytes(2 * mega), bytes(3 * mega)
    assert.equal(20 * mega, stats().reserved)
    local c = bytes(16 * mega)
    assert.same({ 36 * mega, 2 }, { stats().reserved, stats().segments })
    assert.equal(21 * mega, a:nElement() + b:nElement() + c:nElement())
  end)

  it('that is free joins free neighbours', function()
    local kept = {}
    for i = 1, 4 do kept[i] = bytes(512 * 1024) end   -- a segment of 2 MB
    assert.same({ 2 * mega, 2 * mega }, { stats().allocated, stats().reserved })
    kept[2], kept[3] = nil, nil
    collectgarbage()
    kept[2] = bytes(mega)                             -- fits between the first and the last
    assert.same({ 2 * mega, 2 * mega }, { stats().allocated, stats().reserved })
    assert.equal(1, stats().segments)
    assert.equal(512 * 1024, kept[1]:nElement())
  end)

  it('is given back to the driver in whole segments', function()
    local small = bytes(1)
    pass(30 * mega)
    local free = cuda.memoryInfo(1)
    assert.equal(32 * mega, stats().reserved)
    cuda.emptyCache()
    assert.equal(2 * mega, stats().reserved)
    assert.is_true(cuda.memoryInfo(1) >= free + 30 * mega)
    assert.equal(1, small:nElement())
  end)

  it('is counted at its most until that is reset', function()
    pass(5 * mega)
    assert.equal(5 * mega, cuda.maxMemoryAllocated(1))
    assert.equal(0, cuda.memoryAllocated(1))
    cuda.resetPeakMemory(1)
    assert.equal(0, cuda.maxMemoryAllocated(1))
  end)

  it('beyond a limit is an error that tells who holds most', function()
    cuda.setMemoryLimit(8 * mega, 1)
    local a = torch.zeros(mega, 'cuda:1')                      -- 8 MB of doubles
    local failures = stats().failures
    local good, message = pcall(function() return torch.ones(2 * mega, 'cuda:1') end)
    assert.is_false(good)
    assert.matches('ones: out of memory: 16777216 bytes were asked for on cuda:1, where 8388608 are in use and 0 kept for later', message,
      1, true)
    assert.matches('most is held by\nzeros: 8388608 bytes in 1 block', message, 1, true)
    assert.equal(failures + 1, stats().failures)
    cuda.setMemoryLimit(0, 1)
    assert.equal(3 * mega, a:nElement() + torch.ones(2 * mega, 'cuda:1'):nElement())
  end)

  it("is taken back from Lua's garbage when there is none", function()
    cuda.setMemoryLimit(4 * mega, 1)
    local retries = stats().retries
    for i = 1, 6 do torch.zeros(3 * mega / 16, 'cuda:1'):fill(i) end   -- 1.5 MB each, of which two have room
    assert.is_true(stats().retries > retries)
  end)

  it('that is kept for other sizes makes room', function()
    cuda.setMemoryLimit(8 * mega, 1)
    pass(8 * mega)
    assert.equal(4 * mega, bytes(4 * mega):nElement())        -- the segment of 8 MB is cut
    assert.equal(8 * mega, stats().reserved)
    collectgarbage()
    assert.equal(100, bytes(100):nElement())                  -- another pool: the segment is given back
    assert.is_true(stats().reserved <= 8 * mega)
  end)

  it('that another stream works with is not handed out before that is done', function()
    local side = cuda.Stream(1)
    local x = torch.ones(1000, 'cuda:1')
    cuda.synchronize(1)
    local y = side:with(function() return x + x end)           -- done late, as all that streams do here
    api.call('spec', 'record_use', emulated.address(x), side.id)
    x = nil   -- luacheck: ignore
    collectgarbage()
    local z = torch.zeros(1000, 'cuda:1')
    cuda.currentStream(1):synchronize()
    side:synchronize()
    assert.equal(2000, y:to('cpu'):sum())
    assert.equal(0, z:to('cpu'):sum())
  end)

  it('refuses an address that is in no tensor', function()
    assert.error_matches(function() api.call('spec', 'record_use', nil, 0) end, 'data: an address elsewhere, expected one in a tensor')
  end)

  it('that a device lacks altogether is an error', function()
    local text = emulated.run([[
      local x = torch.zeros(2 ^ 18, 'cuda:1')
      local good, message = pcall(torch.zeros, 2 ^ 20, 'cuda:1')
      print(good, message)
      collectgarbage()
      print(torch.ones(1000, 'cuda:1'):to('cpu'):sum(), x:to('cpu'):sum())]], 'MOONTORCH_EMULATED_MEMORY=4194304')
    assert.matches('false.*out of memory: 8388608 bytes were asked for on cuda:1', text)
    assert.matches('1000%s+0%s', text)
  end)
end)
