--- torch.Timer: a stopwatch for wall-clock and processor time. Userdata, as in Torch7, with its times as environment.
-- @classmod torch.Timer
local check, class = require 'torch.check', require 'torch.class'
local clock = require 'torch.clock'

local debug, newproxy, pairs = debug, newproxy, pairs

--- Adds class torch.Timer and the functions tic and toc to torch.
return function(torch)
  local Timer

  local function now()
    local user, system = clock.cpu()
    return { real = clock.monotonic(), user = user, sys = system }
  end

  local function stateOf(timer)
    local state = type(timer) == 'userdata' and debug.getfenv(timer)
    if not state or not state.counted then
      error(('torch.Timer: self: %s, expected a timer (was the method called with . instead of : ?)'):format(class.type(timer)), 3)
    end
    return state
  end

  local function elapsed(state)
    local total = { real = state.counted.real, user = state.counted.user, sys = state.counted.sys }
    if state.running then
      for key, value in pairs(now()) do total[key] = total[key] + value - state.start[key] end
    end
    return total
  end

  --- Creates a running timer.
  local function new()
    local timer = debug.setfenv(newproxy(false), { running = true, counted = { real = 0, user = 0, sys = 0 }, start = now() })
    debug.setmetatable(timer, Timer)
    return timer
  end
  Timer = class.newmetatable('torch.Timer', nil, new, nil, new, torch)

  --- Sets the times to zero; a running timer continues.
  function Timer:reset()
    local state = stateOf(self)
    state.counted, state.start = { real = 0, user = 0, sys = 0 }, now()
    return self
  end

  --- Stops the timer.
  function Timer:stop()
    local state = stateOf(self)
    state.counted, state.running = elapsed(state), false
    return self
  end

  --- Continues after a stop.
  function Timer:resume()
    local state = stateOf(self)
    if not state.running then state.start, state.running = now(), true end
    return self
  end

  --- Returns the seconds measured so far.
  -- @treturn table real, user and sys
  function Timer:time() return elapsed(stateOf(self)) end

  function Timer:__tostring__() return ('torch.Timer [status: %s]'):format(stateOf(self).running and 'running' or 'stopped') end

  --- Returns the current time, for `torch.toc`.
  -- @treturn number seconds
  function torch.tic() return clock.monotonic() end

  --- Returns the seconds since `torch.tic`.
  -- @number start the result of tic
  function torch.toc(start)
    if start == nil then check.raise 'torch.toc: start: nil, expected the result of torch.tic: start = torch.tic() ... torch.toc(start)' end
    return clock.monotonic() - check.number('torch.toc', 'start', start)
  end
end
