--- Records of separated fields (RFC 4180 and its relatives) from a channel of bytes, one at a time.
-- A record's fields are places in a buffer, so that numbers are read without making strings.
-- @module torch.file.records
local ffi = require 'ffi'
require 'torch.file.libc'
local damage = require 'torch.file.damage'

local C, max, tonumber = ffi.C, math.max, tonumber
local bytePtr = ffi.typeof 'uint8_t *'
local newline, carriageReturn, quote = 10, 13, 34
local bufferSize, longestRecord, mostFields = 262144, 67108864, 1048576

local Records = {}
Records.__index = Records

--- A reader of records.
-- @tparam table channel
-- @string separator one byte
function Records.new(channel, separator)
  local self = setmetatable({
    _channel = channel, _separator = separator:byte(),
    _size = bufferSize, _buffer = ffi.new('uint8_t[?]', bufferSize), _filled = 0, _at = 0, _ended = false,
    _base = 0,              -- place in the file of the buffer's first byte
    _room = 64,
    starts = ffi.new 'int32_t[64]', stops = ffi.new 'int32_t[64]', quoted = ffi.new 'bool[64]',     -- of the fields of the record
    line = 0, nextLine = 1,       -- lines of the record's start and end
  }, Records)
  self:_fill()
  if self._filled >= 3 and ffi.string(self._buffer, 3) == '\239\187\191' then self._at = 3 end      -- a byte order mark
  return self
end

-- Moves what is left, and the record that is held, to the front, and reads more behind it.
function Records:_fill()
  local from = self._held or self._at
  local left = self._filled - from
  if left == self._size then
    if self._size >= longestRecord then
      damage.raise(self._base + from + 1, ('a record of at most %d bytes'):format(longestRecord), 'a longer one')
    end
    local larger = ffi.new('uint8_t[?]', 2 * self._size)
    ffi.copy(larger, self._buffer + from, left)
    self._buffer, self._size = larger, 2 * self._size
  elseif left > 0 then
    C.mt_memmove(self._buffer, self._buffer + from, left)
  end
  self._base, self._at, self._filled = self._base + from, self._at - from, left
  if self._held then self._held = 0 end
  local p, n = self._channel:peek()
  n = math.min(n, self._size - left)
  if n > 0 then
    ffi.copy(self._buffer + left, p, n)
    self._channel:skip(n)
    self._filled = left + n
  end
  self._ended = n == 0
end

function Records:_grow()
  if self._room >= mostFields then
    damage.raise(self._base + self._at + 1, ('a record of at most %d fields'):format(mostFields), 'a longer one')
  end
  local room = 2 * self._room
  for _, name in ipairs { 'starts', 'stops', 'quoted' } do
    local larger = ffi.new((name == 'quoted' and 'bool[?]' or 'int32_t[?]'), room)
    ffi.copy(larger, self[name], self._room * ffi.sizeof(name == 'quoted' and 'bool' or 'int32_t'))
    self[name] = larger
  end
  self._room = room
end

-- After the closing quote of a field: the place of the separator or the end of the line. Nil if the buffer ends first.
local function skipQuoted(self, p, i, filled)
  while true do
    while i < filled and p[i] ~= quote do
      if p[i] == newline then self.nextLine = self.nextLine + 1 end
      i = i + 1
    end
    if i + 1 >= filled then
      if i < filled and self._ended then return i + 1, i end
      return nil
    end
    if p[i + 1] ~= quote then return i + 1, i end
    i = i + 2
  end
end

local function find(p, i, stop, byte)
  local found = C.mt_memchr(p + i, byte, stop - i)
  return found ~= nil and tonumber(ffi.cast(bytePtr, found) - p) or nil
end

-- The same as `scan` for a record without quotes that ends at `stop`, in a way that LuaJIT compiles.
local function scanPlain(self, stop)
  local p, separator, at, count = self._buffer, self._separator, self._at, 0
  local last = stop > at and p[stop - 1] == carriageReturn and stop - 1 or stop
  local more
  repeat
    if count == self._room then self:_grow() end
    more = find(p, at, last, separator)
    self.starts[count], self.stops[count], self.quoted[count] = at, more or last, false
    count, at = count + 1, (more or last) + 1
  until not more
  return count
end

-- Finds the fields of the record at the buffer's place: their number and the place after the record. Nil if the buffer ends first.
local function scan(self)
  local p, filled, separator = self._buffer, self._filled, self._separator
  local starts, stops, quoted, room = self.starts, self.stops, self.quoted, self._room
  local i, count = self._at, 0
  while true do
    if count == room then
      self:_grow()
      starts, stops, quoted, room = self.starts, self.stops, self.quoted, self._room
    end
    if i < filled and p[i] == quote then
      local after, stop = skipQuoted(self, p, i + 1, filled)
      if not after then
        if not self._ended then return nil end
        damage.raise(self._base + i + 1, ('a quote that closes the field of line %d'):format(self.line), 'the end of the file')
      end
      starts[count], stops[count], quoted[count] = i + 1, stop, true
      i = after
      if i < filled and p[i] == carriageReturn then i = i + 1 end
      if i < filled and p[i] ~= separator and p[i] ~= newline then
        damage.raise(self._base + i + 1, ('a separator after the quoted field of line %d'):format(self.line),
          ('%q'):format(ffi.string(p + i, 1)))
      end
    else
      starts[count], quoted[count] = i, false
      while i < filled and p[i] ~= separator and p[i] ~= newline do i = i + 1 end
      stops[count] = (i > self._at and i < filled and p[i] == newline and p[i - 1] == carriageReturn) and max(i - 1, starts[count]) or i
    end
    count = count + 1
    if i >= filled then
      if not self._ended then return nil end
      return count, i
    end
    i = i + 1
    if p[i - 1] == newline then
      self.nextLine = self.nextLine + 1
      return count, i
    end
  end
end

local function attempt(self)
  local p, at, filled = self._buffer, self._at, self._filled
  local stop = find(p, at, filled, newline)
  if not stop and not self._ended then return nil end
  if find(p, at, stop or filled, quote) then return scan(self) end
  self.nextLine = self.nextLine + 1
  return scanPlain(self, stop or filled), stop and stop + 1 or filled
end

--- Goes to the next record that is not an empty line.
-- @treturn ?int the number of its fields, nil at the end; they are at `starts` and `stops` of `bytes`, counted from 0
function Records:next()
  while true do
    local line = self.nextLine
    self.line = line
    local count, after = attempt(self)
    while not count do
      self.nextLine = line
      self:_fill()
      count, after = attempt(self)
    end
    if after == self._at then return nil end
    self.recordAt, self._at = self._at, after
    if count > 1 or self.stops[0] > self.starts[0] or self.quoted[0] then return count end
  end
end

--- Looks at the record after the present one, which is the present one again afterwards.
-- @tparam function judge is called with the number of its fields, or with nil where there is none
-- @return what it says
function Records:ahead(judge)
  local line = self.line
  self._held = self.recordAt
  local answer = judge(self:next())
  self._at, self.nextLine, self._held = self._held, line, nil
  self:next()
  return answer
end

--- The bytes that `starts` and `stops` are places of; valid until the next record.
function Records:bytes() return self._buffer end

--- The place in the file, counted from 1, of a byte of the buffer.
function Records:place(i) return self._base + i + 1 end

--- Field i, counted from 0, as a string.
function Records:text(i)
  local text = ffi.string(self._buffer + self.starts[i], self.stops[i] - self.starts[i])
  if self.quoted[i] then return (text:gsub('""', '"')) end
  return text
end

return Records
