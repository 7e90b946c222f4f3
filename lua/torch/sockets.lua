--- TCP sockets of the operating system, as far as packages need them.
-- Descriptors are numbers; non-blocking ones return 'again' if they would have to wait. Programs that a process starts do not inherit them.
-- @module torch.sockets
local ffi = require 'ffi'
local C = ffi.C

ffi.cdef [[
struct mt_addrinfo {
  int flags, family, socktype, protocol;
  uint32_t length;
  void *address;
  char *canonical;
  struct mt_addrinfo *next;
};
struct mt_pollfd { int fd; short events, revents; };
struct mt_timeval { long seconds, microseconds; };
int mt_getaddrinfo(const char *node, const char *service, const struct mt_addrinfo *hints, struct mt_addrinfo **result) asm("getaddrinfo");
void mt_freeaddrinfo(struct mt_addrinfo *list) asm("freeaddrinfo");
const char *mt_gai_strerror(int code) asm("gai_strerror");
int mt_socket(int domain, int type, int protocol) asm("socket");
int mt_bind(int fd, const void *address, uint32_t length) asm("bind");
int mt_listen(int fd, int backlog) asm("listen");
int mt_accept4(int fd, void *address, uint32_t *length, int flags) asm("accept4");
int mt_connect(int fd, const void *address, uint32_t length) asm("connect");
int mt_getpeername(int fd, void *address, uint32_t *length) asm("getpeername");
int mt_getnameinfo(const void *address, uint32_t length, char *host, uint32_t hostLength, char *service, uint32_t serviceLength,
  int flags) asm("getnameinfo");
int mt_getsockname(int fd, void *address, uint32_t *length) asm("getsockname");
int mt_setsockopt(int fd, int level, int name, const void *value, uint32_t length) asm("setsockopt");
ssize_t mt_recv(int fd, void *buffer, size_t length, int flags) asm("recv");
ssize_t mt_send(int fd, const void *buffer, size_t length, int flags) asm("send");
int mt_poll(struct mt_pollfd *list, unsigned long count, int milliseconds) asm("poll");
int mt_closefd(int fd) asm("close");
int mt_dupfd(int fd, int command, int lowest) asm("fcntl");
char *mt_strerror(int code) asm("strerror");
]]

-- Linux's numbers.
local stream, nonBlocking, closeOnExec = 1, 2048, 524288
local socketLevel, reuseAddress, receiveTimeout, sendTimeout = 1, 2, 20, 21
local tcpLevel, noDelay = 6, 1
local noSignal, dontWait, passive, numeric = 0x4000, 0x40, 1, 1
local duplicateCloseOnExec = 1030
local pollIn, pollOut = 1, 4
local again, interrupted, aborted = 11, 4, 103

local sockets = {}

local function systemError() return ffi.string(C.mt_strerror(ffi.errno())) end

local noName = -2

-- Calls `try` with a new socket for each address of a host until one works; returns its descriptor, or nil, the last reason, and whether
-- that is that nobody knows the host.
local function firstOf(host, port, flags, kind, try)
  local hints, found = ffi.new 'struct mt_addrinfo', ffi.new 'struct mt_addrinfo *[1]'
  hints.socktype, hints.flags = stream, flags
  local code = C.mt_getaddrinfo(host, tostring(port), hints, found)
  if code ~= 0 then return nil, ffi.string(C.mt_gai_strerror(code)), code == noName end
  local entry, reason = found[0], nil
  while entry ~= nil do
    local fd = C.mt_socket(entry.family, kind, entry.protocol)
    if fd >= 0 then
      if try(fd, entry) then
        C.mt_freeaddrinfo(found[0])
        return fd
      end
      reason = systemError()
      C.mt_closefd(fd)
    else
      reason = systemError()
    end
    entry = entry.next
  end
  C.mt_freeaddrinfo(found[0])
  return nil, reason
end

-- The port that a socket is bound to: bytes 3 and 4 of its address, in IPv4 and IPv6.
local function portOf(fd)
  local address, length = ffi.new 'uint8_t[128]', ffi.new('uint32_t[1]', 128)
  if C.mt_getsockname(fd, address, length) ~= 0 then return nil end
  return address[2] * 256 + address[3]
end

--- Listens for connections.
-- @string host a name or an address of this machine
-- @int port 0 for any free one
-- @treturn ?int the descriptor, which never blocks; nil on failure
-- @treturn int|string the port; or the reason
function sockets.listen(host, port)
  local one = ffi.new('int[1]', 1)
  local fd, reason = firstOf(host, port, passive, stream + nonBlocking + closeOnExec, function(fd, entry)
    C.mt_setsockopt(fd, socketLevel, reuseAddress, one, ffi.sizeof(one))
    return C.mt_bind(fd, entry.address, entry.length) == 0 and C.mt_listen(fd, 64) == 0
  end)
  if not fd then return nil, reason end
  return fd, portOf(fd)
end

--- The next pending connection at a listening socket.
-- @int fd
-- @treturn ?int a descriptor that never blocks; nil if there is none
function sockets.accept(fd)
  local accepted = C.mt_accept4(fd, nil, nil, nonBlocking + closeOnExec)
  return accepted >= 0 and accepted or nil
