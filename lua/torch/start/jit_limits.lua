--- torch.jitLimits: room for the machine code of large programs.
-- @module torch.start.jit_limits
local most = 65534      -- LuaJIT numbers its traces with 16 bits

--- Sets how much LuaJIT's compiler keeps, for all of this Lua state. When a limit is reached, LuaJIT drops all that it has compiled and
-- begins again: with its own limits (512 KiB of code and 1000 traces; those of OpenResty's LuaJIT, which Debian has since 13, are 40960 and
-- 8000) a program with many nets and loops does so time and again. So this is called as torch is loaded, unless `luajit -O` named a limit;
-- what a host sets afterwards holds. Code that is turned off stays so.
-- @tparam[opt] table limits `maxmcode`, KiB of machine code (65536), and `maxtrace`, traces (20000, at most 65534)
-- @raise if a limit is no whole number of at least 1, or there is no such limit
-- @usage torch.jitLimits{ maxmcode = 65536 }
return function(limits)
  local mcode, traces = 65536, 20000
  if limits ~= nil then
    local check = require 'torch.check'      -- here, as a start needs no checks
    limits = check.options('torch.jitLimits', limits, { 'maxmcode', 'maxtrace' })
    mcode = check.int('torch.jitLimits', 'maxmcode', limits.maxmcode or mcode, { min = 1, max = 2097151 })
    traces = check.int('torch.jitLimits', 'maxtrace', limits.maxtrace or traces, { min = 1, max = most })
  end
  if jit.opt then jit.opt.start('maxmcode=' .. mcode, 'maxtrace=' .. traces) end      -- a LuaJIT without a compiler has none
end
