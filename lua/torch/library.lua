--- Kept libraries of the system, opened when a program first needs them. Their names are in one table, engine/core/system_libraries.h.
-- @module torch.library
local ffi = require 'ffi'
local C = require 'libmoontorch'

ffi.cdef 'void *mt_dlopen(const char *name, int mode) asm("dlopen");'

local library = {}

local now = 2       -- RTLD_NOW

--- Opens a shared library for good: finalisers may need it after Lua, which closes a state, has released it.
-- @tparam {string,...} names what it may be called, the best first
-- @string missing the sentence for a system that lacks it: what it is, who needs it, which package has it
-- @treturn cdata its functions
-- @raise the sentence, without a place
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

--- Opens a library of the table.
-- @string name there, such as 'hdf5'
-- @string who the caller: the package or function that its message begins with
-- @string[opt] hint what works without it, for the end of the message
-- @treturn cdata its functions
-- @raise what was looked for, what needs it and which packages of Debian and Ubuntu have it, without a place
-- @usage library.system('zlib', 'torch.load')
function library.system(name, who, hint)
  local sonames, packages, serves = C.systemLibrary(name)
  local names = {}
  for soname in sonames:gmatch '%S+' do names[#names + 1] = soname end
  packages = packages:gsub(' | ', ' or ')
  local missing = ('%s: %s was not found, which %s need (Debian and Ubuntu: apt-get install %s)'):format(who, names[1], serves, packages)
  return library.open(names, hint and missing .. '; ' .. hint or missing)
end

return library
