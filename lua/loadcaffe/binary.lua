--- Reads protocol buffers by a schema: https://protobuf.dev/programming-guides/encoding. Arrays of numbers stay in the file.
-- @module loadcaffe.binary
local ffi = require 'ffi'
local damage = require 'torch.file.damage'
local schema = require 'loadcaffe.schema'

local floor, min = math.floor, math.min
local varintKind, bytes8, delimited, bytes4 = 0, 1, 2, 5
local longest = 10      -- bytes of a varint

-- Wire kind and bytes of an element of the types with fixed sizes.
local fixed = {
  float = { bytes4, ffi.typeof 'float' }, double = { bytes8, ffi.typeof 'double' },
  floats = { bytes4, ffi.typeof 'float' }, doubles = { bytes8, ffi.typeof 'double' },
}

local function fail(at, expected, found) damage.raise(at + 1, expected, found) end

-- Returns the whole number at `at`, signed, exact up to 2^53, and the position after it.
local function varint(p, at, stop)
  local value, inverse, scale = 0, 0, 1
  for i = at, min(at + longest, stop) - 1 do
    local low = p[i] % 128
    if p[i] < 128 then
      -- Negative numbers have all ten bytes; the inverse of their bits is exact.
      if i - at == longest - 1 and low % 2 == 1 then return -inverse - 1, i + 1 end
      return value + low * scale, i + 1
    end
    value, inverse, scale = value + low * scale, inverse + (127 - low) * scale, scale * 128
  end
  fail(at, 'a whole number of at most 10 bytes', stop - at < longest and 'the end of its message' or 'more')
end

-- Returns the end of `size` bytes from `at`.
local function ending(at, size, stop, from)
  if size < 0 or size > stop - at then
    fail(from, ('at most %.0f bytes to the end of the message'):format(stop - at), ('%.0f'):format(size))
  end
  return at + size
end

-- Returns the position after a field of a kind.
local function skip(p, kind, at, stop)
  if kind == varintKind then return select(2, varint(p, at, stop)) end
  if kind == bytes8 then return ending(at, 8, stop, at) end
  if kind == bytes4 then return ending(at, 4, stop, at) end
  if kind == delimited then
    local size, after = varint(p, at, stop)
    return ending(after, size, stop, at)
  end
  fail(at, 'a field of a known kind', 'kind ' .. kind)
end

local function number(p, at, type)
  local value = ffi.new(ffi.typeof('$[1]', type))
  ffi.copy(value, p + at, ffi.sizeof(type))
  return value[0]
end

local function put(message, field, value)
  if field.repeated then
    local list = message[field.name] or {}
    list[#list + 1], message[field.name] = value, list
  else
    message[field.name] = value
  end
end

local readMessage

-- Converts a whole number to a field's type.
local function converted(field, value)
  if field.kind == 'bool' then return value ~= 0 end
  local enumeration = schema.enumerations[field.kind]
  return enumeration and (enumeration.names[value] or ('%.0f'):format(value)) or value
end

-- Reads a field with numbers of a fixed size: one, or many in a row.
local function readFixed(p, field, kind, at, stop, message)
  local wire, type = unpack(fixed[field.kind])
  local size = ffi.sizeof(type)
  local first, last = at, at + size
  if kind == delimited then
    local length, after = varint(p, at, stop)
    first, last = after, ending(after, length, stop, at)
    if length % size ~= 0 then fail(at, ('numbers of %d bytes'):format(size), ('%.0f bytes'):format(length)) end
  elseif kind ~= wire then
    fail(at, 'numbers in ' .. field.name, 'a field of another kind')
  else
    ending(at, size, stop, at)
  end
  if field.kind:find 's$' then      -- ranges of the file, one after another
    local ranges = message[field.name] or { count = 0, size = size }
    ranges[#ranges + 1] = { first, last - first }
    ranges.count = ranges.count + (last - first) / size
    message[field.name] = ranges
  else
    for i = first, last - size, size do put(message, field, number(p, i, type)) end
  end
  return last
end

local function readField(p, field, kind, at, stop, message)
  if fixed[field.kind] then return readFixed(p, field, kind, at, stop, message) end
  local nested = schema.messages[field.kind]
  if nested or field.kind == 'string' then
    if kind ~= delimited then fail(at, (nested and 'a message' or 'a text') .. ' in ' .. field.name, 'a field of another kind') end
    local size, first = varint(p, at, stop)
    local last = ending(first, size, stop, at)
    if nested then
      local value = not field.repeated and message[field.name] or {}
      readMessage(p, first, last, nested, value)
      put(message, field, value)
    else
      put(message, field, ffi.string(p + first, size))
    end
    return last
  end
  if kind == delimited and field.repeated then
    local size, first = varint(p, at, stop)
    local last = ending(first, size, stop, at)
    while first < last do
      local value
      value, first = varint(p, first, last)
      put(message, field, converted(field, value))
    end
    return last
  end
  if kind ~= varintKind then fail(at, 'a whole number in ' .. field.name, 'a field of another kind') end
  local value, after = varint(p, at, stop)
  put(message, field, converted(field, value))
  return after
end

function readMessage(p, at, stop, fields, message)
  while at < stop do
    local key, after = varint(p, at, stop)
    local kind, field = key % 8, fields.byNumber[floor(key / 8)]
    if key < 8 then fail(at, 'the number and kind of a field', ('%.0f'):format(key)) end
    if field then at = readField(p, field, kind, after, stop, message) else at = skip(p, kind, after, stop) end
  end
end

--- Reads a message.
-- @tparam cdata p bytes
-- @int size their number
-- @string name of the message's type in `loadcaffe.schema`
-- @treturn table values by field; enumerations by name; arrays of floats as lists of ranges {position, bytes}, with `count` of
-- numbers and `size` of each in bytes
-- @raise damage
return function(p, size, name)
  local message = {}
  readMessage(p, 0, size, schema.messages[name], message)
  return message
end
