--- Schedules: which steps of a program a profile measures.
-- @module torch.profiler.schedule
local check = require 'torch.check'

--- Returns a schedule for the option `schedule` of a profile: it skips `skipFirst` steps; then, `repeats` times, it waits for `wait` steps,
-- measures `warmup` steps without keeping what it measures, and keeps `active` steps, after which `onTraceReady` is called.
-- @tparam table options active, and wait, warmup, skipFirst (0), repeats (0: again and again)
-- @treturn function (number of a step, from 1) -> 'none', 'warmup', 'record' or 'save', a recorded step after which a cycle ends
-- @raise for other options, and numbers below 0
-- @usage torch.profiler.schedule { wait = 1, warmup = 1, active = 3, repeats = 2 }
local function schedule(options)
  local where = 'torch.profiler.schedule'
  check.options(where, check.table(where, 'options', options), { 'wait', 'warmup', 'active', 'repeats', 'skipFirst' })
  local function steps(name, least) return check.int(where, name, options[name] or 0, { min = least }) end
  local wait, warmup, active = steps('wait', 0), steps('warmup', 0), steps('active', 1)
  local repeats, skipFirst = steps('repeats', 0), steps('skipFirst', 0)
  local cycle = wait + warmup + active
  return function(step)
    local at = step - 1 - skipFirst
    if at < 0 or repeats > 0 and at >= repeats * cycle then return 'none' end
    at = at % cycle
    if at < wait then return 'none' end
    if at < wait + warmup then return 'warmup' end
    return at == cycle - 1 and 'save' or 'record'
  end
end

return schedule
