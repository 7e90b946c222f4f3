--- What ipc tells of the operating system: processes, and locks on files between processes.
-- @module ipc
local ffi = require 'ffi'
local check, libc = require 'torch.check', require 'torch.file.libc'

ffi.cdef [[
int mt_getppid(void) asm("getppid");
long mt_syscall(long number, ...) asm("syscall");
int mt_flock(int fd, int operation) asm("flock");
]]

local exclusive, nonBlocking, again = 2, 4, 11
local getTid = jit.arch == 'arm64' and 178 or 186

local system = {}

--- Returns the number of this process.
-- @treturn int
function system.getpid() return libc.pid() end

--- Returns the number of the process that has started this one.
-- @treturn int
function system.getppid() return ffi.C.mt_getppid() end

--- Returns the system's number of this thread.
-- @treturn int
function system.gettid() return tonumber(ffi.C.mt_syscall(getTid)) end

--- Returns whether the system is macOS: false.
-- @treturn bool
function system.isOSX() return jit.os == 'OSX' end

--- Returns whether this is a version for developers: false.
-- @treturn bool
function system.isDevel() return false end

local Lock = {}
Lock.__index = Lock

--- Gives the lock back; a second call has no effect.
function Lock:close()
  if self._fd then
    libc.close(self._fd)
    self._owner[0] = -1
  end
  self._fd = nil
end
check.methods(Lock, 'a lock of ipc.flock')

--- Takes the lock of a file, which one holder in all processes has at a time (flock); it ends with the process.
-- @string file is created, unless noblock
-- @bool[opt=false] noblock does not wait
-- @treturn ?ipc.Lock its `close()` gives it back; nil with noblock, if another has it or there is no file
-- @raise if the file can't be opened
function system.flock(file, noblock)
  check.name('ipc.flock', 'file', file)
  check.flag('ipc.flock', 'noblock', noblock)
  local fd, problem = libc.open(file, noblock and 'r' or 'rw')
  if not fd and noblock then return nil end
  check.that(fd, ('ipc.flock: file: %s: %s'):format(file, tostring(problem)))
  local sockets = require 'torch.sockets'
  local self = setmetatable({ _fd = fd, _owner = sockets.owner(fd) }, Lock)
  local pause = 0.01      -- seconds between two attempts, so that Lua sees an interrupt
  while ffi.C.mt_flock(fd, exclusive + nonBlocking) ~= 0 do
    local code = ffi.errno()
    if noblock or code ~= again then
      self:close()
      check.that(code == again, ('ipc.flock: file: %s: the system refuses the lock, error %d'):format(file, code))
      return nil
    end
    sockets.wait({}, pause)
  end
  return self
end

return system
