-- torch.Timer, torch.tic and torch.toc: which times they measure.
local torch = require 'torch'

local function spin(seconds)
  local start = os.clock()
  while os.clock() - start < seconds do end
end

describe('torch.Timer', function()
  it('is userdata of its class', function()
    local timer = torch.Timer()
    assert.same({ 'userdata', 'torch.Timer', true }, { type(timer), torch.type(timer), timer:stop() == timer })
    assert.error_matches(function() torch.Timer.time() end, 'torch.Timer: self: nil, expected a timer')
  end)

  it('runs from its creation and counts wall-clock and processor time', function()
    local timer = torch.Timer()
    spin(0.02)
    local time = timer:time()
    assert.is_true(time.real >= 0.015)
    assert.is_true(time.user + time.sys >= 0.015)
  end)

  it('counts nothing while it is stopped', function()
    local running, timer = torch.Timer(), torch.Timer():stop()
    local before = timer:time()
    spin(0.01)
    assert.same(before, timer:time())
    spin(0.01)
    timer:resume()
    local time = timer:time().real
    assert.is_true(running:time().real - time >= 0.018)
  end)

  it('adds the time after resume to the time before stop', function()
    local timer = torch.Timer()
    spin(0.01)
    timer:stop():resume()
    spin(0.01)
    assert.is_true(timer:time().real >= 0.018)
  end)

  it('is zero after reset and keeps its state', function()
    local running, timer = torch.Timer(), torch.Timer()
    spin(0.02)
    assert.equal(timer, timer:reset())
    local time = timer:time().real
    assert.is_true(running:time().real - time >= 0.018)
    timer:stop():reset()
    assert.same({ real = 0, user = 0, sys = 0 }, timer:time())
  end)

  it('is monotonic', function()
    local timer, last = torch.Timer(), 0
    for _ = 1, 1000 do
      local now = timer:time().real
      assert.is_true(now >= last)
      last = now
    end
  end)
end)

describe('torch.toc', function()
  it('gives the seconds since torch.tic', function()
    local timer = torch.Timer()
    local start = torch.tic()
    spin(0.01)
    local elapsed = torch.toc(start)
    assert.is_true(elapsed >= 0.008 and elapsed <= timer:time().real + 0.001)
  end)
end)
