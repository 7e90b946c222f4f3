--- Profiles: time and memory of ops by op, Lua line and module, and files for Perfetto and flame graphs.
--
--     local p = torch.profiler.profile(function() criterion(net(x), y):backward() end, { memory = true, modules = net })
--     print(p)                                       -- a row for each op
--     print(p:byLine())
--     print(p:byModule())
--     p:exportChromeTrace 'trace.json'
--
-- A hook of the binding (bindings/lua/profile/profiler.cpp) sees every op of the calling Lua state: of the tape, of Torch7's protocol, of
-- graphs. Without a profile there is no hook, and nothing is measured.
-- @module torch.profiler
local check, rethrow = require 'torch.check', require 'torch.start.rethrow'
local Profile = require 'torch.profiler.profile'

local profiler = { schedule = require 'torch.profiler.schedule' }

local function pack(...) return { n = select('#', ...), ... } end

--- Measures the time, and with an option the memory, of every op that f runs.
-- Fused loops run as without a profile and are one row (`fused: exp, mul`), as are runs of `net:prepare`. Lazy ops run at once. On other
-- devices each op waits until its work is done, so its time is that of the device; `synchronize = false` measures only the launch.
-- @tparam function f called with the profile, for `p:step()`, and the arguments after `options`
-- @tparam[opt] table options
-- memory: blocks of tensors (false); lines: Lua lines (true); modules: a module, a criterion, a table of them by name, or true for those in
-- f's local variables and in global variables (none); threads: a pool of `threads.Threads`, whose jobs are measured, too (none);
-- stacks: Lua stacks (false); shapes: sizes of arguments (false); synchronize: see above (true); schedule, onTraceReady: which steps are
-- measured, see `torch.profiler.schedule`
-- @param ... arguments of f
-- @treturn Profile the profile, then the results of f
-- @raise the errors of f; inside of another profile, a search for NaNs or a capture; for wrong options
-- @usage print(torch.profiler.profile(function() net:forward(x) end))
function profiler.profile(f, options, ...)
  check.callable('torch.profiler.profile', 'f', f)
  local p = Profile.start('torch.profiler.profile', options, f)
  local results = pack(xpcall(f, rethrow.remember, p, ...))
  p:stop(not results[1])
  if not results[1] then rethrow.raise(results[2]) end
  return p, unpack(results, 2, results.n)
end

--- Starts a profile, which `p:stop()` ends: for programs whose code is not in one function.
-- @tparam[opt] table options as for `profile`
-- @treturn Profile
-- @raise as `profile`
function profiler.start(options) return Profile.start('torch.profiler.start', options) end

--- Stops the profile that runs in this Lua state, for example one whose object is lost.
-- @treturn ?Profile nil if none runs
-- @usage print(torch.profiler.stop())
function profiler.stop()
  local p = Profile.current()
  return p and p:stop()
end

--- Calls f as a named region: a row and an event of the profile that runs. Without a profile it only calls f.
-- @string name
-- @tparam function f
-- @param ... its arguments
-- @return its results
-- @usage torch.profiler.record('loss', function() return criterion(net(x), y) end)
function profiler.record(name, f, ...)
  check.text('torch.profiler.record', 'name', name)
  check.callable('torch.profiler.record', 'f', f)
  return Profile.region(name, f, ...)
end

--- Runs f and returns the memory of tensors by the Lua line that allocated it, see `Profile:memoryBy`. At the end garbage is collected and
-- f's results are dropped, so that `live` is what f left behind: `:leaks()` are the lines that it comes from.
-- @tparam function f
-- @tparam[opt] table options as for `profile`
-- @param ... arguments of f
-- @treturn table `print` shows it
-- @raise as `profile`
-- @usage print(torch.profiler.memory(function() train(batch) end):leaks())
function profiler.memory(f, options, ...)
  local where = 'torch.profiler.memory'
  check.callable(where, 'f', f)
  local all = { memory = true }
  for name, value in pairs(options == nil and {} or check.table(where, 'options', options)) do all[name] = value end
  local p = Profile.start(where, all, f)
  local done, problem = xpcall(f, rethrow.remember, ...)
  if done then
    problem = nil
    collectgarbage()
    collectgarbage()
  end
  p:stop()
  if not done then rethrow.raise(problem) end
  return p:memoryBy()
end

return profiler
