--- Safetensors files: named tensors and a few strings, in a layout that can be used in place, without copying.
-- Format: https://github.com/huggingface/safetensors, "Format": 8 bytes length, a JSON header, then the elements.
-- @module torch.file.safetensors
local ffi = require 'ffi'
local C = require 'libmoontorch'
local torch = require 'torch'
local class = require 'torch.class'
local damage = require 'torch.file.damage'
local index = require 'torch.file.safetensors_index'
local json = require 'torch.file.json'
local kinds = require 'torch.file.kinds'
local outside = require 'torch.file.outside'
local raw = require 'torch.file.raw_elements'
local atomic = require 'torch.file.atomic'

local safetensors = {}

local longestHeader, alignment, longestShape = 100000000, 8, 32
local dtypeNames = {}
local types = {}
for name, type in pairs(raw.types) do
  if name ~= 'C128' then types[name], dtypeNames[type.kind.name] = type, name end      -- the format has no complex numbers of doubles
end

local function isCount(x) return type(x) == 'number' and x >= 0 and x <= 2 ^ 53 and x % 1 == 0 end

-- Reads one entry of a header, checked against the available bytes.
local function readEntry(name, entry, bytes)
  local function expect(good, expected, found)
    if not good then damage.raise(9, ('%s of "%s"'):format(expected, name), found) end
  end
  expect(type(entry) == 'table', 'dtype, shape and data_offsets', json.shown(entry))
  local elements = types[entry.dtype]
  expect(elements, 'BOOL, I8 to I64, U8 to U64, F8_E4M3, F8_E5M2, F16, BF16, F32, F64 or C64 as dtype', json.shown(entry.dtype))
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
  expect(stop - first == count * elements.size, ('%.0f bytes'):format(count * elements.size), ('%.0f'):format(stop - first))
  return { name = name, elements = elements, shape = shape, count = count, first = first, stop = stop }
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

local function tensorOver(mapped, first, entry)
  local storage = raw.storage(mapped, first, entry.elements, entry.count)
  local sizes = #entry.shape == 0 and { 1 } or entry.shape
  return torch[entry.elements.kind.name .. 'Tensor'](storage, 1, torch.LongStorage(sizes))
end

local function readFile(channel, mapped)
  local header, metadata, first, bytes = readHeader(channel)
  local entries, tensors = {}, {}
  for key, entry in pairs(header) do entries[#entries + 1] = readEntry(key, entry, bytes) end
  checkOrder(entries, bytes)
  for _, entry in ipairs(entries) do tensors[entry.name] = tensorOver(mapped, first + entry.first, entry) end
  return tensors, metadata
end

local function loadFile(name) return outside.map('torch.safetensors.load', name, readFile) end

--- Reads a safetensors file, or those that an index names (`model.safetensors.index.json`). Files are mapped, not read: a tensor's elements
-- are loaded from the disk at their first use, and programs that load the same file share its memory. Writing to a tensor changes its
-- memory, never the file. While tensors are in use, the file may be replaced (as `save` does), but must not be shortened in place.
-- @string name file
-- @treturn table tensors by name; a shape without sizes becomes size 1
-- @treturn table metadata: strings by name
-- @raise if the file is damaged: `torch.safetensors.load: <name>: at byte N: expected ..., read ...`
-- @usage local tensors, metadata = torch.safetensors.load('model.safetensors')
function safetensors.load(name)
  return outside.map('torch.safetensors.load', name, function(channel, mapped)
    if not index.isNext(channel) then return readFile(channel, mapped) end
    return index.read(channel, name, loadFile)
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
    if not dtypeNames[kind.name] then
      error(('torch.safetensors.save: %s: %s, expected a type that the format has: complex64, not complex128'):format(key, x:type()), 3)
    end
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
