--- Time by lines and functions, which LuaJIT's profiler samples, and by ops (torch.profiler).
-- @module trepl.sampling
local terminal = require 'trepl.terminal'

local sampling = {}

local ENOUGH, SHOWN = 1, 10      -- seconds to sample for; entries of a list
local DEPTH = 20                 -- frames that are searched for a Lua line

local states = {
  { 'N', 'compiled code' }, { 'I', 'the interpreter' }, { 'C', 'native functions and ops' }, { 'G', 'garbage collection' },
  { 'J', 'compiling' },
}

-- The innermost frame that is a line of Lua: native functions count for the line that calls them.
local function place(stack)
  for frame in stack:gmatch '[^;]+' do
    local at = frame:match '^(.+:%d+)$'
    if at then return at end
  end
  return '(native)'
end

local function count(counts, key, n)
  if key then counts[key] = (counts[key] or 0) + n end
end

--- Runs a chunk again and again under the profiler, for a second or once.
-- @tparam function chunk
-- @treturn table samples by `lines`, `functions` and `states`, the `total`, and `runs`
function sampling.run(chunk)
  local profile = require 'jit.profile'
  local found = { lines = {}, functions = {}, states = {}, total = 0, runs = 0 }
  local here = debug.getinfo(1, 'S').short_src
  local function take(thread, samples, state)
    local at = place(profile.dumpstack(thread, 'pl;', DEPTH))
    if at:sub(1, #here) == here then return end
    found.total = found.total + samples
    count(found.states, state, samples)
    count(found.lines, at, samples)
    count(found.functions, profile.dumpstack(thread, 'pF', 1), samples)
  end
  jit.flush()      -- code compiled without the profiler has no exits for it
  profile.start('li1', take)
  local start = terminal.now()
  local good, problem = pcall(function()
    repeat
      chunk()
      found.runs = found.runs + 1
    until terminal.now() - start >= ENOUGH
  end)
  profile.stop()
  terminal.resumeSession()      -- Ctrl-C in compiled loops uses the profiler, too
  if not good then error(problem, 0) end
  return found
end

-- The largest counts, one per line.
local function list(title, counts, total)
  local keys, lines = {}, { title .. '\n' }
  for key in pairs(counts) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b)
    if counts[a] ~= counts[b] then return counts[a] > counts[b] end
    return a < b
  end)
  for i = 1, math.min(#keys, SHOWN) do lines[#lines + 1] = ('%5.1f%%  %s\n'):format(100 * counts[keys[i]] / total, keys[i]) end
  return table.concat(lines)
end

-- The ops of one evaluation, and if several lines call ops, the time of ops by line.
local function ops(chunk)
  if not require 'libmoontorch'.observation then return '' end      -- a build with MT_MINIMAL
  local profile = require 'torch'.profiler.profile(chunk)
  local byOp, byLine = profile:keyAverages { limit = SHOWN }, profile:byLine { limit = SHOWN }
  if #byOp == 0 then return '' end
  return ('ops of an evaluation\n%s\n%s'):format(tostring(byOp), #byLine > 1 and tostring(byLine) .. '\n' or '')
end

--- The output of `:profile` for a chunk.
-- @tparam function chunk
-- @treturn string
function sampling.text(chunk)
  local found = sampling.run(chunk)
  local byOp = ops(chunk)
  if found.total == 0 then return 'no samples: it waits, or runs in other threads\n' .. byOp end
  local shares = {}
  for _, state in ipairs(states) do
    local n = found.states[state[1]]
    if n then shares[#shares + 1] = ('%.0f%% in %s'):format(100 * n / found.total, state[2]) end
  end
  return ('%d samples of %d evaluation%s: %s\n%s%s'):format(
    found.total, found.runs, found.runs == 1 and '' or 's', table.concat(shares, ', '),
    list('by line', found.lines, found.total), list('by function', found.functions, found.total)) .. byOp
end

return sampling
