--- Kept libraries of the system, opened when a program first needs them.
-- @module torch.library
local ffi = require 'ffi'

ffi.cdef 'void *mt_dlopen(const char *name, int mode) asm("dlopen");'

local library = {}

local now = 2       -- RTLD_NOW

--- Opens a shared library for good: finalisers may need it when Lua, as a state closes, has let go of it.
-- @tparam {string,...} names what it may be called, the best first
-- @string missing the sentence for a system that lacks it: what it is, who needs it, which package has it
-- @treturn cdata its functions
-- @raise the sentence, without a place
-- @usage library.open({ 'libz.so.1', 'z' }, 'zlib (libz.so.1) was not found, which ZIP archives need')
function library.open(names, missing)
  for _, name in ipairs(names) do
    local found, opened = pcall(ffi.load, name)
    if found then
      ffi.C.mt_dlopen(name, now)
      return opened
    end
  end
  error(missing, 0)
end

return library
