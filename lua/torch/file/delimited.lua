--- Reads records of separated fields (RFC 4180 and similar formats) from a channel of bytes: one at a time as texts, or many as columns.
-- The native library finds and parses the fields; this module has the text buffer and the messages about damage.
-- @module torch.file.delimited
local ffi = require 'ffi'
local C = require 'libmoontorch'
local torch = require 'torch'
local damage = require 'torch.file.damage'
local Encoded = require 'torch.file.encoded_channel'
require 'torch.file.libc'

local Delimited = {}
Delimited.__index = Delimited

local bufferSize, padding, longestRecord, longestShown = 262144, 64, 67108864, 40

--- The types as which a field can be read: bits in the results of `record`. `quoted` and `absent` describe how it is written.
Delimited.readable = { boolean = 1, integer = 2, real = 4, date = 8, text = 16, quoted = 32, absent = 64 }

-- The buffer's bytes: no other code uses the storage, so it doesn't move until it is replaced.
local function makeRoom(self, size)
  local storage = torch.ByteStorage(size + padding)
  local bytes = ffi.cast('uint8_t *', storage:data())
  ffi.fill(bytes + size, padding)
  local left = self._filled - self._from
  if left > 0 then ffi.copy(bytes, self._bytes + self._from, left) end
  self._storage, self._bytes, self._size = storage, bytes, size
end

-- Reads the bytes that the channel has available; nothing at the end.
local function take(self)
  local p, n = self._channel:peek()
  n = math.min(n, self._size - self._filled)
  if n > 0 then
    ffi.copy(self._bytes + self._filled, p, n)
    self._channel:skip(n)
    self._filled = self._filled + n
  else
    self._ended = true
  end
end

-- Moves the remaining and held bytes to the front, and reads more after them. At least doubles them, because each call scans the bytes of a
-- long record again.
local function fill(self)
  self._from = self._held or self._at
  local left = self._filled - self._from
  if left == self._size then
    if self._filled - self._at >= longestRecord then
      damage.raise(self._base + self._at + 1, ('a record of at most %d bytes'):format(longestRecord), 'a longer one')
    end
    makeRoom(self, 2 * self._size)
  elseif left > 0 then
    ffi.C.mt_memmove(self._bytes, self._bytes + self._from, left)
  end
  self._base, self._at, self._filled = self._base + self._from, self._at - self._from, left
  if self._held then self._held = 0 end
  local enough = math.min(self._size, left < bufferSize / 4 and left + 1 or 2 * left)
  repeat take(self) until self._ended or self._filled >= enough
end

-- Returns the first bytes: at least n, unless the text is shorter.
local function begin(self, n)
  while not self._ended and self._filled < n do fill(self) end
  return ffi.string(self._bytes, math.min(self._filled, n))
end

-- Continues with a channel that converts the text to UTF-8. It first gets the bytes that were read so far.
local function convert(self, encoding, markSize)
  local conversion = Encoded.conversion(encoding)
  if not conversion then
    error(("encoding: %s, expected one that this system's iconv knows, such as 'utf-16', 'latin1' or 'windows-1252'"):format(encoding), 0)
  end
  self._channel = Encoded.over(self._channel, conversion, encoding, ffi.string(self._bytes + markSize, self._filled - markSize))
  self._filled, self._ended = 0, false
  fill(self)
end

-- Skips a byte order mark, and converts a text that is not UTF-8.
local function settleEncoding(self, encoding)
  local head = begin(self, 64)
  local marked, markSize = Encoded.marked(head)
  local isOwn = not encoding or encoding:lower():gsub('[-_]', '') == 'utf8'
  if marked and (isOwn or encoding:lower():find '^utf%-?_?%d+$') then
    convert(self, marked, markSize)
  elseif not isOwn then
    convert(self, encoding, 0)
  else
    local unmarked = Encoded.unmarked(head)
    if unmarked then damage.raise(1, ("text in UTF-8, or the option encoding = '%s'"):format(unmarked:lower()), 'zero bytes') end
  end
  if begin(self, 3) == '\239\187\191' then self._at = 3 end
end

--- Creates a reader for the rest of a channel's text.
-- @tparam table channel
-- @tparam table format `separator`, one byte; `comment`, the first byte of lines to skip; `decimal`, a point or comma; `thousands`, the
--   byte between groups of three digits; `quote`, the byte around fields, or `plain`, if quotes are text; `runs`, whether several
--   separators in a row count as one, and tabs are blanks; `ragged`, whether records may lack fields; `skip`, whether malformed records are
--   skipped; `dayFirst` or `monthFirst`, the order in dates such as 3/4/2021; `absent`, a list of texts that represent missing values, and
--   `onlyAbsent`, whether no others but empty ones do; `encoding` of the text, unless it is UTF-8 or has a byte order mark
function Delimited.new(channel, format)
  local self = setmetatable({
    _channel = channel, _reader = C.delimited(format), _from = 0, _at = 0, _filled = 0, _base = 0, _ended = false,
    line = 0, nextLine = 1,      -- at the record's start and end
    _found = { [10] = { place = 0 }, [13] = { place = 0 } },
  }, Delimited)
  makeRoom(self, bufferSize)
  fill(self)
  settleEncoding(self, format.encoding)
  return self
end

--- Raises an error if a channel's bytes are in a format that is not a table of text.
-- @tparam table channel
function Delimited.refuseOthers(channel)
  local p, n = channel:peek()
  local words = require('torch.file.recognise').noTable(ffi.string(p, math.min(n, 512)))
  if words then error(words, 0) end
end

