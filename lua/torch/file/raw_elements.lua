--- Storages over bytes of a file, for formats that keep elements as in memory. Elements of a type that no tensor has are converted to the
-- smallest type that represents every value.
-- @module torch.file.raw_elements
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'libmoontorch'
local damage = require 'torch.file.damage'
local kinds = require 'torch.file.kinds'
local reverse = require('torch.file.binary').reverse

local bytePtr = ffi.typeof 'uint8_t *'
local largestLong = 9223372036854775807ULL
local dtypeIndex = {}
for i, info in ipairs(C.dtypes) do dtypeIndex[info.torch] = i - 1 end

local function same(name) return { kind = kinds[name], size = kinds[name].size } end
local function integer(name, size)
  return { kind = kinds[name], size = size, elements = ffi.typeof(('const uint%d_t *'):format(8 * size)) }
end
local function float8(mantissa) return { kind = kinds.Half, size = 1, mantissa = mantissa } end

local raw = {
  -- The element types by their names in safetensors files. kind: of the tensor; size: bytes of an element in the file.
  types = {
    BOOL = same 'Bool', U8 = same 'Byte', I8 = same 'Char', I16 = same 'Short', I32 = same 'Int', I64 = same 'Long', F16 = same 'Half',
    BF16 = same 'BFloat16', F32 = same 'Float', F64 = same 'Double',
    U16 = integer('Int', 2), U32 = integer('Long', 4), U64 = integer('Long', 8), F8_E5M2 = float8(2), F8_E4M3 = float8(3),
  },
}

-- The bits of the float16 with the value of each 8-bit float: 1 sign bit, then exponent and mantissa. With 3 bits of mantissa there is no
-- infinity, and NaN has all bits set; with 2 it is the upper half of a float16.
local eightBits = {}
local function float16Of(mantissa)
  if eightBits[mantissa] then return eightBits[mantissa] end
  local values, steps, bias = torch.FloatTensor(256), 2 ^ mantissa, mantissa == 3 and 7 or 15
  for b = 0, 255 do
    local magnitude = b % 128
    local exponent, rest = math.floor(magnitude / steps), magnitude % steps
    local value = exponent == 0 and rest / steps * 2 ^ (1 - bias) or (1 + rest / steps) * 2 ^ (exponent - bias)
    if mantissa == 3 and magnitude == 127 then value = 0 / 0 end
    if mantissa == 2 and exponent == 31 then value = rest == 0 and math.huge or 0 / 0 end
    values[b + 1] = b >= 128 and -value or value
  end
  eightBits[mantissa] = values:half()
  return eightBits[mantissa]
end

-- Converts elements of a type that tensors lack. `at` is the position of the first in the file, counted from 1.
local function convert(bytes, type, count, at)
  local storage = torch[type.kind.name .. 'Storage'](count)
  if type.mantissa then
    local table_ = float16Of(type.mantissa)
    local from, to = ffi.cast('const uint16_t *', table_:data()), ffi.cast('uint16_t *', storage:data())
    for i = 0, count - 1 do to[i] = from[bytes[i]] end
    return storage
  end
  local from, to = ffi.cast(type.elements, bytes), storage:data()
  for i = 0, count - 1 do
    if type.size == 8 and from[i] > largestLong then
      damage.raise(at + 8 * i, 'an integer below 2^63', (tostring(from[i]):gsub('ULL', '')))
    end
    to[i] = from[i]
  end
  return storage
end

local function copied(bytes, kind, count, swapped)
  local storage = torch[kind.name .. 'Storage'](count)
  local to = ffi.cast(bytePtr, storage:data())
  ffi.copy(to, bytes, count * kind.size)
  if swapped then reverse(to, count, kind.size) end
  if kind.name == 'Bool' then
    for i = 0, count - 1 do to[i] = to[i] ~= 0 and 1 or 0 end
  end
  return storage
end

--- Returns a storage over elements in a ByteStorage, which must contain them all; a copy if they are misaligned, of the other byte order,
-- booleans, which may be others than 0 and 1, or of a type that no tensor has.
-- @tparam torch.ByteStorage block
-- @int first position of the first byte, counted from 0
-- @tparam table type from `raw.types`
-- @int count elements
-- @tparam[opt=first+1] int at position in the file, for messages
-- @tparam[opt=false] boolean swapped whether the elements have the other byte order
function raw.storage(block, first, type, count, at, swapped)
  local kind = type.kind
  local bytes = ffi.cast(bytePtr, block:data()) + first
  swapped = swapped and type.size > 1
  local isOther = type.elements or type.mantissa
  if isOther and not swapped then return convert(bytes, type, count, at or first + 1) end
  if isOther then
    local native = torch.ByteStorage(count * type.size)
    ffi.copy(native:data(), bytes, count * type.size)
    reverse(ffi.cast(bytePtr, native:data()), count, type.size)
    return convert(ffi.cast(bytePtr, native:data()), type, count, at or first + 1)
  end
  local askew = tonumber(ffi.cast('uintptr_t', bytes) % kind.size) ~= 0
  if kind.name == 'Bool' or askew or swapped then return copied(bytes, kind, count, swapped) end
  return C.viewStorage(block, dtypeIndex[kind.name], first, count)
end

return raw
