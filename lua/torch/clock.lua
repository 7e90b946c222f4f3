--- The system's clocks, or a host's replacements, in seconds.
-- @module torch.clock
local ffi = require 'ffi'

ffi.cdef [[
int mt_getrusage(int who, void *usage) asm("getrusage");
]]

local C, tonumber = ffi.C, tonumber
local rusage = ffi.new 'struct { long userSeconds, userMicroseconds, systemSeconds, systemMicroseconds, rest[14]; }'

local clock = {}

local read = ffi.cast('double (*)(int)', require('libmoontorch').readClock)

--- Returns seconds since the epoch, by the clock that the administrator may set.
function clock.wall() return read(0) end

--- Returns seconds since an arbitrary start, by a monotonic clock.
function clock.monotonic() return read(1) end

--- Returns the processor time of this process so far.
-- @treturn number seconds in user code
-- @treturn number seconds in the system
function clock.cpu()
  C.mt_getrusage(0, rusage)
  return tonumber(rusage.userSeconds) + tonumber(rusage.userMicroseconds) * 1e-6,
    tonumber(rusage.systemSeconds) + tonumber(rusage.systemMicroseconds) * 1e-6
end

return clock
