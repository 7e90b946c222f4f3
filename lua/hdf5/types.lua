--- Types of elements: a file's type for a tensor's elements, and the type in memory for a file's type.
-- @module hdf5.types
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'libmoontorch'
local kinds = require 'torch.file.kinds'
local library = require 'hdf5.library'

local types = {}

-- HDF5's classes of types, by number.
local INTEGER, FLOAT, TIME, STRING, BITFIELD, OPAQUE, COMPOUND, REFERENCE, ENUM, VLEN, ARRAY, COMPLEX = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
local classNames = {
  [0] = 'INTEGER', 'FLOAT', 'TIME', 'STRING', 'BITFIELD', 'OPAQUE', 'COMPOUND', 'REFERENCE', 'ENUM', 'VLEN', 'ARRAY', 'COMPLEX',
}
local deepest, bigEndian = 16, 1

local function global(name) return library.open()['H5T_' .. name .. '_g'] end

-- Returns a function for a type of small floats: a 32-bit float with smaller fields.
local function smallFloat(exponent, mantissa, bias)
  return function()
    local H, made = library.open(), library.own(library.call('hdf5', 'Tcopy', global 'IEEE_F32LE'))
    H.H5Tset_fields(made.id, exponent + mantissa, mantissa, exponent, 0, mantissa)
    H.H5Tset_size(made.id, (1 + exponent + mantissa) / 8)
    H.H5Tset_ebias(made.id, bias)
    return made
  end
end

-- IEEE 754's binary16, and HDF5 2's H5T_FLOAT_F8E4M3 and H5T_FLOAT_F8E5M2.
local half, e4m3, e5m2 = smallFloat(5, 10, 15), smallFloat(4, 3, 7), smallFloat(5, 2, 15)

-- h5py's boolean: an enumeration of one byte.
local function boolean()
  local H, made = library.open(), library.own(library.call('hdf5', 'Tenum_create', global 'STD_I8LE'))
  local value = ffi.new('int8_t[1]', 0)
  H.H5Tenum_insert(made.id, 'FALSE', value)
  value[0] = 1
  H.H5Tenum_insert(made.id, 'TRUE', value)
  return made
end

-- Returns a function for h5py's type of complex numbers, from the name of the type of their parts.
local function complex(part)
  return function() return types.complex({ id = global(part) }, 'r', 'i') end
end

-- Kind of elements -> the type in a file and the type in memory: a name of the library's types, or a function that creates one.
local written = {
  Byte = { 'STD_U8LE', 'NATIVE_UINT8' }, Char = { 'STD_I8LE', 'NATIVE_INT8' }, Short = { 'STD_I16LE', 'NATIVE_INT16' },
  Int = { 'STD_I32LE', 'NATIVE_INT32' }, Long = { 'STD_I64LE', 'NATIVE_INT64' }, Float = { 'IEEE_F32LE', 'NATIVE_FLOAT' },
  Double = { 'IEEE_F64LE', 'NATIVE_DOUBLE' }, Half = { half, half }, Bool = { boolean, boolean },
  UInt16 = { 'STD_U16LE', 'NATIVE_UINT16' }, UInt32 = { 'STD_U32LE', 'NATIVE_UINT32' }, UInt64 = { 'STD_U64LE', 'NATIVE_UINT64' },
  Float8E4m3 = { e4m3, e4m3 }, Float8E5m2 = { e5m2, e5m2 },
  ComplexFloat = { complex 'IEEE_F32LE', complex 'NATIVE_FLOAT' }, ComplexDouble = { complex 'IEEE_F64LE', complex 'NATIVE_DOUBLE' },
}

local function resolve(named)
  return type(named) == 'function' and named() or { id = global(named) }
end

--- The types for writing a tensor's elements.
-- @string kind of elements, such as 'Float'
-- @treturn ?table the type in the file, field `id`; nil if files have no such type
-- @treturn ?table the type in memory
function types.of(kind)
  local pair = written[kind]
  if pair then return resolve(pair[1]), resolve(pair[2]) end
end

--- The type of variable-length strings in UTF-8.
-- @treturn cdata handle
function types.text()
  local H, made = library.open(), library.own(library.call('hdf5', 'Tcopy', global 'C_S1'))
  H.H5Tset_size(made.id, ffi.cast('size_t', -1LL))
  H.H5Tset_cset(made.id, 1)
  return made
end

