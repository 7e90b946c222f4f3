--- System libraries, opened when a program first needs them. The table in engine/core/system_libraries.h has their names.
-- @module torch.library
local ffi = require 'ffi'
local C = require 'libmoontorch'

ffi.cdef 'void *mt_dlopen(const char *name, int mode) asm("dlopen");'

local library = {}

local now = 2       -- RTLD_NOW

--- Opens a shared library and never closes it: finalisers may need it after Lua has released it while closing a state.
-- @tparam {string,...} names possible file names, the best first
-- @string missing the message if the system lacks it: what it is, what needs it, which package contains it
-- @treturn cdata its functions
-- @raise this message, without a position
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
-- @string name in the table, such as 'hdf5'
-- @string who the caller: the package or function at the start of its message
-- @string[opt] hint what works without it, for the end of the message
-- @treturn cdata its functions
-- @raise the names tried, what needs the library and which packages of Debian and Ubuntu contain it, without a position
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
