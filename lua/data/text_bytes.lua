--- Texts as bytes in memory, in loops that LuaJIT compiles, where it would interpret patterns. Characters are those of UTF-8: the bytes
-- that continue none.
-- @module data.text_bytes
local ffi = require 'ffi'
local check = require 'torch.check'

local bytes = {}

local pointer, cast = ffi.typeof 'const uint8_t *', ffi.cast
local room = 4096
local buffer = ffi.new('uint8_t[?]', room)      -- for texts in the making
local longest = 2 ^ 20      -- texts that use it

-- Makes room in the buffer, whose bytes are lost.
local function reserve(count)
  if count <= room then return end
  room = 2 * count
  buffer = ffi.new('uint8_t[?]', room)
end

--- The number of characters.
-- @string text
-- @treturn int
function bytes.count(text)
  local p, count = cast(pointer, text), 0
  for i = 0, #text - 1 do
    if p[i] < 0x80 or p[i] > 0xbf then count = count + 1 end
  end
  return count
end

--- The place of a character's first byte, from 1; that after the last byte if there are fewer.
-- @string text
-- @int character its number, from 1
-- @treturn int
function bytes.place(text, character)
  local p, count = cast(pointer, text), 0
  for i = 0, #text - 1 do
    if p[i] < 0x80 or p[i] > 0xbf then
      count = count + 1
      if count == character then return i + 1 end
    end
  end
  return #text + 1
end

--- Which bytes belong to a class of a pattern, such as '%s'.
-- @string class what stands between [ and ]
-- @treturn cdata 256 bytes, 1 for those in the class
function bytes.members(class)
  local is = ffi.new 'uint8_t[256]'
  for c = 0, 255 do is[c] = string.char(c):find('[' .. class .. ']') and 1 or 0 end
  return is
end

--- A text without some bytes at its ends.
-- @string text
-- @tparam cdata is from `members`
-- @treturn string
function bytes.stripped(text, is)
  local p, first, last = cast(pointer, text), 0, #text - 1
  while first <= last and is[p[first]] ~= 0 do first = first + 1 end
  while last >= first and is[p[last]] ~= 0 do last = last - 1 end
  if first == 0 and last == #text - 1 then return text end
  return text:sub(first + 1, last + 1)
end

-- For `lower` and `upper`: what bytes of ASCII become, and the bytes that stand for other characters, by their codes.
local cases = {}
for _, name in ipairs { 'lower', 'upper' } do
  local ascii = ffi.new 'uint8_t[256]'
  for c = 0, 255 do ascii[c] = c < 128 and string.char(c)[name](string.char(c)):byte() or c end
  cases[name] = { ascii = ascii, known = {} }
end

local unicode

-- Opens the package text for letters beyond ASCII.
local function withUnicode(op)
  if unicode then return unicode end
  local found, package = pcall(require, 'text.unicode')
  check.that(found, op .. ': the package text, which has letters beyond ASCII, is not installed (luarocks install text)')
  unicode = package
  return unicode
end

-- The bytes for a character, which the text has at a place.
local function learn(op, known, text, from, to, code, name)
  known[code] = withUnicode(op)[name](text:sub(from, to))
  return known[code]
end

-- Writes a text with changed letters into the buffer; one that is not UTF-8 keeps all bytes beyond ASCII. Returns the number of bytes.
local function write(op, text, name)
  local n, own = #text, cases[name]
  reserve(3 * n + 16)      -- no character becomes more than three times as long
  local p, q, ascii, known = cast(pointer, text), buffer, own.ascii, own.known
  local i, to = 0, 0
  while i < n do
    local c = p[i]
    if c < 0x80 then
      q[to] = ascii[c]
      i, to = i + 1, to + 1
    else
      local code, after = withUnicode(op).at(p, i, n)
      if code < 0 then
        for k = 0, n - 1 do q[k] = ascii[p[k]] end
        return n
      end
      local changed = known[code] or learn(op, known, text, i + 1, after, code, name)
      for k = 1, #changed do
        q[to] = changed:byte(k)
        to = to + 1
      end
      i = after
    end
  end
  return to
end

-- Whether all bytes are ASCII, and whether they have the case already.
local function look(text, ascii)
  local p, isCased = cast(pointer, text), true
  for i = 0, #text - 1 do
    local c = p[i]
    if c > 0x7f then return false, false end
    isCased = isCased and ascii[c] == c
  end
  return true, isCased
end

--- A text in small or capital letters: those beyond ASCII, if it is UTF-8, by the package text.
-- @string op begins messages
-- @string text
-- @string name 'lower' or 'upper'
-- @treturn string
function bytes.cased(op, text, name)
  local isAscii, isCased = look(text, cases[name].ascii)
  if isCased then return text end
  if isAscii then
    if name == 'lower' then return text:lower() end
    return text:upper()
  end
  if #text > longest then
    local isUtf8 = require('torch.file.utf8').isValid(text)
    return isUtf8 and withUnicode(op)[name](text) or string[name](text)
  end
  local count = write(op, text, name)      -- which may replace the buffer
  return ffi.string(buffer, count)
end

--- A text with another in place of a part, wherever it occurs.
-- @string text
-- @string part at least one byte
-- @string by
-- @treturn string
function bytes.replaced(text, part, by)
  local count, first, last = 0, text:find(part, 1, true)
  if not first then return text end
  while first do
    count = count + 1
    first, last = text:find(part, last + 1, true)
  end
  local whole, more = #text, #by
  local size = whole + count * (more - #part)
  local from, to = 0, 0
  if size > longest then
    local pieces = {}
    for i = 1, count do
      first, last = text:find(part, from + 1, true)
      pieces[i], from = text:sub(from + 1, first - 1), last
    end
    pieces[count + 1] = text:sub(from + 1)
    return table.concat(pieces, by)
  end
  reserve(size)
  local p, q = cast(pointer, text), buffer
  for _ = 1, count do
    first, last = text:find(part, from + 1, true)
    ffi.copy(q + to, p + from, first - 1 - from)
    to = to + first - 1 - from
    ffi.copy(q + to, by, more)
    from, to = last, to + more
  end
  ffi.copy(q + to, p + from, whole - from)
  return ffi.string(q, size)
end

--- Whether a text has another, if its letters are small ones.
-- @string op begins messages
-- @string text
-- @string part
-- @treturn bool
function bytes.hasCased(op, text, part)
  local count = #part
  if #text > longest then return bytes.cased(op, text, 'lower'):find(part, 1, true) ~= nil end
  if count == 0 then return true end
  local last = write(op, text, 'lower') - count
  local p, q = cast(pointer, part), buffer
  for i = 0, last do
    if q[i] == p[0] then
      local k = 1
      while k < count and q[i + k] == p[k] do k = k + 1 end
      if k == count then return true end
    end
  end
  return false
end

return bytes
