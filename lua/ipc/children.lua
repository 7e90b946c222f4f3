--- Child processes: copies of this one, and other programs with pipes to their input and from their output.
-- @module ipc
local ffi = require 'ffi'
local check, libc, sockets = require 'torch.check', require 'torch.file.libc', require 'torch.sockets'
local now = require('torch.clock').monotonic

ffi.cdef [[
int mt_ipc_fork(void) asm("fork");
int mt_ipc_waitpid(int pid, int *status, int options) asm("waitpid");
int mt_ipc_kill(int pid, int signal) asm("kill");
int mt_ipc_fflush(void *file) asm("fflush");
int mt_ipc_pipe2(int *files, int flags) asm("pipe2");
int mt_ipc_fcntl(int fd, int command, ...) asm("fcntl");
int64_t mt_ipc_read(int fd, void *to, size_t n) asm("read");
int64_t mt_ipc_write(int fd, const void *from, size_t n) asm("write");
char *mt_ipc_strerror(int code) asm("strerror");
int mt_ipc_actions_init(void *actions) asm("posix_spawn_file_actions_init");
int mt_ipc_actions_dup2(void *actions, int from, int to) asm("posix_spawn_file_actions_adddup2");
int mt_ipc_actions_destroy(void *actions) asm("posix_spawn_file_actions_destroy");
int mt_ipc_spawnp(int *pid, const char *file, const void *actions, const void *attributes, char *const arguments[],
  char *const environment[]) asm("posix_spawnp");
int mt_ipc_sigemptyset(void *set) asm("sigemptyset");
int mt_ipc_sigaddset(void *set, int signal) asm("sigaddset");
int mt_ipc_sigmask(int how, const void *set, void *before) asm("pthread_sigmask");
int mt_ipc_sigtimedwait(const void *set, void *info, const long *seconds) asm("sigtimedwait");
extern char **mt_ipc_environment asm("environ");
]]

local C = ffi.C
local noHang, closeOnExec, setFlags, nonBlocking = 1, 0x80000, 4, 0x800
local again, interrupted, brokenPipe = 11, 4, 32
local signals = { TERM = 15, KILL = 9 }
local pipeSignal, block, setMask = 13, 0, 2
local shortest, longest = 0.001, 0.02      -- seconds between two looks at a process
local mercy = 1                            -- seconds from SIGTERM to SIGKILL of a program that nobody refers to

local function systemError(code) return ffi.string(C.mt_ipc_strerror(code or ffi.errno())) end

-- A shell's code for how a process has ended: its own, or 128 and the signal.
local function exitCode(status)
  local signal = bit.band(status, 0x7f)
  return signal > 0 and 128 + signal or bit.band(bit.rshift(status, 8), 0xff)
end

-- Returns the code of a child that has ended; false if it runs; nil if there is no such child.
local function ended(pid)
  local status = ffi.new 'int[1]'
  local found
  repeat found = C.mt_ipc_waitpid(pid, status, noHang) until found >= 0 or ffi.errno() ~= interrupted
  if found == 0 then return false end
  if found < 0 then return nil end
  return exitCode(status[0])
end

-- Waits until a child has ended, in pauses in which `meanwhile(seconds)` waits.
local function await(pid, meanwhile)
  local pause = shortest
  while true do
    local code = ended(pid)
    if code ~= false then return code end
    meanwhile(pause)
    pause = math.min(2 * pause, longest)
  end
end

local function rest(seconds) sockets.wait({}, seconds) end

local children = {}

--- Copies this process: both go on behind the call. The copy has one thread and the same random streams; it has shared memory and open
-- files in common with this one. CUDA and MPI do not work in it.
-- @treturn int the copy's number; 0 in the copy
-- @raise if the system makes no further process
function children.fork()
  C.mt_ipc_fflush(nil)      -- otherwise both would write what waits in buffers
  local pid = C.mt_ipc_fork()
  check.that(pid >= 0, ('ipc.fork: %s'):format(pid < 0 and systemError() or ''))
  return pid
end

--- Waits until a child has ended.
-- @int pid of `ipc.fork`
-- @treturn int its exit code, as of a shell: 128 and the signal, if one has ended it
-- @raise if the process is no child of this one, or was waited for before
function children.waitpid(pid)
  check.int('ipc.waitpid', 'pid', pid, { min = 1 })
  local code = await(pid, rest)
  return check.that(code, ('ipc.waitpid: pid: %d, expected a child of this process'):format(pid))
end

local Program = {}
Program.__index = Program

local running = ffi.typeof 'struct { int pid, owner; }'

-- Ends a program that nobody refers to. A copy of this process has no such children.
local function abandon(child)
  if child.pid <= 0 or child.owner ~= libc.pid() then return end
  C.mt_ipc_kill(child.pid, signals.TERM)
  local limit = now() + mercy
  await(child.pid, function(seconds)
    rest(seconds)
    if now() > limit then C.mt_ipc_kill(child.pid, signals.KILL) end
  end)
