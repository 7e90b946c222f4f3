--- Properties, small letters and normal forms of Unicode characters, by the library utf8proc.
-- ASCII is answered without the library, which is opened at the first other character.
-- @module text.unicode
local ffi = require 'ffi'
local library = require 'torch.library'
local utf8 = require 'torch.file.utf8'

local unicode = {}

local opened_

local function opened()
  if opened_ then return opened_ end
  local found = library.system('utf8proc', 'text')
  ffi.cdef [[
    int utf8proc_category(int32_t code);
    int32_t utf8proc_tolower(int32_t code);
    int32_t utf8proc_toupper(int32_t code);
    intptr_t utf8proc_map(const uint8_t *text, intptr_t bytes, uint8_t **result, int options);
    void mt_text_free(void *p) asm("free");
  ]]
  opened_ = found
  return found
end

--- Returns whether the system has the library.
function unicode.available() return (pcall(opened)) end

-- The categories of utf8proc.h, from 0: Cn Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co.
local categories = {}
for code = 0, 127 do
  local c = string.char(code)
  categories[code] = c:find '%c' and 26 or c:find '%u' and 1 or c:find '%l' and 2 or c:find '%d' and 9 or c == ' ' and 23 or c == '_' and 12
    or c:find '[+<=>|~]' and 19 or c == '$' and 20 or c:find '[%^`]' and 21 or 18
end

--- Returns the number of a character's general category, as in utf8proc.h.
-- @int code
function unicode.category(code)
  local known = categories[code]
  if known then return known end
  known = opened().utf8proc_category(code)
  categories[code] = known
  return known
end

local category = unicode.category

--- Returns whether a character is a letter (L).
function unicode.isLetter(code) local c = category(code) return c >= 1 and c <= 5 end

--- Returns whether a character is a number (N).
function unicode.isNumber(code) local c = category(code) return c >= 9 and c <= 11 end

--- Returns whether a character is a mark that combines with the one before it (M).
function unicode.isMark(code) local c = category(code) return c >= 6 and c <= 8 end

--- Returns whether a character is punctuation (P).
function unicode.isPunctuation(code) local c = category(code) return c >= 12 and c <= 18 end

--- Returns whether a character is white space (White_Space).
function unicode.isSpace(code)
  if code < 128 then return code == 32 or code >= 9 and code <= 13 end
  local c = category(code)
  return code == 0x85 or c >= 23 and c <= 25
end

--- Returns whether a character belongs to words, as `\w` of regular expressions (UTS 18): letters, also in circles and squares, marks,
-- digits, letters as numbers, and connecting punctuation.
function unicode.isWord(code)
  local c = category(code)
  return c >= 1 and c <= 10 or c == 12 or code == 0x200c or code == 0x200d or code >= 0x24b6 and code <= 0x24e9
    or code >= 0x1f130 and code <= 0x1f149 or code >= 0x1f150 and code <= 0x1f169 or code >= 0x1f170 and code <= 0x1f189
end

--- Returns the character at a position of bytes in memory.
-- @tparam cdata p uint8_t pointer
-- @int at position, from 0
-- @int size number of bytes in memory
-- @treturn int its code; -1 if the byte at the position begins no character in UTF-8
-- @treturn int the position after it
function unicode.at(p, at, size)
  local a = p[at]
  if a < 0x80 then return a, at + 1 end
  local b, c, d = at + 1 < size and p[at + 1] or 0, at + 2 < size and p[at + 2] or 0, at + 3 < size and p[at + 3] or 0
  if b < 0x80 or b > 0xbf or a < 0xc2 or a > 0xf4 then return -1, at + 1 end
  if a < 0xe0 then return (a - 0xc0) * 64 + b - 0x80, at + 2 end
  if c < 0x80 or c > 0xbf then return -1, at + 1 end
  if a < 0xf0 then
    local code = (a - 0xe0) * 4096 + (b - 0x80) * 64 + c - 0x80
    if code < 0x800 or code >= 0xd800 and code <= 0xdfff then return -1, at + 1 end
    return code, at + 3
  end
  local code = (a - 0xf0) * 262144 + (b - 0x80) * 4096 + (c - 0x80) * 64 + d - 0x80
  if d < 0x80 or d > 0xbf or code < 0x10000 or code > 0x10ffff then return -1, at + 1 end
  return code, at + 4
end

local bytes, at = ffi.typeof 'const uint8_t *', unicode.at

--- Iterates over the characters of a text.
-- @string text
-- @treturn function iterator of the position after a character, its code (-1 for a byte that is not UTF-8), and its position, both from 1
function unicode.each(text)
  local p, size = ffi.cast(bytes, text), #text
  return function(_, place)
    if place > size then return nil end
    local code, after = at(p, place - 1, size)
    return after + 1, code, place
  end, text, 1
end

--- Returns a text with other characters for its own.
-- @string text
-- @tparam function f returns for a code the string in its place, or nil to keep it
function unicode.map(text, f)
  local parts, count = {}, 0
  for after, code, place in unicode.each(text) do
    count = count + 1
    parts[count] = f(code) or text:sub(place, after - 1)
  end
  return table.concat(parts)
end

--- Returns a text with U+FFFD for each byte that is not UTF-8.
function unicode.repaired(text)
  if utf8.isValid(text) then return text end
  return unicode.map(text, function(code) return code < 0 and '\239\191\189' or nil end)
end

local smallLetters = {}

-- U+0130 is the one character whose small letter is always two characters.
local function small(code)
  local known = smallLetters[code]
  if known then return known end
  known = code == 0x130 and 'i\204\135' or utf8.char(opened().utf8proc_tolower(code))
  smallLetters[code] = known
  return known
end

--- Returns a text in small letters, each character by itself.
-- @string text in UTF-8
function unicode.lower(text)
  if not text:find '[\128-\255]' then return text:lower() end
  return unicode.map(text, small)
end

local capitals = {}

local function capital(code)
  local known = capitals[code]
  if known then return known end
  known = utf8.char(opened().utf8proc_toupper(code))
  capitals[code] = known
  return known
end

--- Returns a text in capital letters, each character by itself.
-- @string text in UTF-8
function unicode.upper(text)
  if not text:find '[\128-\255]' then return text:upper() end
  return unicode.map(text, capital)
end

local stable, compatible, compose, decompose = 2, 4, 8, 16
local forms = {
  NFC = stable + compose, NFD = stable + decompose,
  NFKC = stable + compose + compatible, NFKD = stable + decompose + compatible,
}

--- Returns a text in a normal form of Unicode.
-- @string text in UTF-8
-- @string form 'NFC', 'NFD', 'NFKC' or 'NFKD'
function unicode.normal(text, form)
  if not text:find '[\128-\255]' then return text end
  local lib, result = opened(), ffi.new 'uint8_t *[1]'
  local size = lib.utf8proc_map(ffi.cast(bytes, text), #text, result, forms[form])
  if size < 0 then error(('text: a text of %d bytes: utf8proc failed with %d'):format(#text, tonumber(size)), 0) end
  local normal = ffi.string(result[0], size)
  ffi.C.mt_text_free(result[0])
  return normal
end

return unicode
