--- SentencePiece's normalisation: a table of replacements of characters, as a trie in a double array, and the texts that it leads to.
-- Source: SentencePiece, normalizer.cc (DecodePrecompiledCharsMap); the layout of units is that of Yata's darts-clone. Which pieces of a
-- text are looked up is as in the package tokenizers: short clusters of characters at once, then each character.
-- @module text.charsmap
local ffi, bit = require 'ffi', require 'bit'
local check = require 'torch.check'
local unicode, regex = require 'text.unicode', require 'text.regex'

local character = require('torch.file.utf8').char

local band, bxor, rshift, lshift = bit.band, bit.bxor, bit.rshift, bit.lshift

local digits = {}
for i, range in ipairs { 'AZ', 'az', '09', '++', '//' } do
  local before = ({ 0, 26, 52, 62, 63 })[i]
  for code = range:byte(1), range:byte(2) do digits[code] = before + code - range:byte(1) end
end

-- Returns the bytes of a text in Base64 (RFC 4648), or nil.
local function decoded(text)
  text = text:gsub('=+$', '')
  local bytes, count, value, bits = ffi.new('uint8_t[?]', #text), 0, 0, 0
  for i = 1, #text do
    local digit = digits[text:byte(i)]
    if not digit then return nil end
    value, bits = band(lshift(value, 6) + digit, 0xffff), bits + 6
    if bits >= 8 then
      bits = bits - 8
      bytes[count] = band(rshift(value, bits), 0xff)
      count = count + 1
    end
  end
  return ffi.string(bytes, count)
end

-- The units of a trie, and the text behind it.
local function parsed(where, given)
  check.text(where, 'precompiled_charsmap', given)
  local bytes = decoded(given)
  local size = bytes and #bytes >= 4 and bytes:byte(1) + bytes:byte(2) * 256 + bytes:byte(3) * 65536 + bytes:byte(4) * 16777216
  check.that(size and size % 4 == 0 and size > 0 and size <= #bytes - 4 and bytes:sub(-1) == '\0',
    where .. ': precompiled_charsmap: damaged, expected a trie and texts that end with a zero byte, in Base64')
  local units = ffi.new('uint32_t[?]', size / 4)
  ffi.copy(units, ffi.cast('const char *', bytes) + 4, size)
  return units, size / 4, bytes:sub(size + 5)
end

local function offset(unit) return lshift(rshift(unit, 10), rshift(band(unit, 512), 6)) end

--- Returns a function of texts in UTF-8, which gives other texts.
-- @string where the start of messages
-- @string given the table in Base64
-- @raise if it is damaged
return function(where, given)
  local units, count, texts = parsed(where, given)
  local clusters = regex.finder(where, '\\X')

  -- Returns the replacement of the shortest beginning that has one.
  local function replacement(piece)
    local place = offset(units[0])
    for i = 1, #piece do
      local c = piece:byte(i)
      if c == 0 then return nil end
      place = bxor(place, c)
      local unit = place >= 0 and place < count and units[place]
      if not unit or band(unit, 0x800000ff) % 2 ^ 32 ~= c then return nil end
      place = bxor(place, offset(unit))
      if band(rshift(unit, 8), 1) == 1 then
        local first = place >= 0 and place < count and band(units[place], 0x7fffffff)
        if not first or first >= #texts then return nil end
        return texts:match('^[^%z]*', first + 1)
      end
    end
  end

  local known = {}
  local function changed(piece)
    local result = known[piece]
    if result then return result end
    result = #piece < 6 and replacement(piece)
    if not result then
      result = unicode.map(piece, function(code) return replacement(character(code)) end)
    end
    known[piece] = result
    return result
  end

  return function(text)
    local parts = {}
    for first, last in clusters(text) do parts[#parts + 1] = changed(text:sub(first, last)) end
    return table.concat(parts)
  end
end
