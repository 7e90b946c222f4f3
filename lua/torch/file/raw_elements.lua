--- Storages over bytes of a file, for formats that keep elements as in memory.
-- @module torch.file.raw_elements
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'libmoontorch'
local kinds = require 'torch.file.kinds'
local reverse = require('torch.file.binary').reverse

local bytePtr = ffi.typeof 'uint8_t *'
local dtypeIndex = {}
for i, info in ipairs(C.dtypes) do dtypeIndex[info.torch] = i - 1 end

-- The kinds of elements that every library has, and those that a minimal one lacks, by their names in safetensors files.
local named = {
  BOOL = 'Bool', U8 = 'Byte', I8 = 'Char', I16 = 'Short', I32 = 'Int', I64 = 'Long', F16 = 'Half', BF16 = 'BFloat16', F32 = 'Float',
  F64 = 'Double', U16 = 'UInt16', U32 = 'UInt32', U64 = 'UInt64',
  C64 = 'ComplexFloat', C128 = 'ComplexDouble', F8_E4M3 = 'Float8E4m3', F8_E5M2 = 'Float8E5m2',
}

-- types: the element types by these names; kind: of the tensor; size: bytes of an element.
local raw = { types = {} }
for name, kind in pairs(named) do
  if kinds[kind] then raw.types[name] = { kind = kinds[kind], size = kinds[kind].size } end
end

local function copied(bytes, kind, count, swapped)
  local storage = torch[kind.name .. 'Storage'](count)
  local to = ffi.cast(bytePtr, storage:data())
  ffi.copy(to, bytes, count * kind.size)
  if swapped then reverse(to, count * kind.parts, kind.size / kind.parts) end
  if kind.name == 'Bool' then
    for i = 0, count - 1 do to[i] = to[i] ~= 0 and 1 or 0 end
  end
  return storage
end

--- Returns a storage over elements in a ByteStorage, which must contain them all; a copy if they are misaligned, of the other byte order,
-- or booleans, which may be others than 0 and 1.
-- @tparam torch.ByteStorage block
-- @int first position of the first byte, counted from 0
-- @tparam table type from `raw.types`
-- @int count elements
-- @tparam[opt=false] boolean swapped whether the elements have the other byte order
function raw.storage(block, first, type, count, swapped)
  local kind = type.kind
  local bytes = ffi.cast(bytePtr, block:data()) + first
  swapped = swapped and type.size > 1
  local askew = tonumber(ffi.cast('uintptr_t', bytes) % kind.size) ~= 0
  if kind.name == 'Bool' or askew or swapped then return copied(bytes, kind, count, swapped) end
  return C.viewStorage(block, dtypeIndex[kind.name], first, count)
end

return raw
