--- torch.Timer: a stopwatch for wall-clock and processor time.
-- @classmod torch.Timer
local class = require 'torch.class'
local clock = require 'torch.clock'

--- Puts class torch.Timer and the functions tic and toc into torch.
return function(torch)
  local Timer = class.class('torch.Timer', torch)

  local function now()
    local user, system = clock.cpu()
    return { real = clock.monotonic(), user = user, sys = system }
  end

  --- Starts running at once.
  function Timer:__init()
    self._running = true
    self:reset()
  end

  --- Zeroes the times; a running timer goes on running.
  function Timer:reset()
    self._total = { real = 0, user = 0, sys = 0 }
    self._start = now()
    return self
  end

  --- Stops counting.
  function Timer:stop()
    if self._running then
      self._total = self:time()
      self._running = false
    end
    return self
  end

  --- Goes on counting.
  function Timer:resume()
    if not self._running then
      self._start = now()
      self._running = true
    end
    return self
  end

  --- The seconds counted so far.
  -- @treturn table real, user and sys
  function Timer:time()
    local total = { real = self._total.real, user = self._total.user, sys = self._total.sys }
    if self._running then
      for key, value in pairs(now()) do total[key] = total[key] + value - self._start[key] end
    end
    return total
  end

  function Timer:__tostring__() return ('torch.Timer [status: %s]'):format(self._running and 'running' or 'stopped') end

  --- A moment to give to `torch.toc`.
  -- @treturn number seconds
  function torch.tic() return clock.monotonic() end

  --- Seconds since `torch.tic`.
  -- @number start what tic returned
  function torch.toc(start) return clock.monotonic() - start end
end
