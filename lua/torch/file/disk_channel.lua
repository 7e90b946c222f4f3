--- Implements the interface of a channel (see `torch.file.memory_channel`) for a file, pipe or device, with one buffer. Large transfers
-- bypass the buffer. It contains either bytes read ahead or bytes not yet written, never both.
-- @module torch.file.disk_channel
local ffi = require 'ffi'
local C = require 'libmoontorch'
local libc = require 'torch.file.libc'

local copy, cast, min = ffi.copy, ffi.cast, math.min
local bytePtr = ffi.typeof 'uint8_t *'
local bufferSize, piece = 65536, 8388608

local Disk = {}
Disk.__index = Disk

-- Logs an error that has no caller: bytes of a collected channel that were lost.
local function tell(channel, good, message)
  if not good and message then C.log(('write error: %s: %s'):format(channel._name, message), true) end
end

-- Flushes and closes a channel when the collector frees it: newproxy's userdata is collected together with it.
local function closeWithCollector(channel)
  local sentinel = newproxy(true)
  getmetatable(sentinel).__gc = function() tell(channel, channel:close()) end
  return sentinel
end

-- os.exit doesn't close the Lua state, so that there is no last collection: the channels are flushed before it, like C's files.
local writing, exit = setmetatable({}, { __mode = 'k' }), nil
local function flushAtExit(channel)
  writing[channel] = true
  if exit then return end
  exit = os.exit
  rawset(os, 'exit', function(...)
    for each in next, writing do tell(each, each:flush()) end
    return exit(...)
  end)
end

local function over(name, fd, regular, closeDescriptor, mode)
  local self = setmetatable({
    _name = name, _fd = fd, _regular = regular, _closeDescriptor = closeDescriptor,
    _buffer = ffi.new('uint8_t[?]', bufferSize),
    _base = 0,      -- position in the file of the buffer's first byte
    _at = 0,        -- position of the reader or writer in the buffer
    _filled = 0,    -- bytes read ahead
    _dirty = 0,     -- bytes not yet written
  }, Disk)
  self._sentinel = closeWithCollector(self)
  if mode ~= 'r' then flushAtExit(self) end
  return self
end

--- Opens a file.
-- @string path
-- @string mode 'r', 'w', 'rw' or 'new'
-- @treturn ?table channel
-- @treturn ?string the system's message
-- @treturn ?int the system's error code
function Disk.open(path, mode)
  local fd, message, code = libc.open(path, mode)
  if not fd then return nil, message, code end
  local found = libc.stat(fd)
  if found.directory then
    libc.close(fd)
    return nil, 'Is a directory'
  end
  return over(path, fd, found.regular, libc.close, mode)
end

--- Runs a shell command.
-- @string command
-- @string mode 'r' reads the command's output, 'w' writes its input
-- @treturn ?table channel
-- @treturn ?string the system's message
function Disk.openPipe(command, mode)
  local fd, close = libc.openPipe(command, mode)
  if not fd then return nil, close end
  return over(command, fd, false, close, mode)
end

local function offset(self, position) return self._regular and position or nil end

-- Empties the buffer, with its base at the current position, for reading or writing. If the system can't write bytes, they are lost; the
-- next write, flush or close that calls the system reports the error.
local function settle(self)
  local base = self._base + self._at
  if self._dirty > 0 then
    local written, message = libc.write(self._fd, cast(bytePtr, self._buffer), self._dirty, offset(self, self._base))
    local missing = self._dirty - written
    self._dirty = 0
    if missing > 0 then
      self._base, self._at, self._filled = base, 0, 0
      self._lost = message or 'no bytes accepted'
    end
  end
  self._base, self._at, self._filled = base, 0, 0
end

--- Writes the buffer. Returns true, or nil and the system's message.
function Disk:flush()
  if self._dirty > 0 then settle(self) end
  local lost = self._lost
  self._lost = nil
  if lost then return nil, lost end
  return true
end

function Disk:position() return self._base + self._at end

--- Returns the number of bytes in the file; infinite for a pipe or device.
function Disk:size()
  if not self._regular then return math.huge end
  if self._dirty > 0 then settle(self) end
  return libc.stat(self._fd).size
end

--- Returns the number of bytes from the position to the end; infinite for a pipe or device.
function Disk:remaining()
  if self._dirty == 0 and self._at < self._filled and self._known then return self._known - self._base - self._at end
  self._known = self:size()
  return self._known - self:position()
end

--- Moves to a position; returns false for a pipe or device.
function Disk:seek(position)
  if not self._regular or position < 0 then return false end
  if self._dirty == 0 and position >= self._base and position <= self._base + self._filled then
    self._at = position - self._base
    return true
  end
  settle(self)
  self._base = position
  return true
end

local function fill(self)
  settle(self)
  self._filled = libc.readSome(self._fd, cast(bytePtr, self._buffer), bufferSize, offset(self, self._base))
end

function Disk:peek()
  if self._dirty > 0 or self._at >= self._filled then fill(self) end
  return self._buffer + self._at, self._filled - self._at
end

function Disk:skip(n) self._at = self._at + n end

--- Moves back over the last n bytes that were skipped; in a pipe only within the buffer.
function Disk:unread(n)
  if n <= self._at then self._at = self._at - n else self:seek(self:position() - n) end
end

function Disk:read(p, n)
  if self._dirty == 0 and n <= self._filled - self._at then
    copy(p, self._buffer + self._at, n)
    self._at = self._at + n
    return n
  end
  p = cast(bytePtr, p)
  local done = 0
  if self._dirty == 0 then
    done = min(n, self._filled - self._at)
    copy(p, self._buffer + self._at, done)
    self._at = self._at + done
  end
  if n - done >= bufferSize then
    settle(self)
    local count = libc.read(self._fd, p + done, n - done, offset(self, self._base))
    self._base = self._base + count
    return done + count
  end
  while done < n do
    fill(self)
    if self._filled == 0 then break end
    local count = min(n - done, self._filled)
    copy(p + done, self._buffer, count)
    self._at, done = count, done + count
  end
  return done
end

local function writeLarge(self, p, n)
  if not self._early then return libc.write(self._fd, p, n, offset(self, self._base)) end
  local done = 0
  while done < n do
    local part = min(piece, n - done)
    local count, message = libc.write(self._fd, p + done, part, self._base + done)
    libc.beginSync(self._fd, self._base + done, count)
    done = done + count
    if count < part then return done, message end
  end
  return done
end

function Disk:write(p, n)
  if self._filled > 0 or self._at ~= self._dirty then settle(self) end
  if n > bufferSize - self._dirty then
    settle(self)
    if self._lost then return 0, select(2, self:flush()) end
    if n >= bufferSize then
      local count, problem = writeLarge(self, cast(bytePtr, cast('const uint8_t *', p)), n)
      self._base = self._base + count
      return count, problem
    end
  end
  copy(self._buffer + self._dirty, p, n)
  self._dirty = self._dirty + n
  self._at = self._dirty
  return n
end

--- Starts writing to the disk early: the disk writes earlier blocks while the program prepares the next. Saves half of the time of a final
-- `sync`.
function Disk:syncEarly() self._early = self._regular end

--- Returns the file descriptor.
function Disk:descriptor() return self._fd end

--- Closes the file. Returns true, or nil and the message of the last write.
function Disk:close()
  local good, message = self:flush()
  writing[self] = nil
  getmetatable(self._sentinel).__gc = nil
  local closed, problem = self._closeDescriptor(self._fd)
  if not good then return nil, message end
  return closed, problem
end

return Disk
