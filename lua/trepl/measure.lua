--- Measures the time of an evaluation: times batches that are long enough for the clock and for LuaJIT's compilation.
-- @module trepl.measure
local terminal = require 'trepl.terminal'
local duration = require('torch.units').duration

local measure = {}

local BATCH, BATCHES, ONCE = 0.03, 7, 0.5      -- seconds of a batch; number of batches; seconds from which one run is enough

-- A new loop for each measurement, so that code that LuaJIT compiled for one chunk doesn't affect another.
local loop = [[
  local chunk, now = ...
  return function(n)
    local start = now()
    for _ = 1, n do chunk() end
    return now() - start
  end
]]

--- Times a chunk.
-- @tparam function chunk called without arguments
-- @treturn number seconds per evaluation: the median of the batches
-- @treturn int evaluations per batch
-- @treturn number seconds in the fastest batch
-- @treturn number seconds in the slowest batch
function measure.time(chunk)
  local batch = loadstring(loop, '=trepl/measure.lua')(chunk, terminal.now)
  local seconds, n = batch(1), 1
  if seconds >= ONCE then return seconds, 1, seconds, seconds end
  while seconds < BATCH do
    n = n * (seconds < BATCH / 10 and 8 or 2)
    seconds = batch(n)
  end
  local times = {}
  for i = 1, BATCHES do times[i] = batch(n) / n end
  table.sort(times)
  return times[math.ceil(BATCHES / 2)], n, times[1], times[BATCHES]
end

--- The output of `:time` for a chunk.
-- @tparam function chunk
-- @treturn string a line
function measure.text(chunk)
  local typical, n, least, most = measure.time(chunk)
  if n == 1 and least == most then return duration(typical) .. ', once\n' end
  return ('%s an evaluation (median of %d times %d; %s to %s)\n'):format(
    duration(typical), BATCHES, n, duration(least), duration(most))
end

return measure
