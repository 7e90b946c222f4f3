--- Records of separated fields (RFC 4180 and its relatives) from a channel of bytes: one at a time as texts, or many as columns.
-- The library finds the fields and reads them; here is the buffer that the text comes through, and what is said of damage.
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

--- What a field can be read as: bits of what `record` says. `quoted` and `absent` say how it is written.
Delimited.readable = { boolean = 1, integer = 2, real = 4, date = 8, text = 16, quoted = 32, absent = 64 }

-- The buffer's bytes: the storage is nobody else's, and stays where it is until it is replaced.
local function makeRoom(self, size)
  local storage = torch.ByteStorage(size + padding)
  local bytes = ffi.cast('uint8_t *', storage:data())
  ffi.fill(bytes + size, padding)
  local left = self._filled - self._from
  if left > 0 then ffi.copy(bytes, self._bytes + self._from, left) end
  self._storage, self._bytes, self._size = storage, bytes, size
end

-- Takes from the channel what is there at once; nothing at the end.
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

-- Moves what is left, and what is held, to the front, and reads more behind it: a long record's bytes are looked at again each time, so
-- that they are doubled.
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

-- The first bytes, of which at least n are there unless the text is shorter.
local function begin(self, n)
  while not self._ended and self._filled < n do fill(self) end
  return ffi.string(self._bytes, math.min(self._filled, n))
end

-- Reads on from what converts the channel's text to UTF-8. What has been read of it is given back first.
local function convert(self, encoding, markSize)
  local conversion = Encoded.conversion(encoding)
  if not conversion then
    error(("encoding: %s, expected one that this system's iconv knows, such as 'utf-16', 'latin1' or 'windows-1252'"):format(encoding), 0)
  end
  self._channel = Encoded.over(self._channel, conversion, encoding, ffi.string(self._bytes + markSize, self._filled - markSize))
  self._filled, self._ended = 0, false
  fill(self)
end

-- Passes over a byte order mark, and converts what is no UTF-8.
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

--- A reader of the text that a channel gives from now on.
-- @tparam table channel
-- @tparam table format `separator`, one byte; `comment`, the byte that lines begin with which are left out; `decimal`, a point or comma;
-- `thousands`, the byte between groups of three digits; `quote`, the byte around fields, or `plain`, where quotes are text; `runs`,
-- whether several separators together are one, and tabs are blanks; `ragged`, whether records may lack fields; `skip`, whether malformed
-- records are left out; `dayFirst` or `monthFirst`, the order in dates such as 3/4/2021; `absent`, a list of texts that stand for missing
-- values; `encoding`, that of the text where it is not UTF-8 and no mark says it
function Delimited.new(channel, format)
  local self = setmetatable({
    _channel = channel, _reader = C.delimited(format), _from = 0, _at = 0, _filled = 0, _base = 0, _ended = false,
    line = 0, nextLine = 1,      -- of the record's start and end
    _found = { [10] = { place = 0 }, [13] = { place = 0 } },
  }, Delimited)
  makeRoom(self, bufferSize)
  fill(self)
  settleEncoding(self, format.encoding)
  return self
end

--- Raises an error where a channel's bytes are those of a format that is no table of text.
-- @tparam table channel
function Delimited.refuseOthers(channel)
  local p, n = channel:peek()
  local words = require('torch.file.recognise').noTable(ffi.string(p, math.min(n, 512)))
  if words then error(words, 0) end
end

-- The text of a place in the buffer, shortened, as messages show it.
local function shown(self, start, stop) return ('%q'):format(ffi.string(self._bytes + start, math.min(stop - start, longestShown))) end

-- Raises what the library found wrong. `expected` has the words for a field.
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

--- Goes to the next record that is neither an empty line nor a comment.
-- @tparam[opt] bool judge
-- @treturn ?{string,...} its fields; nil at the end
-- @treturn ?{int,...} with `judge`, what each can be read as: bits of `readable`
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

-- The place in the file, from 0, of the next of a byte in what has been read, or nil. What was found is kept, as is how far was searched,
-- so that each byte is looked at once.
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

--- The next line as it is, without its end, which is LF, CR LF or CR; `lineAt` is its place in the file, from 1.
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
    -- A CR at the end of what is there may be followed by its LF.
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

--- Remembers where it is, for `rewind`: what follows stays in the buffer.
function Delimited:hold() self._held, self._heldLine = self._at, self.nextLine end

--- Goes back to where `hold` was called.
function Delimited:rewind() self._at, self.nextLine, self._held = self._held, self._heldLine, nil end

--- Says what `read` makes of the fields.
-- @tparam {table,...} columns `place` of the field from 0; `kind`, 'guess', 'boolean', 'integer', 'real', 'date', 'text' or 'category';
-- `inferred`, whether a field of another kind makes it a guess; `low`, `high` and `missing` of numbers; `names` of categories that are
-- known, with `closed` all that there are
-- @int width fields of a record
-- @tparam[opt] bool together numbers come row by row, in one storage
function Delimited:columns(columns, width, together)
  self.width = width
  self._reader:columns(columns, width, together)
end

--- Reads records into columns.
-- @int most so many rows, or as many as are left
-- @tparam function expected (column, what) -> the words for what was expected of a field: what is 'value', 'missing' or 'range'
-- @treturn int rows
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

--- How many malformed records were left out since the last call.
-- @treturn int
function Delimited:skipped() return self._reader:skipped() end

--- What `read` has read since the last time.
-- @treturn table a column each: a storage (of longs for booleans, integers and categories, else of doubles), a list of texts, or the bits
-- of what a guess can be read as
-- @treturn table names of the categories of each, or false
function Delimited:take() return self._reader:take() end

return Delimited
