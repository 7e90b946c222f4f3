--- Encodes fields of protocol buffers: https://protobuf.dev/programming-guides/encoding.
-- @module trainer.protobuf
local ffi = require 'ffi'

local char, concat, floor = string.char, table.concat, math.floor

local protobuf = {}

local varintKind, bytes8, delimited = 0, 1, 2

--- A whole number in groups of seven bits, the lowest first.
-- @number n from 0 to 2^53
-- @treturn string
function protobuf.varint(n)
  local bytes = {}
  while n >= 128 do
    bytes[#bytes + 1] = char(n % 128 + 128)
    n = floor(n / 128)
  end
  bytes[#bytes + 1] = char(n)
  return concat(bytes)
end

local function key(field, kind) return protobuf.varint(field * 8 + kind) end

--- A field with a whole number; nothing for 0, the default.
-- @int field its number
-- @number n
-- @treturn string
function protobuf.int(field, n) return n == 0 and '' or key(field, varintKind) .. protobuf.varint(n) end

--- A field with a text, bytes or a message; an empty one is written, too.
-- @int field
-- @string text
-- @treturn string
function protobuf.bytes(field, text) return key(field, delimited) .. protobuf.varint(#text) .. text end

local function elements(kind, list)
  local array = ffi.new(kind .. '[?]', #list, list)
  return ffi.string(array, ffi.sizeof(array))
end

--- A field with a float64; nothing for 0, the default.
-- @int field
-- @number x
-- @treturn string
function protobuf.double(field, x) return x == 0 and '' or key(field, bytes8) .. elements('double', { x }) end

--- The bytes of numbers in a row.
-- @string kind 'float' or 'double'
-- @tparam {number,...} list
-- @treturn string
protobuf.elements = elements

return protobuf
