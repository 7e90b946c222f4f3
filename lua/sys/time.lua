--- The clock, a stopwatch, and waiting.
-- @module sys.time
local ffi = require 'ffi'
local sys = require 'sys'
local check = require 'torch.check'
local clock = require 'torch.clock'

ffi.cdef 'int mt_nanosleep(const void *wanted, void *left) asm("nanosleep");'

local time = {}

--- Wall-clock seconds since the epoch, with microseconds.
time.clock = clock.wall

--- Sleeps a number of seconds; fractions allowed.
function time.sleep(seconds)
  seconds = check.number('sys.sleep', 'seconds', tonumber(seconds) or seconds)
  local rest = ffi.new 'struct { long seconds, nanoseconds; }'
  local whole = math.floor(seconds)
  rest.seconds, rest.nanoseconds = whole, (seconds - whole) * 1e9
  while ffi.C.mt_nanosleep(rest, rest) ~= 0 and ffi.errno() == 4 do end      -- 4: interrupted
end

--- Sleeps a number of microseconds (1 unless a number is given).
function time.usleep(microseconds) sys.sleep(math.floor(tonumber(microseconds) or 1) * 1e-6) end

local started

--- Starts the stopwatch that `toc` reads.
function time.tic() started = sys.clock() end

--- Seconds since `tic`.
-- @bool[opt] verbose also print them
function time.toc(verbose)
  local seconds = sys.clock() - check.that(started, 'sys.toc: sys.tic was not called')
  if verbose then print(seconds) end
  return seconds
end

return time
