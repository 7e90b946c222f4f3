-- A cable between two network devices of its own, with delay and loss, where the system has no such queue.
--     th spec/support/relay.lua DEVICE OTHER MILLISECONDS LOSS SEED
-- Frames of each device come out of the other one later, but for a share LOSS of them. It says `ready` when the devices exist, goes on
-- until its input ends, and then says how many frames it has passed on, and how many it has lost.
local ffi, bit, sys = require 'ffi', require 'bit', require 'sys'

ffi.cdef [[
  struct relay_request { char name[16]; short flags; char rest[22]; };
  struct relay_poll { int fd; short events, revents; };
  int open(const char*, int, ...);
  int ioctl(int, unsigned long, ...);
  int poll(struct relay_poll*, unsigned long, int);
  intptr_t read(int, void*, size_t);
  intptr_t write(int, const void*, size_t);
]]

local READ_WRITE, SET_DEVICE, FRAMES, IS_READY = 2, 0x400454ca, bit.bor(2, 0x1000), 1

local function device(name)
  local fd = ffi.C.open('/dev/net/tun', READ_WRITE)
  local request = ffi.new('struct relay_request', { name = name, flags = FRAMES })
  if fd < 0 or ffi.C.ioctl(fd, SET_DEVICE, request) < 0 then error('the device ' .. name .. ' can not be made', 0) end
  return fd
end

local delay, loss = tonumber(arg[3]) / 1000, tonumber(arg[4])
math.randomseed(tonumber(arg[5]))
local fds = { device(arg[1]), device(arg[2]) }
local waiting, first, last = {}, 1, 0      -- frames in the order in which they come out
local passed, lost = 0, 0
local polls, buffer = ffi.new 'struct relay_poll[3]', ffi.new 'char[65536]'
for i, fd in ipairs { fds[1], fds[2], 0 } do polls[i - 1].fd, polls[i - 1].events = fd, IS_READY end

local function take(from)
  local count = ffi.C.read(fds[from], buffer, 65536)
  if count <= 0 then return end
  if math.random() < loss then
    lost = lost + 1
    return
  end
  last = last + 1
  waiting[last] = { frame = ffi.string(buffer, count), to = fds[3 - from], at = sys.clock() + delay }
end

io.write 'ready\n'
io.flush()
repeat
  local pause = first <= last and math.max(0, math.ceil(1000 * (waiting[first].at - sys.clock()))) or 1000
  ffi.C.poll(polls, 3, pause)
  for i = 1, 2 do
    if polls[i - 1].revents ~= 0 then take(i) end
  end
  while first <= last and waiting[first].at <= sys.clock() do
    local frame = waiting[first]
    ffi.C.write(frame.to, frame.frame, #frame.frame)
    waiting[first], first, passed = nil, first + 1, passed + 1
  end
until polls[2].revents ~= 0
io.write(('passed %d lost %d\n'):format(passed, lost))
