-- An event loop (epoll) that runs long jobs in threads and serves other requests meanwhile: `th examples/hosts/events.lua`, with a line on
-- standard input (a pipe or a terminal) for each request. `solve N` solves N random equations in a thread; `ping` is answered at once, even
-- while jobs run. The program ends at the end of its input, after all jobs; it exits with 1 if a line was invalid or a job failed.
local ffi, torch, threads = require 'ffi', require 'torch', require 'threads'

ffi.cdef(([[
  typedef struct { uint32_t events; uint64_t data; } %s hosts_epoll_event;
  int epoll_create1(int flags);
  int epoll_ctl(int epoll, int operation, int descriptor, hosts_epoll_event *event);
  int epoll_wait(int epoll, hosts_epoll_event *events, int most, int milliseconds);
  ssize_t read(int descriptor, void *buffer, size_t bytes);
]]):format(ffi.arch == 'x64' and '__attribute__((packed))' or ''))     -- packed as in Linux's header
local ADD, REMOVE, READABLE, STDIN, INTERRUPTED = 1, 2, 1, 0, 4

local function fail(...)
  io.stderr:write('events: ', ...)
  io.stderr:write '\n'
  os.exit(2, true)
end

local pool, epoll = threads.Threads(2), ffi.C.epoll_create1(0)
local bad = false
pool:limit(64)     -- pending requests

local function watch(descriptor, what)
  local event = ffi.new('hosts_epoll_event', { events = READABLE, data = descriptor })
  if ffi.C.epoll_ctl(epoll, ADD, descriptor, event) ~= 0 then fail(what, ": can't be waited for: expected a pipe or a terminal") end
end

local function say(text)
  io.write(text, '\n')
  io.flush()
end

local function complain(...)
  bad = true
  io.stderr:write('events: ', ...)
  io.stderr:write '\n'
end

local function solve(n)
  pool:addjob(function()
    local a, b = torch.randn(n, n) + torch.eye(n) * n, torch.randn(n, 1)
    return (a * torch.gesv(b, a) - b):abs():max()
  end, function(residual) say(('solved %d equations, residual below 1e-6: %s'):format(n, tostring(residual < 1e-6))) end)
end

local function answer(line)
  local n = tonumber(line:match '^solve (%d+)$')
  if line == 'ping' then
    say 'pong'
  elseif not n or n < 1 or n > 5000 then
    complain(("'%s', expected ping or solve N, up to 5000"):format(line))
  elseif not pool:acceptsjob() then
    complain(('solve %d: too much is under way'):format(n))     -- addjob would block all other requests
  else
    solve(n)
  end
end

local buffer, rest, open = ffi.new 'uint8_t[4096]', '', true

-- Reads the available input, and answers the complete lines.
local function readInput()
  local count = tonumber(ffi.C.read(STDIN, buffer, 4096))
  if count > 0 then
    rest = (rest .. ffi.string(buffer, count)):gsub('([^\n]*)\n', function(line) answer(line) return '' end)
  elseif count == 0 or ffi.errno() ~= INTERRUPTED then
    open = false
    ffi.C.epoll_ctl(epoll, REMOVE, STDIN, ffi.new 'hosts_epoll_event')
    if rest ~= '' then answer(rest) end
  end
end

local function finishJob()
  pool:dojob()     -- calls the end callback; doesn't block, since a job has ended
  if pool:haserror() then complain(select(2, pcall(pool.synchronize, pool))) end
end

watch(pool:eventfd(), 'threads')
watch(STDIN, 'standard input')
local events = ffi.new 'hosts_epoll_event[8]'
while open or pool:hasjob() do
  for i = 0, ffi.C.epoll_wait(epoll, events, 8, -1) - 1 do
    if events[i].data == STDIN then readInput() else finishJob() end
  end
end
pool:terminate()
os.exit(bad and 1 or 0, true)
