local emulated = require 'spec.support.emulated_cuda'
local torch = require 'torch'

local cuda, api = emulated.cuda, emulated.api

local function capture(f)
  local id = api.number('spec', 'graph_begin', 0)
  local good, message = pcall(f)
  local closed, why = pcall(api.call, 'spec', 'graph_end', id)
  return id, good and closed, not good and message or why
end

describe('a CUDA graph', function()
  before_each(emulated.clean)

  it('does its work at each replay, and none when it is captured', function()
    local x, y = torch.ones(100, 'cuda:1'), nil
    local id, good = capture(function() y = torch.cmul(x * 2 + 1, x) end)
    assert.is_true(good)
    for _, value in ipairs { 1, 3, 5 } do
      x:fill(value)
      api.call('spec', 'graph_replay', id)
      assert.equal(100 * (value * 2 + 1) * value, y:to('cpu'):sum())
    end
    api.call('spec', 'graph_destroy', id)
  end)

  it('is one launch', function()
    local x = torch.ones(100, 'cuda:1')
    local id = capture(function() for _ = 1, 10 do x:add(1) end end)
    local counts = emulated.counted(function() api.call('spec', 'graph_replay', id) end)
    assert.same({ 1, 0, 0 }, { counts.launches, counts.synchronizations, counts.driverAllocations })
    assert.equal(1100, x:to('cpu'):sum())
    api.call('spec', 'graph_destroy', id)
  end)

  it('keeps the memory of its intermediate results to itself', function()
    local x, y = torch.ones(1000, 'cuda:1'), nil
    local id = capture(function()
      for _ = 1, 3 do
        y = x + 1
        collectgarbage()
      end
    end)
    local others = {}
    for i = 1, 8 do others[i] = torch.zeros(1000, 'cuda:1') end
    api.call('spec', 'graph_replay', id)
    cuda.synchronize(1)
    for i = 1, 8 do assert.equal(0, others[i]:to('cpu'):sum()) end
    assert.equal(2000, y:to('cpu'):sum())
    api.call('spec', 'graph_destroy', id)
  end)

  it('keeps memory that it may use after the tensors are gone', function()
    local x = torch.ones(1000, 'cuda:1')
    local id = capture(function() x:add(1) end)
    x = nil   -- luacheck: ignore
    collectgarbage()
    local others = {}
    for i = 1, 8 do others[i] = torch.zeros(1000, 'cuda:1') end
    api.call('spec', 'graph_replay', id)
    for i = 1, 8 do assert.equal(0, others[i]:to('cpu'):sum()) end
    local held = cuda.memoryAllocated(1)
    api.call('spec', 'graph_destroy', id)
    assert.equal(held - 8192 - 512, cuda.memoryAllocated(1))      -- x, and how often it was replayed
  end)

  it('gives its memory back when it and its results are gone', function()
    local x, y = torch.ones(1000, 'cuda:1'), nil
    local id = capture(function() y = x + 1 end)
    api.call('spec', 'graph_replay', id)
    api.call('spec', 'graph_destroy', id)
    assert.equal(2000, y:to('cpu'):sum())
    x, y = nil, nil   -- luacheck: ignore
    collectgarbage()
    cuda.synchronize(1)
    cuda.emptyCache()
    assert.same({ 0, 0 }, { cuda.memoryAllocated(1), cuda.memoryReserved(1) })
  end)

  it('refuses what would wait for the device, and says so', function()
    local x = torch.ones(10, 'cuda:1')
    for _, f in ipairs {
      function() return x[1] end,
      function() return x:to 'cpu' end,
      function() x:copy(torch.ones(10)) end,
      function() cuda.synchronize(1) end,
      function() cuda.currentStream(1):synchronize() end,
    } do
      local id, good, message = capture(f)
      assert.is_false(good)
      assert.matches('while the stream is being captured', message, 1, true)
      api.call('spec', 'graph_destroy', id)
    end
    assert.equal(10, x:to('cpu'):sum())
  end)

  it('takes in streams that wait for it, and wants them back', function()
    local x, y, side = torch.ones(100, 'cuda:1'), nil, cuda.Stream(1)
    local function branch()
      local main = cuda.currentStream(1)
      side:waitStream(main)
      y = side:with(function() return x + 1 end)
      return main
    end
    local id, good = capture(function() branch():waitStream(side) end)
    assert.is_true(good)
    x:fill(2)
    api.call('spec', 'graph_replay', id)
    assert.equal(300, y:to('cpu'):sum())
    api.call('spec', 'graph_destroy', id)
    local lost, fine, message = capture(branch)
    assert.is_false(fine)
    assert.matches("another stream's work was captured", message, 1, true)
    api.call('spec', 'graph_destroy', lost)
  end)

  it('that has not ended, or is gone, is an error', function()
    local id = api.number('spec', 'graph_begin', 0)
    assert.equal(1, api.number('spec', 'is_capturing', 0))
    assert.error_matches(function() api.number('spec', 'graph_begin', 0) end, 'one graph of a device is captured at a time')
    assert.error_matches(function() api.call('spec', 'graph_replay', id) end, 'not captured to its end')
    api.call('spec', 'graph_destroy', id)
    assert.equal(0, api.number('spec', 'is_capturing', 0))
    assert.error_matches(function() api.call('spec', 'graph_replay', id) end, 'graph: ' .. id .. ', expected a graph that exists')
  end)
end)
