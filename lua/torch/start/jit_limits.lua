--- torch.jitLimits: room for the machine code of large programs.
-- @module torch.start.jit_limits
local most = 65534      -- LuaJIT numbers its traces with 16 bits

--- Sets how much code LuaJIT's compiler keeps, for the whole Lua state. At a limit, LuaJIT drops all compiled code and starts again. With
-- its default limits (512 KiB of code and 1000 traces; OpenResty's LuaJIT, used by Debian since 13, has 40960 KiB and 8000 traces), a
-- program with many nets and loops does so repeatedly. Therefore torch calls this function when it is loaded, unless `luajit -O` sets a
-- limit; limits that a host sets later remain. Code whose compilation is turned off stays so.
-- @tparam[opt] table limits `maxmcode`, KiB of machine code (65536), and `maxtrace`, traces (20000, at most 65534)
-- @raise if a limit is not an integer of at least 1, or there is no such limit
-- @usage torch.jitLimits{ maxmcode = 65536 }
return function(limits)
  local mcode, traces = 65536, 20000
  if limits ~= nil then
    local check = require 'torch.check'      -- here, because startup needs no checks
    limits = check.options('torch.jitLimits', limits, { 'maxmcode', 'maxtrace' })
    mcode = check.int('torch.jitLimits', 'maxmcode', limits.maxmcode or mcode, { min = 1, max = 2097151 })
    traces = check.int('torch.jitLimits', 'maxtrace', limits.maxtrace or traces, { min = 1, max = most })
  end
  if jit.opt then jit.opt.start('maxmcode=' .. mcode, 'maxtrace=' .. traces) end      -- a LuaJIT without a compiler has no limits
end