-- Returns the text at a position in the buffer, shortened for messages.
local function shown(self, start, stop) return ('%q'):format(ffi.string(self._bytes + start, math.min(stop - start, longestShown))) end

-- Raises the error that the library found. `expected` has the words for a field.
local function raise(self, expected)
  local found = self._reader:damage()
  local at, line = self._base + found.at + 1, found.line
  self._reader:clear()
  if found.what == 'quote' then
    damage.raise(at, ('a quote that closes the field of line %d'):format(line), 'the end of the file')
  elseif found.what == 'afterQuote' then
    damage.raise(at, ('a separator after the quoted field of line %d'):format(line), shown(self, found.at, found.stop))
  elseif found.what == 'fields' then
    local shorter = found.found < self.width and 'ragged = true takes shorter rows, ' or ''
    damage.raise(at, ('%d fields in line %d'):format(self.width, line),
      ("%d (with data.csv, %smalformed = 'skip' leaves such rows out)"):format(found.found, shorter))
  end
  local doubt = line == self.doubtfulLine and ', or the option header = true' or ''
  damage.raise(at, ('%s in line %d, column %d%s'):format(expected(found.column + 1, found.what), line, found.field + 1, doubt),
    shown(self, found.at, found.stop))
end

--- Advances to the next record that is neither an empty line nor a comment.
-- @tparam[opt] bool judge
-- @treturn ?{string,...} its fields; nil at the end
-- @treturn ?{int,...} with `judge`, the types as which each can be read: bits of `readable`
function Delimited:record(judge)
  while true do
    local result, at, nextLine, line, texts, readable =
      self._reader:record(self._storage, self._at, self._filled, self._ended, self.nextLine, judge)
    if result == 'damaged' then raise(self) end
    self._at, self.nextLine = at, nextLine
    if result == 'record' then
      self.line = line
      return texts, readable
    end
    if result == 'end' then return nil end
    fill(self)
  end
end

-- Returns the position in the file, from 0, of the next occurrence of a byte in the buffer, or nil. Caches the result and the end of the
-- search, so that each byte is searched once.
local function placeOf(self, byte)
  local known = self._found[byte]
  local from = math.max(known.place, self._base + self._at)
  local stop = self._base + self._filled
  if known.isThere and from == known.place then return from end
  if from >= stop then return nil end
  local p = self._bytes + (from - self._base)
  local found = ffi.C.mt_memchr(p, byte, stop - from)
  known.isThere = found ~= nil
  known.place = known.isThere and from + tonumber(ffi.cast('uint8_t *', found) - p) or stop
  return known.isThere and known.place or nil
end

--- Returns the next line unparsed, without its end, which is LF, CR LF or CR; `lineAt` is its position in the file, from 1.
-- @treturn ?string nil at the end
function Delimited:textLine()
  while true do
    local lineFeed, carriageReturn = placeOf(self, 10), placeOf(self, 13)
    local stop = math.min(lineFeed or math.huge, carriageReturn or math.huge)
    local start, filled = self._base + self._at, self._base + self._filled
    if stop == math.huge and self._ended then
      if start == filled then return nil end
      stop = filled
    end
    -- A CR at the end of the buffer may be followed by its LF.
    if stop < math.huge and (stop + 1 < filled or self._ended or stop == lineFeed) then
      local size = stop == filled and 0 or stop == carriageReturn and lineFeed == stop + 1 and 2 or 1
      self.lineAt = start + 1
      local text = ffi.string(self._bytes + self._at, stop - start)
      self._at, self.nextLine = self._at + (stop - start) + size, self.nextLine + 1
      return text
    end
    fill(self)
  end
end

--- Records the position for `rewind`: the bytes after it stay in the buffer.
function Delimited:hold() self._held, self._heldLine = self._at, self.nextLine end

--- Returns to the position of the last `hold`.
function Delimited:rewind() self._at, self.nextLine, self._held = self._held, self._heldLine, nil end

--- Sets how `read` converts fields.
-- @tparam {table,...} columns `place` of the field from 0; `kind`, 'guess', 'boolean', 'integer', 'real', 'date', 'text' or 'category';
--   `inferred`, whether a field of another kind changes it to a guess; `gaps`, whether integers, booleans and texts may be missing;
--   `low`, `high` and `missing` of numbers; `names` of known categories; with `closed`, there are no others
-- @int width number of fields of a record
-- @tparam[opt] bool together whether numbers are stored row by row, in one storage
function Delimited:columns(columns, width, together)
  self.width = width
  self._reader:columns(columns, width, together)
end

--- Reads records into columns.
-- @int most maximum number of rows
-- @tparam function expected (column, what) -> the words for the expected field; what is 'value', 'missing' or 'range'
-- @treturn int number of rows
function Delimited:read(most, expected)
  while true do
    local result, at, nextLine, rows =
      self._reader:read(self._storage, self._at, self._filled, self._ended, self.nextLine, most)
    if result == 'damaged' then raise(self, expected) end
    self._at, self.nextLine = at, nextLine
    if result == 'record' or result == 'end' then return rows end
    fill(self)
  end
end

--- Returns the number of malformed records that were skipped since the last call.
-- @treturn int
function Delimited:skipped() return self._reader:skipped() end

--- Returns the data that `read` has read since the last call.
-- @treturn table for each column: a storage (of longs for booleans, integers and categories, else of doubles), a list of texts, or the bits
--   of the types that are possible for a guess
-- @treturn table for each column: names of the categories, or false
-- @treturn table for each column with `gaps`: a storage of booleans, true where a value is missing, or false
function Delimited:take() return self._reader:take() end

return Delimited