end

-- Returns the file descriptors of a pipe: the end that is read, and the one that is written.
local function newPipe()
  local files = ffi.new 'int[2]'
  check.that(C.mt_ipc_pipe2(files, closeOnExec) == 0, 'ipc.spawn: no pipe: ' .. systemError())
  return files[0], files[1]
end

local function words(where, name, list, form)
  local texts = {}
  for i, word in ipairs(list) do
    local place = ('%s[%d]'):format(name, i)
    if type(word) == 'number' then word = tostring(word) end
    texts[i] = check.text(where, place, word)
    check.that(not word:find '%z', ('%s: %s: a text with a zero byte'):format(where, place))
    check.that(not form or word:find(form), ("%s: %s: '%s', expected NAME=VALUE"):format(where, place, word))
  end
  return texts
end

-- A list of texts for the system, and what keeps it alive.
local function stringsOf(texts)
  local list = ffi.new('const char *[?]', #texts + 1)
  for i, text in ipairs(texts) do list[i - 1] = text end
  return list
end

local function launch(file, arguments, environment, input, output)
  local actions, pid = ffi.new 'uint64_t[64]', ffi.new 'int[1]'      -- more than a posix_spawn_file_actions_t
  C.mt_ipc_actions_init(actions)
  C.mt_ipc_actions_dup2(actions, input, 0)
  C.mt_ipc_actions_dup2(actions, output, 1)
  local list, variables = stringsOf(arguments), environment and stringsOf(environment)
  local own = variables and ffi.cast('char *const *', variables) or C.mt_ipc_environment
  local code = C.mt_ipc_spawnp(pid, file, actions, nil, ffi.cast('char *const *', list), own)
  C.mt_ipc_actions_destroy(actions)
  return code == 0 and pid[0] or nil, code
end

--- Runs a program, without a shell; its input and output are pipes, its errors go where those of this process go.
-- @tparam table options `file`: the program, which is looked for in PATH; `args`: a list of texts and numbers; `env`: a list of texts such
-- as 'NAME=VALUE', the whole environment of the program (that of this process)
-- @treturn ipc.Program if nobody refers to it any more, the program gets SIGTERM, and SIGKILL a second later
-- @raise if the program can't be started: the system's reason
function children.spawn(options)
  local where = 'ipc.spawn'
  check.that(type(options) == 'table', ('%s: options: %s: expected a single table argument'):format(where, check.describe(options)))
  check.options(where, options, { 'file', 'args', 'env' })
  local file, args, env = options.file, options.args, options.env
  check.that(type(file) == 'string' and file ~= '' and not file:find '%z', ('%s: file: expected a string'):format(where))
  check.that(args == nil or type(args) == 'table', ('%s: args: expected a table, or nil'):format(where))
  check.that(env == nil or type(env) == 'table', ('%s: env: expected a table, or nil'):format(where))
  local arguments = words(where, 'args', args or {})
  local environment = env and words(where, 'env', env, '^[^=]+=')
  table.insert(arguments, 1, file)
  local input, toInput = newPipe()
  local made, fromOutput, output = pcall(newPipe)
  if not made then
    libc.close(input)
    libc.close(toInput)
    error(fromOutput, 0)
  end
  C.mt_ipc_fcntl(toInput, setFlags, ffi.new('int', nonBlocking))
  C.mt_ipc_fcntl(fromOutput, setFlags, ffi.new('int', nonBlocking))
  C.mt_ipc_fflush(nil)
  local pid, code = launch(file, arguments, environment, input, output)
  libc.close(input)
  libc.close(output)
  local self = setmetatable({ _input = sockets.owner(toInput), _output = sockets.owner(fromOutput), _text = '' }, Program)
  if not pid then
    self:_close '_input'
    self:_close '_output'
    check.raise(('%s: file: %s: %s'):format(where, file, systemError(code)))
  end
  self._child = ffi.gc(running(pid, libc.pid()), abandon)
  return self
end

function Program:_close(name)
  local cell = self[name]
  if cell[0] >= 0 then libc.close(cell[0]) end
  cell[0] = -1
end

local function open(self, name)
  check.that(self._child, ('ipc.spawn: %s: spawn was already closed'):format(name))
  return self
end

--- Returns the number of the process.
-- @treturn int
function Program:pid() return open(self, 'pid')._child.pid end

--- Returns whether the program runs.
-- @treturn bool
function Program:running()
  open(self, 'running')
  if self._code == nil then
    local code = ended(self._child.pid)
    if code ~= false then self._code = code or false end      -- false: another call has waited for it
  end
  return self._code == nil
end

-- Writes bytes, as many as there is room for; returns their number, or the error's code. A pipe without a reader is an error, not a signal.
local function writeSome(fd, bytes, n)
  local set, before = ffi.new 'uint64_t[16]', ffi.new 'uint64_t[16]'
  C.mt_ipc_sigemptyset(set)
  C.mt_ipc_sigaddset(set, pipeSignal)
  C.mt_ipc_sigmask(block, set, before)
  local count = tonumber(C.mt_ipc_write(fd, bytes, n))
  local code = count < 0 and ffi.errno() or nil
  if code == brokenPipe then C.mt_ipc_sigtimedwait(set, nil, ffi.new 'long[2]') end
  C.mt_ipc_sigmask(setMask, before, nil)
  return count, code
end

local patience = 0.2      -- seconds between two looks for an interrupt

--- Writes to the program's input; waits until it has read what the pipe has no room for. Without a text, ends the input.
-- @string[opt] text
-- @raise if the program reads no more
function Program:stdin(text)
  open(self, 'stdin')
  if text == nil then return self:_close '_input' end
  text = check.text('ipc.spawn: stdin', 'text', text)
  local fd, done = self._input[0], 0
  check.that(fd >= 0, 'ipc.spawn: stdin: the input has ended')
  local bytes = ffi.cast('const char *', text)
  while done < #text do
    local count, code = writeSome(fd, bytes + done, #text - done)
    if count >= 0 then
      done = done + count
    elseif code == again then
      sockets.wait({ { fd = fd, writes = true } }, patience)
    elseif code ~= interrupted then
      check.raise(('ipc.spawn: stdin: %s'):format(systemError(code)))
    end
  end
end

local room = 65536
local buffer = ffi.new('char[?]', room)

-- Reads what the program has written, and waits for it up to `seconds`: a text, '' for nothing, nil at the end.
local function readSome(fd, seconds)
  sockets.wait({ { fd = fd } }, seconds)
  local count = tonumber(C.mt_ipc_read(fd, buffer, room))
  if count > 0 then return ffi.string(buffer, count) end
  local code = count < 0 and ffi.errno()
  if code == again or code == interrupted then return '' end
end

-- Takes n bytes of what has been read; none is nothing.
local function take(self, n, skipped)
  local text = self._text
  self._text = text:sub(n + (skipped or 0) + 1)
  return text:sub(1, n)
end

--- Reads from the program's output, and waits for it.
-- @param[opt='*line'] what '*line': a line without its end; '*all': all up to the end; a number of bytes
-- @treturn ?string nothing at the end
function Program:stdout(what)
  open(self, 'stdout')
  what = what == nil and '*line' or what
  if type(what) == 'number' then
    check.int('ipc.spawn: stdout', 'what', what, { min = 1 })
  else
    check.choice('ipc.spawn: stdout', 'what', what, { '*line', '*all' })
  end
  local parts, count, scanned = { self._text }, #self._text, self._text
  self._text = ''
  while self._output[0] >= 0 do
    if what == '*line' and scanned:find('\n', 1, true) or type(what) == 'number' and count >= what then break end
    local good, more = pcall(readSome, self._output[0], patience)
    if not good then      -- an interrupt: nothing is lost
      self._text = table.concat(parts)
      error(more, 0)
    end
    if not more then self:_close '_output' end
    scanned = more or ''
    parts[#parts + 1], count = scanned, count + #scanned
  end
  self._text = table.concat(parts)
  if count == 0 then return end
  local place = what == '*line' and self._text:find('\n', 1, true)
  if place then return take(self, place - 1, 1) end
  return take(self, type(what) == 'number' and what or count)
end

--- Returns the file descriptor of the program's output at this end, which never blocks.
-- @treturn int
function Program:stdoutFileId() return open(self, 'stdoutFileId')._output[0] end

--- Ends the program's input, drops the rest of its output, and waits for its end. No further call is possible.
-- @string[opt] signal 'TERM' or 'KILL', is sent before
-- @treturn int the exit code, as of `waitpid`
function Program:wait(signal)
  open(self, 'wait')
  check.that(signal == nil or signals[signal],
    ("ipc.spawn: wait: signal: %s: unknown signal, expected 'TERM' or 'KILL'"):format(tostring(signal)))
  if signal and self:running() then C.mt_ipc_kill(self._child.pid, signals[signal]) end
  self:_close '_input'
  local code = self._code or await(self._child.pid, function(seconds)
    if self._output[0] < 0 then return rest(seconds) end
    if not readSome(self._output[0], seconds) then self:_close '_output' end
  end)
  self:_close '_output'
  self._child.pid, self._child = 0, nil
  return check.that(code, 'ipc.spawn: wait: another call has waited for the process')
end

check.methods(Program, 'a program of ipc.spawn')

return children
