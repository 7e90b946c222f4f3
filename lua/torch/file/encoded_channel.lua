--- Implements the interface of a channel (`torch.file.memory_channel`) for text in an encoding other than UTF-8: it reads UTF-8 from start
-- to end. The C library's iconv converts it.
-- @module torch.file.encoded_channel
local ffi = require 'ffi'
local damage = require 'torch.file.damage'
local Memory = require 'torch.file.memory_channel'

ffi.cdef [[
void *mt_iconv_open(const char *to, const char *from) asm("iconv_open");
size_t mt_iconv(void *conversion, const char **from, size_t *fromLeft, char **to, size_t *toLeft) asm("iconv");
int mt_iconv_close(void *conversion) asm("iconv_close");
]]

local copy, min = ffi.copy, math.min
local bufferSize, longestCharacter = 65536, 16
local tooBig, incomplete = 7, 22      -- E2BIG, EINVAL of Linux
local failed = ffi.cast('size_t', -1LL)

local Encoded = {}
Encoded.__index = Encoded

-- Byte order marks -> the encoding.
local marks = { { '\255\254\0\0', 'UTF-32LE' }, { '\0\0\254\255', 'UTF-32BE' }, { '\255\254', 'UTF-16LE' }, { '\254\255', 'UTF-16BE' } }

--- Returns the encoding of a text's byte order mark, other than UTF-8.
-- @string head the first four bytes, or all if there are fewer
-- @treturn ?string
-- @treturn ?int bytes of the mark
function Encoded.marked(head)
  for _, mark in ipairs(marks) do
    if head:sub(1, #mark[1]) == mark[1] then return mark[2], #mark[1] end
  end
end

--- Returns the encoding that explains zero bytes at every other position: UTF-16 without a byte order mark.
-- @string head the first bytes
-- @treturn ?string
function Encoded.unmarked(head)
  if #head < 4 or #head % 2 == 1 then head = head:sub(1, #head - #head % 2) end
  if #head < 4 then return nil end
  local function all(pattern) return head:gsub(pattern, '') == '' end
  return all '[^%z]%z' and 'UTF-16LE' or all '%z[^%z]' and 'UTF-16BE' or nil
end

--- Returns a conversion from an encoding; nil if the system doesn't know its name.
-- @string encoding such as 'UTF-16LE' or 'latin1'
-- @treturn ?cdata
function Encoded.conversion(encoding)
  local found, conversion = pcall(ffi.C.mt_iconv_open, 'UTF-8', encoding)
  if not found or ffi.cast('intptr_t', conversion) == -1 then return nil end
  return ffi.gc(conversion, ffi.C.mt_iconv_close)
end

--- Creates a channel that converts another channel's bytes.
-- @tparam table channel it reads from the current position
-- @tparam cdata conversion
-- @string encoding its name, for messages
-- @string[opt=''] head bytes before the channel's next, which have already been read
function Encoded.over(channel, conversion, encoding, head)
  return setmetatable({
    _bytes = channel, _head = Memory.ofString(head or ''), _conversion = conversion, _encoding = encoding,
    _buffer = ffi.new('char[?]', bufferSize), _rest = ffi.new('char[?]', longestCharacter), _left = 0,
    _at = 0, _filled = 0, _passed = 0, _ended = false,
  }, Encoded)
end

-- Returns the channel with the next bytes.
local function source(self) return self._head:remaining() > 0 and self._head or self._bytes end

-- Returns the position of the next byte, from 0.
local function place(self) return self._bytes:position() - self._head:remaining() end

local from, fromLeft, to, toLeft = ffi.new 'const char *[1]', ffi.new 'size_t[1]', ffi.new 'char *[1]', ffi.new 'size_t[1]'

-- Converts n bytes at p; returns the number of converted bytes, and whether the buffer is full.
local function convert(self, p, n)
  from[0], fromLeft[0] = ffi.cast('const char *', p), n
  to[0], toLeft[0] = self._buffer + self._filled, bufferSize - self._filled
  local done = ffi.C.mt_iconv(self._conversion, from, fromLeft, to, toLeft) ~= failed
  local why = not done and ffi.errno()
  self._filled = bufferSize - tonumber(toLeft[0])
  local taken = n - tonumber(fromLeft[0])
  if not done and why ~= tooBig and why ~= incomplete then
    damage.raise(place(self) - self._left + taken + 1, 'text in ' .. self._encoding,
      ('%q'):format(ffi.string(ffi.cast('const char *', p) + taken, min(4, n - taken))))
  end
  return taken, why == tooBig
end

-- Joins the first bytes of a character with the rest, which is in the channel's next bytes, in a separate buffer.
local function joinRest(self, bytes, p, n)
  local more = min(n, longestCharacter - self._left)
  copy(self._rest + self._left, p, more)
  local taken = convert(self, self._rest, self._left + more)
  if taken < self._left then      -- still incomplete
    bytes:skip(more)
    self._left = self._left + more - taken
    copy(self._rest, ffi.string(self._rest + taken, self._left), self._left)
    return
  end
  bytes:skip(taken - self._left)
  self._left = 0
end

local function fill(self)
  self._passed, self._at, self._filled = self._passed + self._filled, 0, 0
  while self._filled == 0 and not self._ended do
    local bytes = source(self)
    local p, n = bytes:peek()
    if n == 0 then
      self._ended = true
      if self._left > 0 then
        damage.raise(place(self) + 1, 'the rest of a character in ' .. self._encoding, 'the end of the file')
      end
    elseif self._left > 0 then
      joinRest(self, bytes, p, n)
    else
      local taken, full = convert(self, p, n)
      if taken == 0 and not full then
        local rest = min(n, longestCharacter)
        copy(self._rest, p, rest)
        self._left, taken = rest, rest
      end
      bytes:skip(taken)
    end
  end
end

--- Returns the number of UTF-8 bytes before the next.
function Encoded:position() return self._passed + self._at end

--- The number of bytes is unknown before the end.
function Encoded.size() return math.huge end

function Encoded:peek()
  if self._at >= self._filled then fill(self) end
  return ffi.cast('uint8_t *', self._buffer) + self._at, self._filled - self._at
end

function Encoded:skip(n) self._at = self._at + n end

return Encoded
