--- A connected socket: whole runs of bytes, with time limits. Waits are short, so that Lua sees an interrupt between them.
-- @classmod ipc.stream
local ffi = require 'ffi'
local sockets = require 'torch.sockets'
local now = require('torch.clock').monotonic

local Stream = {}
Stream.__index = Stream

local patience = 0.1      -- seconds
local forever = math.huge

local closed = 'remote peer disconnected'

--- @int fd is closed with the stream
-- @tparam[opt] table counts `tx` and `rx`, bytes so far
function Stream.new(fd, counts)
  sockets.hurry(fd)
  return setmetatable({ fd = fd, tx = counts and counts.tx or 0, rx = counts and counts.rx or 0, _owner = sockets.owner(fd) }, Stream)
end

--- Closes the socket; a second call has no effect.
function Stream:close()
  if not self.fd then return end
  sockets.close(self.fd)
  self._owner[0] = -1
  self.fd = nil
end

local function wait(fd, writes, limit)
  if now() > limit then error('no answer in time', 0) end
  sockets.wait({ { fd = fd, writes = writes } }, math.max(0, math.min(patience, limit - now())))
end

local function move(self, call, pointer, n, seconds, writes)
  local done, limit = 0, seconds and now() + seconds or forever
  while done < n do
    if not self.fd then error('the connection is closed', 0) end
    local count, problem = call(self.fd, pointer + done, n - done)
    if count == 0 or not count and problem ~= 'again' then
      self:close()
      error(closed, 0)
    end
    if count then
      done = done + count
      limit = seconds and now() + seconds or forever
    else
      wait(self.fd, writes, limit)
    end
  end
end

--- Writes n bytes.
-- @tparam cdata from of bytes
-- @int n
-- @number[opt] seconds the longest pause of the other end
-- @raise if the other end is closed, or pauses longer
function Stream:write(from, n, seconds)
  move(self, sockets.sendFrom, ffi.cast('const uint8_t *', from), n, seconds, true)
  self.tx = self.tx + n
end

--- Reads n bytes.
-- @tparam cdata to of bytes
-- @int n
-- @number[opt] seconds as of `write`
-- @raise as `write`
function Stream:read(to, n, seconds)
  move(self, sockets.receiveInto, ffi.cast('uint8_t *', to), n, seconds, false)
  self.rx = self.rx + n
end

--- Returns n bytes as a string.
function Stream:text(n, seconds)
  local bytes = ffi.new('uint8_t[?]', n)
  self:read(bytes, n, seconds)
  return ffi.string(bytes, n)
end

--- Reads n bytes and drops them.
function Stream:drop(n, seconds)
  local size = 65536
  local bytes = ffi.new('uint8_t[?]', size)
  while n > 0 do
    local count = math.min(n, size)
    self:read(bytes, count, seconds)
    n = n - count
  end
end

--- Whether bytes can be read, or the other end has closed.
-- @number[opt=0] seconds to wait
function Stream:isReadable(seconds)
  return self.fd ~= nil and sockets.wait({ { fd = self.fd } }, seconds or 0)[self.fd] ~= nil
end

return Stream
