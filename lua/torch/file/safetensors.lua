--- Safetensors files: named tensors and a few strings, in a layout that can be used in place, without copying.
-- Format: https://github.com/huggingface/safetensors, "Format": 8 bytes length, a JSON header, then the elements.
-- @module torch.file.safetensors
local ffi = require 'ffi'
local C = require 'libmoontorch'
local torch = require 'torch'
local class = require 'torch.class'
local damage = require 'torch.file.damage'
local json = require 'torch.file.json'
local kinds = require 'torch.file.kinds'
local outside = require 'torch.file.outside'
local atomic = require 'torch.file.atomic'

local safetensors = {}

local longestHeader, alignment, longestShape = 100000000, 8, 32
local kindOf = {
  BOOL = 'Bool', U8 = 'Byte', I8 = 'Char', I16 = 'Short', I32 = 'Int', I64 = 'Long', F16 = 'Half', BF16 = 'BFloat16', F32 = 'Float',
  F64 = 'Double',
}
local dtypeNames, dtypeIndex = {}, {}
for name, kind in pairs(kindOf) do dtypeNames[kind] = name end
-- Types that no tensor has: they are copied to the smallest type that represents every value.
local widened = {
  U16 = { kind = 'Int', size = 2, elements = ffi.typeof 'const uint16_t *' },
  U32 = { kind = 'Long', size = 4, elements = ffi.typeof 'const uint32_t *' },
  U64 = { kind = 'Long', size = 8, elements = ffi.typeof 'const uint64_t *' },
  F8_E5M2 = { kind = 'Half', size = 1, mantissa = 2 }, F8_E4M3 = { kind = 'Half', size = 1, mantissa = 3 },
}
for name, wide in pairs(widened) do kindOf[name] = wide.kind end
local largestLong = 9223372036854775807ULL
for i, info in ipairs(C.dtypes) do dtypeIndex[info.torch] = i - 1 end

local function isCount(x) return type(x) == 'number' and x >= 0 and x <= 2 ^ 53 and x % 1 == 0 end

