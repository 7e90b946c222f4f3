--- Columns of data frames from arrays of Arrow.
-- The structures are another library's: what can be checked is checked, but sizes of buffers are not among their fields.
-- @module data.arrow.read
local torch = require 'torch'
local ffi = require 'ffi'
local C = require 'libmoontorch'
local check = require 'torch.check'
local column = require 'data.frame.column'
local structures = require 'data.arrow.structures'

local native = C.arrow
local nan = 0 / 0
local longest, most, widest = 2 ^ 31 - 1, 2 ^ 53, 1e6      -- bytes of a text; elements; columns
local dtypeIndex = {}
for i, info in ipairs(C.dtypes) do dtypeIndex[info.torch] = i - 1 end

-- A column on its way: `where` begins messages; `array`, `schema`; `first` and `count`: the elements in the buffers; `owner`: the userdata
-- that keeps the memory; `state.shared` is set when a tensor uses it.

local function fail(self, words, ...) check.raise(('%s: ' .. words):format(self.where, ...)) end

local function expectBuffers(self, least, exact)
  local count = tonumber(self.array.n_buffers)
  if count < least or exact and count > least or count > most or least > 0 and self.array.buffers == nil then
    fail(self, '%.0f buffers, expected %d%s', count, least, exact and '' or ' or more')
  end
end

-- The address of a buffer; nil is an error if there are elements.
local function buffer(self, i, ctype)
  local pointer = self.array.buffers[i]
  if pointer == nil and self.count > 0 then fail(self, 'buffer %d: NULL, expected an address', i) end
  return ffi.cast(ctype, pointer)
end

local function bitAt(bits, i) return bit.band(bit.rshift(bits[math.floor(i / 8)], i % 8), 1) end

-- A BoolTensor of the bits that are equal to `value`.
local function unpacked(bits, first, count, value)
  local x = torch.BoolTensor():resize(count)
  local p = ffi.cast('uint8_t *', x:data())
  for i = 0, count - 1 do p[i] = bitAt(bits, first + i) == value and 1 or 0 end
  return x
end

-- The mask of missing values, or nil.
local function maskOf(self)
  local nulls = tonumber(self.array.null_count)
  if nulls == 0 or tonumber(self.array.n_buffers) == 0 or self.count == 0 then return nil end
  local bits = ffi.cast('const uint8_t *', self.array.buffers[0])
  if bits == nil then
    if nulls > 0 then fail(self, 'buffer 0: NULL, expected the bits of %.0f missing values', nulls) end
    return nil
  end
  return unpacked(bits, self.first, self.count, 0)
end

-- A vector of elements of a kind: over the memory, or a copy of elements that are misaligned.
local function vector(self, kind, i)
  local class, count = torch[kind .. 'Tensor'], self.count
  if count == 0 then return class():resize(0) end
  local size = C.dtypes[dtypeIndex[kind] + 1].size
  local address = structures.address(buffer(self, i, 'const char *')) + self.first * size
  if address < 65536 then fail(self, 'buffer %d: it does not point to elements', i) end
  if address % size ~= 0 then
    local copy = class():resize(count)
    ffi.copy(copy:data(), ffi.cast('const char *', address), count * size)
    return copy
  end
  self.state.shared = true
  return class(native.storage(self.owner, dtypeIndex[kind], count, address))
end

local wider = { UInt16 = 'int', UInt32 = 'long' }

-- Numbers; those of types that only store become the next ones with arithmetic.
local function numbers(self, kind)
  expectBuffers(self, 2, true)
  local values = vector(self, kind, 1)
  if wider[kind] then
    values = values[wider[kind]](values)
  elseif kind == 'UInt64' then
    local whole = values:long()
    values = self.count > 0 and whole:min() < 0 and values:double() or whole
  end
  return { type = values:type(), values = values }
end

local function scaled(kind, divisor, type, factor)
  return function(self)
    local values = numbers(self, kind).values:double()
    if self.count > 0 then values = (factor and values * factor or values) / divisor end
    return { type = type or 'torch.DoubleTensor', values = values }
  end
end

local function booleans(self)
  expectBuffers(self, 2, true)
  local bits = self.count > 0 and buffer(self, 1, 'const uint8_t *')
  return { type = 'torch.BoolTensor', values = unpacked(bits, self.first, self.count, 1) }
end

local function isMissing(mask, i) return mask and mask[i] ~= 0 end

local function texts(offsetType)
  return function(self, mask)
    expectBuffers(self, 3, true)
    local list, m = {}, mask and ffi.cast('uint8_t *', mask:data())
    local offsets = self.count > 0 and buffer(self, 1, offsetType)
    local bytes = ffi.cast('const char *', self.array.buffers[2])
    for i = 0, self.count - 1 do
      local start, stop = tonumber(offsets[self.first + i]), tonumber(offsets[self.first + i + 1])
      if start < 0 or stop < start or stop - start > longest then
        fail(self, 'offsets %.0f and %.0f of the text at %d, expected growing ones', start, stop, i + 1)
      end
      if bytes == nil and stop > start then fail(self, 'buffer 2: NULL, expected an address') end
      list[i + 1] = isMissing(m, i) and '' or stop > start and ffi.string(bytes + start, stop - start) or ''
    end
    return { type = 'text', values = list }
  end