--- The type of records.
-- @tparam {table,...} members `name`, `offset` in bytes, and `type`, whose field `id` is the member's type
-- @int size of a record in bytes
-- @treturn cdata handle
function types.record(members, size)
  local made = library.own(library.call('hdf5', 'Tcreate', COMPOUND, size))
  for _, member in ipairs(members) do
    library.call(('hdf5: member %s'):format(member.name), 'Tinsert', made.id, member.name, member.offset, member.type.id)
  end
  return made
end

--- The type of complex numbers: records of two parts.
-- @tparam table part type of the parts, field `id`
-- @string first name of the real part: 'r', as h5py writes, or 'real', as MATLAB does
-- @string second name of the imaginary part
-- @treturn cdata handle
function types.complex(part, first, second)
  local size = types.size(part)
  return types.record({ { name = first, offset = 0, type = part }, { name = second, offset = size, type = part } }, 2 * size)
end

--- The bytes of an element.
-- @tparam table type field `id`
-- @treturn int
function types.size(type) return tonumber(library.open().H5Tget_size(type.id)) end

--- The type of variable-length lists.
-- @tparam table element type of the elements, field `id`
-- @treturn cdata handle
function types.list(element) return library.own(library.call('hdf5', 'Tvlen_create', element.id)) end

local integers = { [1] = 'Byte', [2] = 'Short', [4] = 'Int', [8] = 'Long' }
local unsignedKinds = { [2] = 'UInt16', [4] = 'UInt32', [8] = 'UInt64' }
local wider = { [2] = { 'Int', 'NATIVE_INT32' }, [4] = { 'Long', 'NATIVE_INT64' }, [8] = { 'Double', 'NATIVE_DOUBLE' } }

-- The smallest size of Moontorch's integers with at least the given bytes.
local function integerSize(size)
  for _, each in ipairs { 1, 2, 4, 8 } do
    if size <= each then return each end
  end
  error(('Cannot support reading integer data with size = %d bytes'):format(size), 0)
end

-- The kind and type in memory of integers: the bits of unsigned ones are stored in a signed tensor, as torch-hdf5 does, unless widened
-- (true) or 'exact'.
local function ofInteger(H, type, widen)
  local size = integerSize(tonumber(H.H5Tget_size(type)))
  local unsigned = H.H5Tget_sign(type) == 0
  if widen then
    if unsigned and widen == 'exact' and kinds[unsignedKinds[size]] then return unsignedKinds[size], ('NATIVE_UINT%d'):format(8 * size) end
    if unsigned and wider[size] then return wider[size][1], wider[size][2] end
    if not unsigned and size == 1 then return 'Char', 'NATIVE_INT8' end
  end
  return integers[size], ('NATIVE_%s%d'):format(unsigned and 'UINT' or 'INT', 8 * size)
end

-- The library converts floats of other formats (bfloat16, long doubles): to float if it can represent them, otherwise to double.
local function ofFloat(H, type)
  local size = tonumber(H.H5Tget_size(type))
  local bias = H.H5Tget_ebias(type)
  if size == 2 and bias == 15 then return 'Half', half end
  if size == 1 and bias == 7 and kinds.Float8E4m3 then return 'Float8E4m3', e4m3 end
  if size == 1 and bias == 15 and kinds.Float8E5m2 then return 'Float8E5m2', e5m2 end
  if size <= 4 then return 'Float', 'NATIVE_FLOAT' end
  return 'Double', 'NATIVE_DOUBLE'
end

local function memberName(H, type, n)
  local text = H.H5Tget_member_name(type, n)
  if text == nil then return nil end
  local name = ffi.string(text)
  H.H5free_memory(text)
  return name
end

local function isBoolean(H, type)
  if H.H5Tget_size(type) ~= 1 or H.H5Tget_nmembers(type) ~= 2 then return false end
  return memberName(H, type, 0) == 'FALSE' and memberName(H, type, 1) == 'TRUE'
end

local function native(type) return library.own(library.call('hdf5', 'Tget_native_type', type, 0)) end

local function copyOf(type) return library.own(library.call('hdf5', 'Tcopy', type)) end

local function super(type) return library.own(library.call('hdf5', 'Tget_super', type)) end

local function numbers(kind, memory, extra)
  memory = resolve(memory)
  return { kind = kind, memory = memory, extra = extra or {} }
end

