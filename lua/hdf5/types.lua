--- Types of elements: which a file has for a tensor's, and which tensor takes a file's.
-- @module hdf5.types
local ffi = require 'ffi'
local library = require 'hdf5.library'

local types = {}

-- HDF5's classes of types, by number.
local INTEGER, FLOAT, STRING, COMPOUND, ENUM = 0, 1, 3, 6, 8
local classNames = {
  [0] = 'INTEGER', 'FLOAT', 'TIME', 'STRING', 'BITFIELD', 'OPAQUE', 'COMPOUND', 'REFERENCE', 'ENUM', 'VLEN', 'ARRAY',
}

local function global(name) return library.open()['H5T_' .. name .. '_g'] end

-- IEEE 754's binary16: a float of 32 bits with its fields moved together.
local function half()
  local H, made = library.open(), library.own(library.call('hdf5', 'Tcopy', global 'IEEE_F32LE'))
  H.H5Tset_fields(made.id, 15, 10, 5, 0, 10)
  H.H5Tset_size(made.id, 2)
  H.H5Tset_ebias(made.id, 15)
  return made
end

-- h5py's boolean: an enumeration of one byte.
local function boolean()
  local H, made = library.open(), library.own(library.call('hdf5', 'Tenum_create', global 'STD_I8LE'))
  local value = ffi.new('int8_t[1]', 0)
  H.H5Tenum_insert(made.id, 'FALSE', value)
  value[0] = 1
  H.H5Tenum_insert(made.id, 'TRUE', value)
  return made
end

-- Kind of elements -> the type in a file and the type in memory: a name among the library's own, or what makes one.
local written = {
  Byte = { 'STD_U8LE', 'NATIVE_UINT8' }, Char = { 'STD_I8LE', 'NATIVE_INT8' }, Short = { 'STD_I16LE', 'NATIVE_INT16' },
  Int = { 'STD_I32LE', 'NATIVE_INT32' }, Long = { 'STD_I64LE', 'NATIVE_INT64' }, Float = { 'IEEE_F32LE', 'NATIVE_FLOAT' },
  Double = { 'IEEE_F64LE', 'NATIVE_DOUBLE' }, Half = { half, half }, Bool = { boolean, boolean },
}

local function resolve(named)
  return type(named) == 'function' and named() or { id = global(named) }
end

--- The types by which a tensor's elements are written.
-- @string kind of elements, such as 'Float'
-- @treturn ?table the type in the file, field `id`; nil where files have none
-- @treturn ?table the type in memory
function types.of(kind)
  local pair = written[kind]
  if pair then return resolve(pair[1]), resolve(pair[2]) end
end

--- The type of strings of any length, in UTF-8.
-- @treturn cdata handle
function types.text()
  local H, made = library.open(), library.own(library.call('hdf5', 'Tcopy', global 'C_S1'))
  H.H5Tset_size(made.id, ffi.cast('size_t', -1LL))
  H.H5Tset_cset(made.id, 1)
  return made
end

local integers = { [1] = 'Byte', [2] = 'Short', [4] = 'Int', [8] = 'Long' }
local wider = { [2] = { 'Int', 'NATIVE_INT32' }, [4] = { 'Long', 'NATIVE_INT64' }, [8] = { 'Double', 'NATIVE_DOUBLE' } }

-- Unsigned integers in memory: read as they are, their bits stay in a signed tensor.
local function ofInteger(H, type, widen)
  local size = tonumber(H.H5Tget_size(type))
  local kind = integers[size]
  if not kind then return nil, ('Cannot support reading integer data with size = %d bytes'):format(size) end
  local unsigned = H.H5Tget_sign(type) == 0
  if widen then
    if unsigned and wider[size] then return wider[size][1], wider[size][2] end
    if not unsigned and size == 1 then return 'Char', 'NATIVE_INT8' end
  end
  return kind, ('NATIVE_%s%d'):format(unsigned and 'UINT' or 'INT', 8 * size)
end

local function ofFloat(H, type)
  local size = tonumber(H.H5Tget_size(type))
  if size == 2 then return 'Half', half end
  if size == 4 then return 'Float', 'NATIVE_FLOAT' end
  if size == 8 then return 'Double', 'NATIVE_DOUBLE' end
  return nil, ('Cannot support reading float data with size = %d bytes'):format(size)
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

-- h5py's and MATLAB's complex numbers: two floats of one type, named r and i or real and imag.
local function ofComplex(H, type)
  local size = tonumber(H.H5Tget_size(type))
  local first, second = memberName(H, type, 0), memberName(H, type, 1)
  local named = first == 'r' and second == 'i' or first == 'real' and second == 'imag'
  if H.H5Tget_nmembers(type) ~= 2 or not named or size ~= 8 and size ~= 16 then return nil end
  local part = size == 8 and 'NATIVE_FLOAT' or 'NATIVE_DOUBLE'
  return size == 8 and 'Float' or 'Double', function()
    local memory = library.own(library.call('hdf5', 'Tcreate', COMPOUND, size))
    H.H5Tinsert(memory.id, first, 0, global(part))
    H.H5Tinsert(memory.id, second, size / 2, global(part))
    return memory
  end
end

--- What a file's type becomes.
-- @tparam cdata type handle's id
-- @bool widen unsigned integers take the next larger signed type, instead of keeping their bits in one of their size
-- @treturn table fields `kind` (of elements; nil for strings), `memory` (a type, with field `id`), `isText`, `isComplex`
-- @raise what can't be read
function types.reading(type, widen)
  local H = library.open()
  local class = H.H5Tget_class(type)
  local kind, memory, isComplex
  if class == STRING then return { isText = true, isVariable = H.H5Tis_variable_str(type) > 0, size = tonumber(H.H5Tget_size(type)) } end
  if class == INTEGER then
    kind, memory = ofInteger(H, type, widen)
  elseif class == FLOAT then
    kind, memory = ofFloat(H, type)
  elseif class == ENUM and isBoolean(H, type) then
    kind, memory = 'Bool', boolean
  elseif class == COMPOUND then
    kind, memory = ofComplex(H, type)
    isComplex = true
  end
  if not kind then
    error(memory or ('Reading data of class %s(%s) is unsupported'):format(classNames[class] or 'UNKNOWN', tostring(class)), 0)
  end
  return { kind = kind, memory = resolve(memory), isComplex = isComplex }
end

return types