end

local inside = 12      -- bytes of a text that are in its view

local function views(self, mask)
  expectBuffers(self, 3)
  local list, m = {}, mask and ffi.cast('uint8_t *', mask:data())
  local view = self.count > 0 and buffer(self, 1, 'const int32_t *')
  local count = tonumber(self.array.n_buffers) - 3
  for i = 0, self.count - 1 do
    local at = view + 4 * (self.first + i)
    local length, which, start = at[0], at[2], at[3]
    if isMissing(m, i) then
      list[i + 1] = ''
    elseif length >= 0 and length <= inside then
      list[i + 1] = ffi.string(ffi.cast('const char *', at + 1), length)
    else
      if length < 0 or which < 0 or which >= count or start < 0 then
        fail(self, 'the view of the text at %d: %d bytes at %d of buffer %d of %d', i + 1, length, start, which, count)
      end
      list[i + 1] = ffi.string(buffer(self, 2 + which, 'const char *') + start, length)
    end
  end
  return { type = 'text', values = list }
end

local function nulls(self)
  return { type = 'torch.DoubleTensor', values = torch.DoubleTensor():resize(self.count):fill(nan) }
end

local day = 86400

-- Functions by format; they return a record whose missing values may be anything.
local readers = {
  b = booleans, u = texts 'const int32_t *', U = texts 'const int64_t *', vu = views, n = nulls,
  tdD = scaled('Int', 1, 'date', day), tdm = scaled('Long', 1e3, 'date'),
}
readers.z, readers.Z, readers.vz = readers.u, readers.U, readers.vu
for kind in pairs(structures.formatOf) do
  readers[structures.formatOf[kind]] = function(self) return numbers(self, kind) end
end
for letter, divisor in pairs { s = 1, m = 1e3, u = 1e6, n = 1e9 } do
  readers['ts' .. letter] = scaled('Long', divisor, 'date')
  readers['tD' .. letter] = scaled('Long', divisor)
  readers['tt' .. letter] = scaled((letter == 's' or letter == 'm') and 'Int' or 'Long', divisor)
end

