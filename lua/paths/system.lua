--- The system calls behind paths, which return nil, 'path: message', number on failure.
-- @module paths.system
local ffi = require 'ffi'
local libc = require 'torch.file.libc'

ffi.cdef [[
char *mt_getcwd(char *buffer, size_t size) asm("getcwd");
int mt_mkdir(const char *path, unsigned mode) asm("mkdir");
int mt_rmdir(const char *path) asm("rmdir");
int mt_uname(void *names) asm("uname");
void *mt_opendir(const char *path) asm("opendir");
void *mt_readdir(void *folder) asm("readdir");
int mt_closedir(void *folder) asm("closedir");
]]

local C = ffi.C
local longestName = 65      -- of each string of Linux's struct utsname
local entryPtr = ffi.typeof 'struct { uint64_t inode; int64_t offset; uint16_t length; uint8_t kind; char name[256]; } *'

local system = {}

local function result(path, code)
  if code == 0 then return true end
  local number = ffi.errno()
  return nil, path .. ': ' .. ffi.string(C.mt_strerror(number)), number
end

--- The current folder, or '.'.
function system.cwd()
  local size = 4096
  local buffer = ffi.new('char[?]', size)
  return C.mt_getcwd(buffer, size) ~= nil and ffi.string(buffer) or '.'
end

--- The kind of a path (see `torch.file.libc.stat`), or nil.
function system.stat(path) return (libc.stat(path)) end

function system.mkdir(path) return result(path, C.mt_mkdir(path, 511)) end     -- 0777 without the bits of the umask
function system.rmdir(path) return result(path, C.mt_rmdir(path)) end
function system.unlink(path) return result(path, C.mt_unlink(path)) end

--- The names in a folder in the system's order, or nil.
function system.list(path)
  local folder = C.mt_opendir(path)
  if folder == nil then return nil end
  local names = {}
  while true do
    local entry = C.mt_readdir(folder)
    if entry == nil then break end
    names[#names + 1] = ffi.string(ffi.cast(entryPtr, entry).name)
  end
  C.mt_closedir(folder)
  return names
end

--- System, host and machine.
function system.uname()
  local names = ffi.new('char[?]', 6 * longestName)
  C.mt_uname(names)
  return ffi.string(names), ffi.string(names + longestName), ffi.string(names + 4 * longestName)
end

return system
