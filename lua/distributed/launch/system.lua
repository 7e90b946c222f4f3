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
int mt_launch_fork(void) asm("fork");
int mt_launch_open(const char *path, int flags, ...) asm("open");
int mt_launch_dup2(int from, int to) asm("dup2");
int mt_launch_setpgid(int pid, int group) asm("setpgid");
int mt_launch_prctl(int option, unsigned long value, ...) asm("prctl");
int mt_launch_execvp(const char *file, const char *const *words) asm("execvp");
ssize_t mt_launch_write(int fd, const void *from, size_t n) asm("write");
void mt_launch_exit(int status) asm("_exit");
typedef struct { long seconds, nanoseconds; } mt_launch_time;
int mt_launch_clock(int clock, mt_launch_time *now) asm("clock_gettime");
]]

local C = ffi.C
local system = { signals = { INT = 2, KILL = 9, USR1 = 10, TERM = 15, HUP = 1, CHLD = 17 } }

local closeOnExec = 0x80000      -- O_CLOEXEC, and the flag of the same number of signalfd
local setMask, deathSignal = 2, 1      -- SIG_SETMASK, PR_SET_PDEATHSIG
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

--- Starts a program in a process group of its own, without input. It gets SIGTERM when this process ends.
-- @tparam {string,...} words
-- @treturn ?int its process
-- @treturn int the file of its output, and that of its errors
function system.spawn(words)
  local pipes = {}
  for i = 1, 3 do      -- output, errors, and one that says that the program was not found
    pipes[i] = ffi.new 'int[2]'
    C.mt_launch_pipe2(pipes[i], closeOnExec)
  end
  local list, none = ffi.new('const char *[?]', #words + 1), object()
  for i, word in ipairs(words) do list[i - 1] = word end
  C.mt_launch_sigemptyset(none)
  local pid = C.mt_launch_fork()
  if pid == 0 then
    C.mt_launch_prctl(deathSignal, ffi.cast('unsigned long', system.signals.TERM))
    C.mt_launch_setpgid(0, 0)
    C.mt_launch_sigprocmask(setMask, none, nil)
    C.mt_launch_dup2(C.mt_launch_open('/dev/null', closeOnExec), 0)
    C.mt_launch_dup2(pipes[1][1], 1)
    C.mt_launch_dup2(pipes[2][1], 2)
    C.mt_launch_execvp(words[1], list)
    C.mt_launch_write(pipes[3][1], 'x', 1)
    C.mt_launch_exit(127)
  end
  for _, pipe in ipairs(pipes) do C.mt_launch_close(pipe[1]) end
  local failed = pid < 0 or system.read(pipes[3][0]) ~= nil
  return not failed and pid or nil, pipes[1][0], pipes[2][0]
end

--- Waits until files can be read.
-- @tparam {int,...} files
-- @number seconds at most
-- @treturn {int,...} those that can
function system.poll(files, seconds)
  local list, ready = ffi.new('mt_launch_poll[?]', #files), {}
  for i, file in ipairs(files) do list[i - 1].fd, list[i - 1].events = file, readable end
  C.mt_launch_poll_for(list, #files, seconds * 1000)
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

--- Returns whether a process runs, from what the system says: 'running', 'stopped' or 'ended'.
-- @int pid
-- @treturn string
function system.state(pid)
  local file = io.open(('/proc/%d/stat'):format(pid))
  local letter = file and (file:read '*a' or ''):match '%) (%a)[^)]*$'
  if file then file:close() end
  if not letter or letter == 'Z' or letter == 'X' then return 'ended' end
  return letter:lower() == 't' and 'stopped' or 'running'
end

--- Returns the environment of a process: its variables, each with a zero byte before and after it; empty for one that has ended or is
-- another user's.
-- @int pid
-- @treturn string
function system.environment(pid)
  local file = io.open(('/proc/%d/environ'):format(pid), 'rb')
  local text = file and file:read '*a' or ''
  if file then file:close() end
  return text == '' and '' or '\0' .. text
end

--- Sends a signal to a process, or to the group of a negative number.
function system.kill(pid, signal) return C.mt_launch_kill(pid, signal) == 0 end

--- Waits for a child.
-- @treturn int its status, as of a shell: 128 and the signal, if one has ended it
-- @treturn ?int the signal
function system.wait(pid)
  local status = ffi.new 'int[1]'
  C.mt_launch_waitpid(pid, status, 0)
  local signal = bit.band(status[0], 0x7f)
  if signal > 0 then return 128 + signal, signal end
  return bit.rshift(status[0], 8)
end

return system
