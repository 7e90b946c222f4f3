--- MD5 digests of strings and files: `md5.sumhexa(s)`, and an object for messages in parts.
-- The names are those of several packages called md5: `sum`, `sumhexa`, `new`, `tohex` from kikito's and Kepler's, `string` and `file` from
-- andresy's. MD5 detects damaged copies of files; it does not protect against forgery.
-- Source: Rivest (1992), "The MD5 Message-Digest Algorithm", RFC 1321.
-- @module md5
-- @usage local md5 = require 'md5'
-- print(md5.sumhexa 'abc')       --> 900150983cd24fb0d6963f7d28e17f72
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
local ffi, bit = require 'ffi', require 'bit'

local band, bor, bxor, bnot, rol, tobit, bswap, tohexBits = bit.band, bit.bor, bit.bxor, bit.bnot, bit.rol, bit.tobit, bit.bswap, bit.tohex
local floor, type = math.floor, type

local blockBytes = 64

-- RFC 1321, 3.4: the i-th addend is the integer part of 2^32 |sin i|.
local addends = ffi.new 'int32_t[64]'
for i = 0, 63 do addends[i] = tobit(floor(2 ^ 32 * math.abs(math.sin(i + 1)))) end

-- For each round, four shifts in rotation.
local shifts = ffi.new('uint8_t[16]', 7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21)

local wordOf = ffi.abi 'le' and function(word) return word end or bswap

-- Mixes one block of 16 words into the state.
local function mix(state, words)
  local a, b, c, d = state[0], state[1], state[2], state[3]
  for i = 0, 63 do
    local round = floor(i / 16)
    local mixed, word
    if round == 0 then
      mixed, word = bxor(d, band(b, bxor(c, d))), i
    elseif round == 1 then
      mixed, word = bxor(c, band(d, bxor(b, c))), band(5 * i + 1, 15)
    elseif round == 2 then
      mixed, word = bxor(b, c, d), band(3 * i + 5, 15)
    else
      mixed, word = bxor(c, bor(b, bnot(d))), band(7 * i, 15)
    end
    local sum = tobit(tobit(a + mixed) + tobit(addends[i] + wordOf(words[word])))
    a, d, c, b = d, c, b, tobit(b + rol(sum, shifts[4 * round + band(i, 3)]))
  end
  state[0], state[1], state[2], state[3] = tobit(state[0] + a), tobit(state[1] + b), tobit(state[2] + c), tobit(state[3] + d)
end

local Digest = {}
Digest.__index = Digest

local function checked(where, argument, value)
  if type(value) ~= 'string' then error(('%s: %s: a %s, expected a string'):format(where, argument, type(value)), 3) end
  return value
end

-- Mixes all complete blocks of a string; returns the rest.
local function absorb(self, text)
  local whole = floor(#text / blockBytes)
  local bytes, block = ffi.cast('const uint8_t *', text), self.block
  for i = 0, whole - 1 do
    ffi.copy(block, bytes + i * blockBytes, blockBytes)
    mix(self.state, block)
  end
  return whole == 0 and text or text:sub(whole * blockBytes + 1)
end

--- Appends a part of the message.
-- @string s any bytes
-- @treturn Digest self
-- @raise after `finish`, or if s is not a string
function Digest:update(s)
  checked('md5.update', 's', s)
  if self.finished then error('md5.update: the digest is finished, md5.new begins another', 2) end
  self.length = self.length + #s
  self.rest = absorb(self, self.rest .. s)
  return self
end

-- A number's bytes in little-endian order.
local function littleEndian(number, count)
  local bytes = {}
  for i = 1, count do
    bytes[i] = string.char(number % 256)
    number = floor(number / 256)
  end
  return table.concat(bytes)
end

--- Ends the message.
-- @treturn string 16 bytes; later calls return the same
function Digest:finish()
  if not self.finished then
    local padding = '\128' .. ('\0'):rep((55 - self.length) % blockBytes)
    absorb(self, self.rest .. padding .. littleEndian(self.length * 8, 8))
    local words = {}
    for i = 0, 3 do words[i + 1] = littleEndian(self.state[i] % 2 ^ 32, 4) end
    self.finished = table.concat(words)
  end
  return self.finished
end

local md5 = {}

--- Begins a message in parts.
-- @treturn Digest an object with the methods `update(s)` and `finish()`
-- @usage md5.tohex(md5.new():update('ab'):update('c'):finish())   --> 900150983cd24fb0d6963f7d28e17f72
function md5.new()
  local state = ffi.new('int32_t[4]', 0x67452301, tobit(0xefcdab89), tobit(0x98badcfe), 0x10325476)
  return setmetatable({ state = state, block = ffi.new 'int32_t[16]', rest = '', length = 0 }, Digest)
end

--- The digest of a string.
-- @string s any bytes
-- @treturn string 16 bytes
function md5.sum(s) return md5.new():update(checked('md5.sum', 's', s)):finish() end

--- Bytes as hexadecimal digits.
-- @string bytes
-- @treturn string two lower-case digits per byte
function md5.tohex(bytes)
  return (checked('md5.tohex', 'bytes', bytes):gsub('.', function(byte) return tohexBits(byte:byte(), 2) end))
end

--- The digest of a string as text.
-- @string s any bytes
-- @treturn string 32 lower-case hexadecimal digits
function md5.sumhexa(s) return md5.tohex(md5.sum(checked('md5.sumhexa', 's', s))) end

--- The digest of a string as text; another name of `sumhexa`.
-- @string s any bytes
-- @treturn string 32 lower-case hexadecimal digits
function md5.string(s) return md5.tohex(md5.sum(checked('md5.string', 's', s))) end

local chunkBytes = 2 ^ 16

--- The digest of a file's bytes as text, read in parts.
-- @string name of the file
-- @treturn string 32 lower-case hexadecimal digits
-- @raise if the file can't be read
function md5.file(name)
  local file, message = io.open(checked('md5.file', 'name', name), 'rb')
  if not file then error('md5.file: name: ' .. message, 2) end
  local digest = md5.new()
  local chunk
  repeat
    chunk, message = file:read(chunkBytes)
    digest:update(chunk or '')
  until not chunk
  file:close()
  if message then error(('md5.file: name: %s: %s'):format(name, message), 2) end
  return md5.tohex(digest:finish())
end

return md5