end

--- Connects to a server; operations that take longer than `seconds` fail.
-- @string host
-- @int port
-- @number seconds
-- @treturn ?int the descriptor; nil on failure
-- @treturn ?string the reason
-- @treturn ?bool whether the reason is that the host is unknown
function sockets.connect(host, port, seconds)
  local limit = ffi.new('struct mt_timeval', math.floor(seconds), seconds % 1 * 1e6)
  return firstOf(host, port, 0, stream + closeOnExec, function(fd, entry)
    C.mt_setsockopt(fd, socketLevel, receiveTimeout, limit, ffi.sizeof(limit))
    C.mt_setsockopt(fd, socketLevel, sendTimeout, limit, ffi.sizeof(limit))
    return C.mt_connect(fd, entry.address, entry.length) == 0
  end)
end

local chunk = 65536
local buffer

local function failure()
  local code = ffi.errno()
  return nil, (code == again or code == interrupted or code == aborted) and 'again' or systemError()
end

--- Reads available data.
-- @int fd
-- @treturn ?string '' at the end; nil without data
-- @treturn ?string 'again', or the reason
function sockets.receive(fd)
  buffer = buffer or ffi.new('char[?]', chunk)
  local count = C.mt_recv(fd, buffer, chunk, 0)
  if count < 0 then return failure() end
  return ffi.string(buffer, count)
end

--- Writes a part of a text.
-- @int fd
-- @string text
-- @int sent number of bytes already written
-- @treturn ?int number of bytes written now; nil if none
-- @treturn ?string 'again', or the reason
function sockets.send(fd, text, sent)
  local count = C.mt_send(fd, ffi.cast('const char *', text) + sent, #text - sent, noSignal)
  if count < 0 then return failure() end
  return sent + tonumber(count)
end

--- Reads available bytes into memory, and never waits.
-- @int fd
-- @tparam cdata to
-- @int n the most bytes, 1 or more
-- @treturn ?int their number, 0 at the end; nil without data
-- @treturn ?string 'again', or the reason
function sockets.receiveInto(fd, to, n)
  local count = C.mt_recv(fd, to, n, dontWait)
  if count < 0 then return failure() end
  return tonumber(count)
end

--- Writes bytes from memory, as many as there is room for, and never waits.
-- @int fd
-- @tparam cdata from
-- @int n the most bytes
-- @treturn ?int their number; nil if none
-- @treturn ?string 'again', or the reason
function sockets.sendFrom(fd, from, n)
  local count = C.mt_send(fd, from, n, noSignal + dontWait)
  if count < 0 then return failure() end
  return tonumber(count)
end

--- Sends small writes at once, instead of collecting them.
-- @int fd
function sockets.hurry(fd)
  local one = ffi.new('int[1]', 1)
  C.mt_setsockopt(fd, tcpLevel, noDelay, one, ffi.sizeof(one))
end

--- The address of the other end.
-- @int fd
-- @treturn ?string in digits
function sockets.peer(fd)
  local address, length, host = ffi.new 'uint8_t[128]', ffi.new('uint32_t[1]', 128), ffi.new 'char[64]'
  if C.mt_getpeername(fd, address, length) ~= 0 then return nil end
  if C.mt_getnameinfo(address, length[0], host, ffi.sizeof(host), nil, 0, numeric) ~= 0 then return nil end
  return ffi.string(host)
end

--- Another descriptor of the same socket.
-- @int fd
-- @treturn ?int nil on failure
function sockets.duplicate(fd)
  local other = C.mt_dupfd(fd, duplicateCloseOnExec, 0)
  return other >= 0 and other or nil
end

--- Waits until something can be read or written.
-- @tparam {{fd=int,writes=bool},...} list
-- @number seconds maximum wait
-- @treturn {[int]={reads=bool,writes=bool}} by descriptor
function sockets.wait(list, seconds)
  local polled = ffi.new('struct mt_pollfd[?]', #list)
  for i, entry in ipairs(list) do
    polled[i - 1].fd, polled[i - 1].events = entry.fd, pollIn + (entry.writes and pollOut or 0)
  end
  local ready = {}
  if C.mt_poll(polled, #list, seconds * 1000) > 0 then
    for i = 0, #list - 1 do
      local events = polled[i].revents
      local reads, writes = bit.band(events, bit.bnot(pollOut)) ~= 0, bit.band(events, pollOut) ~= 0
      if reads or writes then ready[polled[i].fd] = { reads = reads, writes = writes } end
    end
  end
  return ready
end

--- An object that closes a descriptor when it is collected: Lua 5.1 finalises no tables.
-- @int fd
-- @treturn cdata its element [0] is the descriptor, or -1 after that has been closed
function sockets.owner(fd)
  return ffi.gc(ffi.new('int[1]', fd), function(cell)
    if cell[0] >= 0 then C.mt_closefd(cell[0]) end
  end)
end

--- Closes a descriptor.
-- @int fd
function sockets.close(fd) C.mt_closefd(fd) end

return sockets
