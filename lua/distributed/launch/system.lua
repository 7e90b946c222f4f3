--- What the launcher needs of the system, through FFI: a child with pipes, and signals as something to read.
-- @module distributed.launch.system
local ffi = require 'ffi'
local bit = require 'bit'

ffi.cdef [[
typedef struct { int fd; short events, revents; } mt_launch_poll;
int mt_launch_pipe2(int *ends, int flags) asm("pipe2");
int mt_launch_poll_for(mt_launch_poll *list, unsigned long n, int milliseconds) asm("poll");
ssize_t mt_launch_read(int fd, void *to, size_t n) asm("read");
int mt_launch_close(int fd) asm("close");
int mt_launch_kill(int pid, int signal) asm("kill");
int mt_launch_waitpid(int pid, int *status, int options) asm("waitpid");
int mt_launch_getpid(void) asm("getpid");
int mt_launch_geteuid(void) asm("geteuid");
int mt_launch_sigemptyset(void *set) asm("sigemptyset");
int mt_launch_sigaddset(void *set, int signal) asm("sigaddset");
int mt_launch_sigprocmask(int how, const void *set, void *old) asm("sigprocmask");
int mt_launch_signalfd(int fd, const void *set, int flags) asm("signalfd");
int mt_launch_spawn(int *pid, const char *file, const void *actions, const void *attributes, const char *const *words,
                    char **environment) asm("posix_spawnp");
int mt_launch_actions_init(void *actions) asm("posix_spawn_file_actions_init");
int mt_launch_actions_dup2(void *actions, int from, int to) asm("posix_spawn_file_actions_adddup2");
int mt_launch_actions_open(void *actions, int fd, const char *path, int flags, unsigned mode) asm("posix_spawn_file_actions_addopen");
int mt_launch_attributes_init(void *attributes) asm("posix_spawnattr_init");
int mt_launch_attributes_flags(void *attributes, short flags) asm("posix_spawnattr_setflags");
int mt_launch_attributes_mask(void *attributes, const void *set) asm("posix_spawnattr_setsigmask");
int mt_launch_attributes_group(void *attributes, int group) asm("posix_spawnattr_setpgroup");
typedef struct { long seconds, nanoseconds; } mt_launch_time;
int mt_launch_clock(int clock, mt_launch_time *now) asm("clock_gettime");
extern char **environ;
]]

local C = ffi.C
local system = { signals = { INT = 2, KILL = 9, USR1 = 10, TERM = 15, HUP = 1, CHLD = 17 } }

local closeOnExec = 0x80000      -- O_CLOEXEC, and the flag of the same number of signalfd
local setGroup, setMask = 0x02, 0x08      -- POSIX_SPAWN_SETPGROUP, POSIX_SPAWN_SETSIGMASK
local readable = 1      -- POLLIN

-- Memory for an object of the C library, whose size differs between libraries; glibc's largest has 336 bytes.
local function object() return ffi.new 'uint64_t[128]' end

--- This process.
system.pid = C.mt_launch_getpid()

--- Whether the process is root's.
system.isRoot = C.mt_launch_geteuid() == 0

--- Returns seconds of the clock of the board (CLOCK_MONOTONIC).
function system.now()
  local now = ffi.new 'mt_launch_time[1]'
  C.mt_launch_clock(1, now)
  return tonumber(now[0].seconds) + tonumber(now[0].nanoseconds) * 1e-9
end

--- Blocks signals and returns a file from which they are read.
-- @tparam {int,...} signals
-- @treturn int
function system.signalFile(signals)
  local set, block = object(), 0      -- SIG_BLOCK
  C.mt_launch_sigemptyset(set)
  for _, signal in ipairs(signals) do C.mt_launch_sigaddset(set, signal) end
  C.mt_launch_sigprocmask(block, set, nil)
  return C.mt_launch_signalfd(-1, set, closeOnExec)
end

--- Reads the number of the next signal.
function system.readSignal(file)
  local record = ffi.new 'uint32_t[32]'      -- a signalfd_siginfo
  return C.mt_launch_read(file, record, 128) == 128 and tonumber(record[0]) or nil
end

--- Starts a program in a process group of its own, without input.
-- @tparam {string,...} words
-- @treturn ?int its process
-- @treturn int the file of its output, and that of its errors
function system.spawn(words)
  local pipes = { ffi.new 'int[2]', ffi.new 'int[2]' }
  for _, pipe in ipairs(pipes) do C.mt_launch_pipe2(pipe, closeOnExec) end
  local actions, attributes, none = object(), object(), object()
  C.mt_launch_actions_init(actions)
  C.mt_launch_actions_open(actions, 0, '/dev/null', 0, 0)
  C.mt_launch_actions_dup2(actions, pipes[1][1], 1)
  C.mt_launch_actions_dup2(actions, pipes[2][1], 2)
  C.mt_launch_attributes_init(attributes)
  C.mt_launch_attributes_flags(attributes, bit.bor(setGroup, setMask))
  C.mt_launch_attributes_group(attributes, 0)
  C.mt_launch_sigemptyset(none)
  C.mt_launch_attributes_mask(attributes, none)
  local list, pid = ffi.new('const char *[?]', #words + 1), ffi.new 'int[1]'
  for i, word in ipairs(words) do list[i - 1] = word end
  local failed = C.mt_launch_spawn(pid, words[1], actions, attributes, list, C.environ) ~= 0
  for _, pipe in ipairs(pipes) do C.mt_launch_close(pipe[1]) end
  return not failed and pid[0] or nil, pipes[1][0], pipes[2][0]
end

--- Waits until files can be read.
-- @tparam {int,...} files
-- @treturn {int,...} those that can
function system.poll(files)
  local list, ready = ffi.new('mt_launch_poll[?]', #files), {}
  for i, file in ipairs(files) do list[i - 1].fd, list[i - 1].events = file, readable end
  C.mt_launch_poll_for(list, #files, -1)
  for i, file in ipairs(files) do
    if list[i - 1].revents ~= 0 then ready[#ready + 1] = file end
  end
  return ready
end

local room = 65536
local buffer = ffi.new('char[?]', room)

--- Reads what is there; nil at the end, when the file is closed.
function system.read(file)
  local n = tonumber(C.mt_launch_read(file, buffer, room))
  if n > 0 then return ffi.string(buffer, n) end
  C.mt_launch_close(file)
end

--- Sends a signal to a process, or to the group of a negative number.
function system.kill(pid, signal) return C.mt_launch_kill(pid, signal) == 0 end

--- Waits for a child.
-- @treturn int its status, as of a shell: 128 and the signal, if one has ended it
function system.wait(pid)
  local status = ffi.new 'int[1]'
  C.mt_launch_waitpid(pid, status, 0)
  local signal = bit.band(status[0], 0x7f)
  return signal > 0 and 128 + signal or bit.rshift(status[0], 8)
end

return system