-- The places of texts in a list without repetitions, which a second list is, and with 0 for those that are missing.
local function categoriesOf(dictionary)
  local names, placeOf, places = {}, {}, torch.LongTensor(math.max(column.count(dictionary), 1)):zero()
  for i = 1, column.count(dictionary) do
    local text = column.value(dictionary, i)
    if text ~= nil then
      if not placeOf[text] then
        names[#names + 1] = text
        placeOf[text] = #names
      end
      places[i] = placeOf[text]
    end
  end
  return names, places
end

local integers = { c = true, C = true, s = true, S = true, i = true, I = true, l = true, L = true }

local read

-- A column of places in a dictionary: a category of texts, or other values.
local function encoded(self, format, mask)
  if not integers[format] then fail(self, "places of the type %s in a dictionary, expected integers", format) end
  if self.array.dictionary == nil then fail(self, 'dictionary: NULL in the array, expected one, as in the schema') end
  local places = numbers(self, structures.kindOf[format]).values:long():clone()
  if mask then places:maskedFill(mask, 0) end
  local dictionary = read(self, self.where .. ': dictionary', self.schema.dictionary, self.array.dictionary, 0, nil)
  local count = column.count(dictionary)
  if self.count > 0 then
    local low, high = places:min(), places:max()
    local allMissing = mask and mask:byte():min() ~= 0
    if not allMissing and (low < 0 or high >= count) then
      fail(self, 'places %.0f to %.0f in a dictionary, expected 0 to %.0f', low, high, count - 1)
    end
  end
  places:add(1)
  if mask then places:maskedFill(mask, 0) end
  if dictionary.type ~= 'text' then return column.take(dictionary, places:int():contiguous(), true) end
  local names, placeOf = categoriesOf(dictionary)
  local gaps = places:eq(0):type 'torch.BoolTensor'
  local values = self.count > 0 and placeOf:index(1, places:clamp(1, math.huge)):maskedFill(gaps, 0) or torch.LongTensor():resize(0)
  local isOrdered = bit.band(tonumber(self.schema.flags % 2), structures.ordered) ~= 0
  return { type = 'category', values = values, categories = names, ordered = isOrdered or nil }
end

-- Reads one array. offset: elements of the parent in front; count: of the parent, nil for all of the array's; absent: the parent's mask
function read(parent, where, schema, array, offset, count, absent)
  local self = { where = where, schema = schema, array = array, owner = parent.owner, state = parent.state }
  local length, own, gaps = tonumber(array.length), tonumber(array.offset), tonumber(array.null_count)
  if length < 0 or own < 0 or length + own > most or gaps < -1 or gaps > length then
    fail(self, 'length %.0f, offset %.0f and %.0f missing values, expected numbers that fit', length, own, gaps)
  end
  count = count or length
  if length < offset + count then fail(self, '%.0f elements, expected %.0f', length, offset + count) end
  self.first, self.count = own + offset, count
  if schema.format == nil then fail(self, 'format: NULL, expected text') end
  local format = ffi.string(schema.format)
  local reader = readers[format] or readers[format:match '^(ts[smun]):' or '']
  if not reader then
    fail(self, "the type %s of Arrow, expected numbers, booleans, texts, dictionaries of these, dates or times", format)
  end
  if tonumber(array.n_buffers) > 0 and array.buffers == nil then fail(self, 'buffers: NULL, expected an address') end
  local mask = maskOf(self)
  if absent then mask = mask and (mask:byte() + absent:byte()):ne(0):type 'torch.BoolTensor' or absent end
  local record
  if schema.dictionary ~= nil then
    if parent.schema and parent.schema.dictionary ~= nil then fail(self, 'a dictionary in a dictionary, expected values') end
    record = encoded(self, format, mask)
  else
    record = reader(self, mask)
  end
  return mask and column.masked(record, mask) or record
end

local function nameOf(where, schema, i)
  if schema == nil then check.raise(('%s: children[%d]: NULL, expected an address'):format(where, i)) end
  return schema.name ~= nil and ffi.string(schema.name) or ''
end

-- An array without elements.
local function emptyArray(schema, kept)
  local array = ffi.new 'mt_ArrowArray'
  local format = schema.format ~= nil and ffi.string(schema.format) or ''
  array.n_buffers = format == 'n' and 0 or format == '+s' and 1 or readers[format] and format:find '^v?[uUzZ]$' and 3 or 2
  kept[#kept + 1] = array
  local buffers = ffi.new 'const void *[3]'
  kept[#kept + 1], array.buffers = buffers, buffers
  if schema.dictionary ~= nil then array.dictionary = emptyArray(schema.dictionary, kept) end
  return array
end

-- The children of an array of structs without elements.
local function emptyStruct(schema, kept)
  local array, columns = emptyArray(schema, kept), tonumber(schema.n_children)
  if columns < 1 or columns > widest or schema.children == nil then return array end
  array.n_children = columns
  array.children = ffi.new('mt_ArrowArray *[?]', columns)
  kept[#kept + 1] = array.children
  for i = 0, columns - 1 do
    if schema.children[i] ~= nil then array.children[i] = emptyArray(schema.children[i], kept) end
  end
  return array
end

--- Reads a record batch: an array of structs, or an array of another type as a single column.
-- @string where the start of messages
-- @tparam cdata schema
-- @tparam ?cdata array nil for one without elements
-- @param owner the userdata that keeps the array's memory
-- @treturn {string,...} names
-- @treturn {table,...} records of columns, as in `data.frame.column`
-- @treturn int number of rows
-- @treturn bool whether a column uses the array's memory
return function(where, schema, array, owner)
  local kept = {}
  array = array or emptyStruct(schema, kept)
  local parent = { where = where, owner = owner, state = {}, kept = kept, array = array }
  local format = schema.format ~= nil and ffi.string(schema.format) or ''
  if format ~= '+s' then
    local name = nameOf(where, schema, 1)
    local record = read(parent, where, schema, array, 0)
    return { name ~= '' and name or 'values' }, { record }, column.count(record), parent.state.shared
  end
  local length, offset, gaps = tonumber(array.length), tonumber(array.offset), tonumber(array.null_count)
  if length < 0 or offset < 0 or length + offset > most or gaps < -1 or gaps > length then
    fail(parent, 'length %.0f, offset %.0f and %.0f missing values, expected numbers that fit', length, offset, gaps)
  end
  local columns = tonumber(schema.n_children)
  if columns < 0 or columns > widest or columns ~= tonumber(array.n_children) then
    fail(parent, '%.0f children in the schema and %.0f in the array, expected as many', columns, tonumber(array.n_children))
  end
  if columns > 0 and (schema.children == nil or array.children == nil) then fail(parent, 'children: NULL, expected an address') end
  parent.first, parent.count = offset, length
  if tonumber(array.n_buffers) > 0 and array.buffers == nil then fail(parent, 'buffers: NULL, expected an address') end
  local mask = maskOf(parent)
  local names, records, seen = {}, {}, {}
  for i = 1, columns do
    local name = nameOf(where, schema.children[i - 1], i)
    if seen[name] then fail(parent, 'children[%d]: %q, which two columns would have', i, name) end
    if array.children[i - 1] == nil then fail(parent, 'children[%d]: NULL, expected an address', i) end
    seen[name], names[i] = true, name
    records[i] = read(parent, where .. ': ' .. name, schema.children[i - 1], array.children[i - 1], offset, length, mask)
  end
  return names, records, length, parent.state.shared
end
