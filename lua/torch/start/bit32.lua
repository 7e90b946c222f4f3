--- Lua 5.2's library of operations on words of 32 bits, which LuaJIT lacks; `require 'bit32'` also sets the global of that name.
-- An installed rock of that name has priority.
-- Numbers are taken modulo 2^32; results are 0 to 2^32 - 1. A shift by 32 bits or more returns zero; a negative one shifts in the opposite
-- direction.
-- @module bit32
local bit = require 'bit'

local band, bor, bxor, bnot = bit.band, bit.bor, bit.bxor, bit.bnot
local lshift, rshift, arshift, rol = bit.lshift, bit.rshift, bit.arshift, bit.rol
local error, floor, select, tonumber, type = error, math.floor, select, tonumber, type

local bit32 = {}

-- `depth`: the number of internal calls between the program and the function that raises the error.
local function refuse(depth, name, position, what) error(("bad argument #%d to '%s' (%s)"):format(position, name, what), depth + 2) end

local function number(name, position, value, depth)
  local n = tonumber(value)
  if not n then refuse(depth or 2, name, position, 'number expected, got ' .. (value == nil and 'no value' or type(value))) end
  return floor(n)
end

-- Converts a number to one of bit's signed words.
local function word(name, position, value) return bor(number(name, position, value, 3) % 2 ^ 32, 0) end

local function unsigned(signed) return signed % 2 ^ 32 end

local function folded(name, start, combine, finish)
  return function(...)
    local result = start
    for i = 1, select('#', ...) do result = combine(result, word(name, i, (select(i, ...)))) end
    return (finish(result))
  end
end

--- Returns the bits that are set in all numbers; without arguments, all bits.
-- @function band
-- @tparam number ... any count
bit32.band = folded('band', -1, band, unsigned)

--- Returns the bits that are set in any number; without arguments, 0.
-- @function bor
-- @tparam number ... any count
bit32.bor = folded('bor', 0, bor, unsigned)

--- Returns the bits that are set in an odd count of the numbers; without arguments, 0.
-- @function bxor
-- @tparam number ... any count
bit32.bxor = folded('bxor', 0, bxor, unsigned)

--- Returns whether some bit is set in all numbers.
-- @function btest
-- @tparam number ... any count
-- @treturn bool
bit32.btest = folded('btest', -1, band, function(common) return common ~= 0 end)

--- Returns the bits that are not set in a number.
-- @number x
function bit32.bnot(x) return (unsigned(bnot(word('bnot', 1, x)))) end

-- Shifts x to the left; by a negative displacement, to the right with `right`.
local function shifted(x, displacement, right)
  if displacement >= 32 then return 0 end
  if displacement >= 0 then return unsigned(lshift(x, displacement)) end
  if displacement > -32 then return unsigned(right(x, -displacement)) end
  return right == arshift and unsigned(arshift(x, 31)) or 0
end

--- Shifts a number's bits to the left and fills with zeros.
-- @number x
-- @int displacement
function bit32.lshift(x, displacement) return (shifted(word('lshift', 1, x), number('lshift', 2, displacement), rshift)) end

--- Shifts a number's bits to the right and fills with zeros.
-- @number x
-- @int displacement
function bit32.rshift(x, displacement) return (shifted(word('rshift', 1, x), -number('rshift', 2, displacement), rshift)) end

--- Shifts a number's bits to the right and fills with copies of its highest bit.
-- @number x
-- @int displacement
function bit32.arshift(x, displacement) return (shifted(word('arshift', 1, x), -number('arshift', 2, displacement), arshift)) end

--- Rotates a number's bits to the left.
-- @number x
-- @int displacement modulo 32
function bit32.lrotate(x, displacement)
  return (unsigned(rol(word('lrotate', 1, x), number('lrotate', 2, displacement) % 32)))
end

--- Rotates a number's bits to the right.
-- @number x
-- @int displacement modulo 32
function bit32.rrotate(x, displacement)
  return (unsigned(rol(word('rrotate', 1, x), -number('rrotate', 2, displacement) % 32)))
end

-- Returns the position of a field's lowest bit, and a word with the field's number of bits set.
local function fieldOf(name, position, field, width)
  field, width = number(name, position, field, 3), width == nil and 1 or number(name, position + 1, width, 3)
  if field < 0 then refuse(2, name, position, 'field cannot be negative') end
  if width <= 0 then refuse(2, name, position + 1, 'width must be positive') end
  if field + width > 32 then error('trying to access non-existent bits', 3) end
  return field, bit32.lshift(1, width) - 1
end

--- Returns the number that a field of a number's bits represents.
-- @number x
-- @int field the lowest bit, from 0 to 31
-- @int[opt=1] width how many bits
-- @raise if a number has no such bits
function bit32.extract(x, field, width)
  local first, ones = fieldOf('extract', 2, field, width)
  return (unsigned(band(rshift(word('extract', 1, x), first), ones)))
end

--- Returns a number with some of its bits replaced by the lowest bits of another.
-- @number x
-- @number value
-- @int field the lowest bit to replace, from 0 to 31
-- @int[opt=1] width how many bits
-- @raise if a number has no such bits
function bit32.replace(x, value, field, width)
  local into, from = word('replace', 1, x), word('replace', 2, value)
  local first, ones = fieldOf('replace', 3, field, width)
  return (unsigned(bor(band(into, bnot(lshift(ones, first))), lshift(band(from, ones), first))))
end

rawset(_G, 'bit32', bit32)

return bit32