-- Complex numbers: from h5py and MATLAB (members r and i, or real and imag), or from HDF5 2's complex class.
local function complexNumbers(size, first, second)
  local isSmall = size <= 8
  local part = { id = global(isSmall and 'NATIVE_FLOAT' or 'NATIVE_DOUBLE') }
  return numbers(isSmall and 'ComplexFloat' or 'ComplexDouble', function() return types.complex(part, first, second) end)
end

local function ofComplex(H, type)
  if H.H5Tget_nmembers(type) ~= 2 then return nil end
  local first, second = memberName(H, type, 0), memberName(H, type, 1)
  if not (first == 'r' and second == 'i' or first == 'real' and second == 'imag') then return nil end
  for n = 0, 1 do
    local member = library.own(library.call('hdf5', 'Tget_member_type', type, n))
    if H.H5Tget_class(member.id) ~= FLOAT then return nil end
  end
  return complexNumbers(tonumber(H.H5Tget_size(type)), first, second)
end

local reading

local function ofRecord(H, type, widen, depth)
  local members, size, hasPointers = {}, 0, false
  for n = 0, H.H5Tget_nmembers(type) - 1 do
    local inFile = library.own(library.call('hdf5', 'Tget_member_type', type, n))
    local node = reading(inFile.id, widen, depth + 1)
    members[#members + 1] = { name = memberName(H, type, n), offset = size, node = node, type = node.memory }
    size = size + tonumber(H.H5Tget_size(node.memory.id))
    hasPointers = hasPointers or node.hasPointers
  end
  return { members = members, memory = types.record(members, size), hasPointers = hasPointers }
end

local function ofArray(_, type, widen, depth)
  local rank = library.call('hdf5', 'Tget_array_ndims', type)
  local array, sizes, count = ffi.new('uint64_t[?]', math.max(rank, 1)), {}, 1
  library.call('hdf5', 'Tget_array_dims2', type, array)
  for i = 1, rank do
    sizes[i] = tonumber(array[i - 1])
    count = count * sizes[i]
  end
  local base = reading(super(type).id, widen, depth + 1)
  local memory = library.own(library.call('hdf5', 'Tarray_create2', base.memory.id, rank, array))
  if not base.kind then return { element = base, sizes = sizes, count = count, memory = memory, hasPointers = base.hasPointers } end
  for _, size in ipairs(base.extra) do sizes[#sizes + 1] = size end
  return { kind = base.kind, memory = memory, extra = sizes, finish = base.finish }
end

-- PyTables' times: seconds since 1970 in 4 bytes; or in 8, seconds in the upper half and microseconds in the lower one. The library
-- doesn't convert them.
local function ofTime(H, type)
  local size, turn = tonumber(H.H5Tget_size(type)), H.H5Tget_order(type) == bigEndian
  if size ~= 4 and size ~= 8 then error(('Cannot support reading time data with size = %d bytes'):format(size), 0) end
  local function finish(x)
    local y = size == 4 and x or torch.DoubleTensor():resize(x:size())
    local from, to, count = C.lend(x), C.lend(y), x:nElement()
    local p, q = from:data(), to:data()
    for i = 0, count - 1 do
      local value = p[i]
      if turn then value = bit.bswap(value) end
      if size == 8 then value = tonumber(bit.arshift(value, 32)) + tonumber(bit.band(value, 0xffffffffLL)) * 1e-6 end
      q[i] = value
    end
    return y
  end
  return { kind = size == 4 and 'Int' or 'Long', memory = copyOf(type), extra = {}, finish = finish }
end

local unsupportedReference = 'Reading data of class REFERENCE(7) is unsupported where references are those of HDF5 1.12'

-- Class -> function that returns the description for reading its elements.
local readers = {
  [INTEGER] = function(H, type, widen) return numbers(ofInteger(H, type, widen)) end,
  [FLOAT] = function(H, type) return numbers(ofFloat(H, type)) end,
  [TIME] = ofTime,
  [STRING] = function(H, type)
    local isVariable = H.H5Tis_variable_str(type) > 0
    return { isText = true, isVariable = isVariable, padding = H.H5Tget_strpad(type), memory = copyOf(type), hasPointers = isVariable }
  end,
  [BITFIELD] = function(H, type)
    return numbers(integers[integerSize(tonumber(H.H5Tget_size(type)))], function() return native(type) end)
  end,
  [OPAQUE] = function(_, type) return { isOpaque = true, memory = copyOf(type) } end,
  [REFERENCE] = function(H, type)
    local size = tonumber(H.H5Tget_size(type))
    if size ~= 8 and size ~= 12 then error(unsupportedReference, 0) end
    return { isReference = true, isRegion = size == 12, memory = copyOf(type) }
  end,
  [ENUM] = function(H, type)
    if isBoolean(H, type) then return numbers('Bool', boolean) end
    local base = super(type)
    local size, signed = integerSize(tonumber(H.H5Tget_size(base.id))), H.H5Tget_sign(base.id) ~= 0
    return numbers(size == 1 and signed and 'Char' or integers[size], function() return native(type) end)
  end,
  [COMPOUND] = function(H, type, widen, depth) return ofComplex(H, type) or ofRecord(H, type, widen, depth) end,
  [VLEN] = function(_, type, widen, depth)
    local base = reading(super(type).id, widen, depth + 1)
    return { element = base, isList = true, memory = types.list(base.memory), hasPointers = true }
  end,
  [ARRAY] = ofArray,
  [COMPLEX] = function(H, type) return complexNumbers(tonumber(H.H5Tget_size(type)), 'r', 'i') end,
}

function reading(type, widen, depth)
  local H = library.open()
  local class = H.H5Tget_class(type)
  local read = readers[class]
  if not read or depth > deepest then
    error(('Reading data of class %s(%s) is unsupported%s'):format(classNames[class] or 'UNKNOWN', tostring(class),
      read and (' in more than %d others'):format(deepest) or ''), 0)
  end
  local node = read(H, type, widen, depth)
  node.size = tonumber(H.H5Tget_size(node.memory.id))
  return node
end

--- The description for reading a file's type.
-- @tparam cdata type handle's id
-- @tparam boolean|string widen whether unsigned integers use the next larger signed type, instead of storing their bits in one with the
-- same size; 'exact': an unsigned type with the same size
-- @treturn table fields `memory` (a type, with field `id`), `size` (of an element in memory, in bytes), and, for numbers, `kind` (of
-- elements, such as 'Float'), `extra` (the sizes of each element) and `finish` (a function for the tensor
-- that was read, or nil); otherwise `isText`, `isOpaque`, `isReference`, `members` (of records, each
-- with `name`, `offset` and `node`), `element` (of arrays, with `sizes` and `count`, and, with `isList`, of variable-length lists).
-- `hasPointers` means that the library allocates memory for elements
-- @raise for types that can't be read
function types.reading(type, widen) return reading(type, widen, 0) end

--- The names of a record's members, in order; nil for other types.
-- @tparam cdata type handle's id
-- @treturn ?{string,...}
function types.memberNames(type)
  local H = library.open()
  if H.H5Tget_class(type) ~= COMPOUND then return nil end
  local names = {}
  for n = 0, H.H5Tget_nmembers(type) - 1 do names[n + 1] = memberName(H, type, n) end
  return names
end

--- The type in memory of complex numbers that a file's type can store: with its names of the parts.
-- @tparam cdata type handle's id
-- @string kind of elements in memory, 'ComplexFloat' or 'ComplexDouble'
-- @treturn ?cdata handle; nil if the file's type is another one
function types.complexFor(type, kind)
  local node = types.reading(type)
  if not node.kind or not node.kind:find '^Complex' then return nil end
  local names = types.memberNames(type) or { 'r', 'i' }
  return types.complex({ id = global(kind == 'ComplexFloat' and 'NATIVE_FLOAT' or 'NATIVE_DOUBLE') }, names[1], names[2])
end

--- The values of an enumeration by name; nil for other types.
-- @tparam cdata type handle's id
-- @treturn ?table
function types.enumeration(type)
  local H = library.open()
  if H.H5Tget_class(type) ~= ENUM then return nil end
  local base, made, values = super(type), native(type), {}
  local size, unsigned = tonumber(H.H5Tget_size(base.id)), H.H5Tget_sign(base.id) == 0
  local elements = ffi.new(('%sint%d_t[1]'):format(unsigned and 'u' or '', 8 * integerSize(size)))
  for n = 0, H.H5Tget_nmembers(made.id) - 1 do
    library.call('hdf5', 'Tget_member_value', made.id, n, elements)
    values[memberName(H, made.id, n)] = tonumber(elements[0])
  end
  return values
end

return types
