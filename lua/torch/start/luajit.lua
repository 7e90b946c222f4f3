--- Raises an error unless this is LuaJIT 2.1 with FFI and GC64. It is loaded first, and uses nothing that another Lua lacks.
-- @module torch.start.luajit
local jit = rawget(_G, 'jit')

if type(jit) ~= 'table' or (jit.version_num or 0) < 20100 then
  error(('torch: LuaJIT 2.1 is needed; this is %s'):format(type(jit) == 'table' and jit.version or _VERSION), 0)
end
local found, ffi = pcall(require, 'ffi')
if not found then error('torch: this LuaJIT was built without FFI, which is needed', 0) end
if not ffi.abi 'gc64' then error('torch: this LuaJIT addresses 2 GB only; one built with GC64 is needed', 0) end