-- Reads one entry of a header, checked against the available bytes.
local function readEntry(name, entry, bytes)
  local function expect(good, expected, found)
    if not good then damage.raise(9, ('%s of "%s"'):format(expected, name), found) end
  end
  expect(type(entry) == 'table', 'dtype, shape and data_offsets', json.shown(entry))
  local kind = kinds[kindOf[entry.dtype]]
  local wide = widened[entry.dtype]
  local size = kind and (wide or kind).size
  expect(kind, 'BOOL, I8 to I64, U8 to U64, F8_E4M3, F8_E5M2, F16, BF16, F32 or F64 as dtype', json.shown(entry.dtype))
  local shape, offsets = entry.shape, entry.data_offsets
  expect(type(shape) == 'table' and #shape <= longestShape, ('a shape of at most %d sizes'):format(longestShape), json.shown(shape))
  local count = 1
  for _, n in ipairs(shape) do
    expect(isCount(n), 'sizes from 0 to 2^53', json.shown(n))
    count = count * n
  end
  expect(type(offsets) == 'table' and isCount(offsets[1]) and isCount(offsets[2]), 'two data_offsets', json.shown(offsets))
  local first, stop = offsets[1], offsets[2]
  expect(first <= stop and stop <= bytes, ('data_offsets from 0 to %.0f'):format(bytes), ('%.0f to %.0f'):format(first, stop))
  expect(stop - first == count * size, ('%.0f bytes'):format(count * size), ('%.0f'):format(stop - first))
  return { name = name, kind = kind, wide = wide, shape = shape, count = count, first = first, stop = stop }
end

-- Checks that elements follow each other without gaps, so that no byte belongs to two tensors.
local function checkOrder(entries, bytes)
  table.sort(entries, function(a, b) return a.first < b.first or a.first == b.first and a.stop < b.stop end)
  local at = 0
  for _, entry in ipairs(entries) do
    if entry.first ~= at then
      damage.raise(9, ('"%s" from offset %.0f, where the tensor before it ends'):format(entry.name, at), ('%.0f'):format(entry.first))
    end
    at = entry.stop
  end
  if at ~= bytes then damage.raise(9, ('tensors of %.0f bytes in all'):format(bytes), ('%.0f'):format(at)) end
end

local function readHeader(channel)
  local size = channel:size()
  local length = outside.integer(outside.text(channel, 8, 'a length'), 1, 8)
  if length > longestHeader or length > size - 8 then
    damage.raise(1, ('a header of at most %.0f bytes'):format(math.min(longestHeader, size - 8)), ('%.0f'):format(length))
  end
  local header = json.decode(outside.text(channel, length, 'a header'), 8)
  if type(header) ~= 'table' then damage.raise(9, 'an object', type(header)) end
  local metadata = header.__metadata__ or {}
  if type(metadata) ~= 'table' then damage.raise(9, 'an object as __metadata__', json.shown(metadata)) end
  for key, value in pairs(metadata) do
    if type(key) ~= 'string' or type(value) ~= 'string' then damage.raise(9, 'strings in __metadata__', json.shown(value)) end
  end
  header.__metadata__ = nil
  return header, metadata, 8 + length, size - 8 - length
end

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

-- Converts elements of a type that tensors lack to another type that can hold them. `place` is their start in the file.
local function convert(bytes, entry, place)
  local wide, storage = entry.wide, torch[entry.kind.name .. 'Storage'](entry.count)
  if wide.mantissa then
    local table_ = float16Of(wide.mantissa)
    local from, to = ffi.cast('const uint16_t *', table_:data()), ffi.cast('uint16_t *', storage:data())
    for i = 0, entry.count - 1 do to[i] = from[bytes[i]] end
    return storage
  end
  local from, to = ffi.cast(wide.elements, bytes), storage:data()
  for i = 0, entry.count - 1 do
    if wide.size == 8 and from[i] > largestLong then
      damage.raise(place + 8 * i + 1, 'an integer below 2^63', (tostring(from[i]):gsub('ULL', '')))
    end
    to[i] = from[i]
  end
  return storage
end

-- Returns a tensor over the mapped file; a copy if its elements are misaligned, or are booleans other than 0 and 1.
local function tensorOver(mapped, first, entry)
  local kind = entry.kind
  local bytes = ffi.cast('uint8_t *', mapped:data()) + first
  local storage
  local askew = tonumber(ffi.cast('uintptr_t', bytes) % kind.size) ~= 0
  if entry.wide then
    storage = convert(bytes, entry, first)
  elseif kind.name == 'Bool' or askew then
    storage = torch[kind.name .. 'Storage'](entry.count)
    local to = ffi.cast('uint8_t *', storage:data())
    ffi.copy(to, bytes, entry.count * kind.size)
    if kind.name == 'Bool' then
      for i = 0, entry.count - 1 do to[i] = to[i] ~= 0 and 1 or 0 end
    end
  else
    storage = C.viewStorage(mapped, dtypeIndex[kind.name], first, entry.count)
  end
  local sizes = #entry.shape == 0 and { 1 } or entry.shape
  return torch[kind.name .. 'Tensor'](storage, 1, torch.LongStorage(sizes))
end

--- Reads a safetensors file. The file is mapped, not read: a tensor's elements are loaded from the disk at their first use, and programs
-- that load the same file share its memory. Writing to a tensor changes its memory, never the file. While tensors are in use, the file may
-- be replaced (as `save` does), but must not be shortened in place.
-- @string name file
-- @treturn table tensors by name; a shape without sizes becomes size 1
-- @treturn table metadata: strings by name
-- @raise if the file is damaged: `torch.safetensors.load: <name>: at byte N: expected ..., read ...`
-- @usage local tensors, metadata = torch.safetensors.load('model.safetensors')
function safetensors.load(name)
  return outside.map('torch.safetensors.load', name, function(channel, mapped)
    local header, metadata, first, bytes = readHeader(channel)
    local entries, tensors = {}, {}
    for key, entry in pairs(header) do entries[#entries + 1] = readEntry(key, entry, bytes) end
    checkOrder(entries, bytes)
    for _, entry in ipairs(entries) do tensors[entry.name] = tensorOver(mapped, first + entry.first, entry) end
    return tensors, metadata
  end)
end

-- Describes a key or value that should be a string, in a message.
local function shown(value) return type(value) == 'number' and tostring(value) or class.type(value) end

-- Sorts large elements first, so that all are aligned; then by name, so that equal tensors make equal files.
local function sorted(tensors)
  local list = {}
  for key, x in pairs(tensors) do
    if type(key) ~= 'string' or key == '__metadata__' then
      local actual = key == '__metadata__' and 'the name __metadata__' or shown(key)
      error(('torch.safetensors.save: name: %s, expected a string'):format(actual), 3)
    end
    local kind = torch.isTensor(x) and kinds[C.dtypeOf(x)]
    if not kind then error(('torch.safetensors.save: %s: %s, expected a tensor'):format(key, class.type(x)), 3) end
    list[#list + 1] = { name = key, kind = kind, x = C.lend(C.onHost(x):contiguous()) }
  end
  table.sort(list, function(a, b)
    if a.kind.size ~= b.kind.size then return a.kind.size > b.kind.size end
    return a.name < b.name
  end)
  return list
end

local function metadataText(metadata)
  local names, parts = {}, {}
  for key, value in pairs(metadata) do
    if type(key) ~= 'string' or type(value) ~= 'string' then
      local name = type(key) == 'string' and key or shown(key)
      error(('torch.safetensors.save: metadata: %s = %s, expected strings'):format(name, shown(value)), 4)
    end
    names[#names + 1] = key
  end
  table.sort(names)
  for i, key in ipairs(names) do parts[i] = json.quote(key) .. ':' .. json.quote(metadata[key]) end
  return '"__metadata__":{' .. table.concat(parts, ',') .. '}'
end

local function headerOf(list, metadata)
  local parts, at = {}, 0
  if metadata then parts[1] = metadataText(metadata) end
  for _, item in ipairs(list) do
    local stop = at + item.x:nElement() * item.kind.size
    local sizes = item.x:dim() == 0 and '0' or table.concat(item.x:size():totable(), ',')
    parts[#parts + 1] = ('%s:{"dtype":"%s","shape":[%s],"data_offsets":[%.0f,%.0f]}')
      :format(json.quote(item.name), dtypeNames[item.kind.name], sizes, at, stop)
    at = stop
  end
  local text = '{' .. table.concat(parts, ',') .. '}'
  return text .. (' '):rep(-#text % alignment)
end

--- Writes a safetensors file, which is replaced atomically.
-- @string name file
-- @tparam table tensors by name, any type; a tensor with several names is written several times
-- @tparam[opt] table metadata strings by name
function safetensors.save(name, tensors, metadata)
  if type(tensors) ~= 'table' then error(('torch.safetensors.save: tensors: %s, expected a table'):format(class.type(tensors)), 2) end
  if metadata ~= nil and type(metadata) ~= 'table' then
    error(('torch.safetensors.save: metadata: %s, expected a table'):format(class.type(metadata)), 2)
  end
  local list = sorted(tensors)
  local header = headerOf(list, metadata)
  local length = ffi.string(ffi.new('uint64_t[1]', #header), 8)
  atomic.write('torch.safetensors.save', name, function(channel)
    local function put(p, n)
      local _, message = channel:write(p, n)
      if message then error(message, 0) end
    end
    put(length .. header, 8 + #header)
    for _, item in ipairs(list) do
      local bytes = item.x:nElement() * item.kind.size
      if bytes > 0 then put(item.x:data(), bytes) end
    end
  end)
end

return safetensors
