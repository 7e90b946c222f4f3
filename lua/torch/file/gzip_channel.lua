--- Implements the interface of a channel (`torch.file.memory_channel`) for the contents of a gzip file (RFC 1952): it reads them from start
-- to end.
-- @module torch.file.gzip_channel
local ffi = require 'ffi'
local damage = require 'torch.file.damage'
local zlib = require 'torch.file.zlib'

local cast, copy, min = ffi.cast, ffi.copy, math.min
local bytePtr = ffi.typeof 'uint8_t *'
local bufferSize = 65536
local mostInflation = 1032       -- a deflate stream expands at most by this factor

local Gzip = {}
Gzip.__index = Gzip

--- Returns whether a channel's next bytes begin a gzip file.
function Gzip.isNext(channel)
  local p, n = channel:peek()
  return n >= 3 and p[0] == 0x1f and p[1] == 0x8b and p[2] == 8
end

--- Creates a channel for the contents of a channel of compressed bytes.
-- @tparam table channel it reads from the current position
function Gzip.over(channel)
  return setmetatable({
    _packed = channel, _stream = zlib.unpacker(), _buffer = ffi.new('uint8_t[?]', bufferSize),
    _at = 0, _filled = 0, _passed = 0,      -- position in the buffer, bytes in it, bytes before it
    _ended = false,
  }, Gzip)
end

-- Decompresses up to n bytes to p; returns their number, 0 at the end.
local function unpack(self, p, n)
  local packed = self._packed
  local done = 0
  while done == 0 and not self._ended do
    local from, available = packed:peek()
    if available == 0 then damage.raise(packed:position() + 1, 'the rest of a gzip stream', 'the end of the file') end
    local taken, ends
    done, taken, ends = self._stream:step(from, available, p, n)
    if not done then damage.raise(packed:position() + 1, 'a gzip stream', 'something else') end
    packed:skip(taken)
    if ends then
      self._ended = not Gzip.isNext(packed)
      if not self._ended then
        self._stream:again()
      elseif select(2, packed:peek()) > 0 then
        damage.raise(packed:position() + 1, 'the end of the file after a gzip stream', 'more bytes')
      end
    end
  end
  return done
end

local function fill(self)
  self._passed, self._at, self._filled = self._passed + self._filled, 0, 0
  self._filled = unpack(self, self._buffer, bufferSize)
end

--- Returns the number of bytes of the contents before the next.
function Gzip:position() return self._passed + self._at end

--- The number of bytes is unknown before the end.
function Gzip.size() return math.huge end

--- Returns an upper bound of the remaining bytes.
function Gzip:remaining() return self._filled - self._at + (self._packed:remaining() + bufferSize) * mostInflation end

function Gzip:peek()
  if self._at >= self._filled then fill(self) end
  return self._buffer + self._at, self._filled - self._at
end

function Gzip:skip(n) self._at = self._at + n end

function Gzip:read(p, n)
  p = cast(bytePtr, p)
  local done = min(n, self._filled - self._at)
  copy(p, self._buffer + self._at, done)
  self._at = self._at + done
  while done < n do
    local count
    if n - done >= bufferSize then
      count = unpack(self, p + done, n - done)
      self._passed = self._passed + count
    else
      fill(self)
      count = min(n - done, self._filled)
      copy(p + done, self._buffer, count)
      self._at = count
    end
    if count == 0 then break end
    done = done + count
  end
  return done
end

--- Frees the memory for decompression; the channel below stays open.
function Gzip:close() self._stream:close() end

return Gzip
