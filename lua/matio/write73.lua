--- Writes MAT-files of version 7.3: HDF5 as MATLAB lays it out, after 512 bytes of MATLAB's own.
-- Facts: The MathWorks, "MAT-File Versions", and the files that MATLAB writes; HDF5's dimensions are MATLAB's in the other order.
-- @module matio.write73
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'libmoontorch'
local refuse = require('torch.check').raise
local libc = require 'torch.file.libc'
require 'hdf5'
local library, space, types, Options = require 'hdf5.library', require 'hdf5.space', require 'hdf5.types', require 'hdf5.options'
local lists, sparse, texts, values = require 'matio.lists', require 'matio.sparse', require 'matio.texts', require 'matio.values'

ffi.cdef [[
int H5Pset_userblock(mt_hid_t list, uint64_t size);
extern mt_hid_t H5P_CLS_FILE_CREATE_ID_g, H5T_STD_REF_OBJ_g;
]]

local write73 = {}

local truncate, userBlock, references = 2, 512, '#refs#'
local classOf = {
  Double = 'double', Float = 'single', Char = 'int8', Byte = 'uint8', Short = 'int16', UInt16 = 'uint16', Int = 'int32', UInt32 = 'uint32',
  Long = 'int64', UInt64 = 'uint64', Bool = 'logical', ComplexDouble = 'double', ComplexFloat = 'single',
}
local words = 'matio.save'

local held = {}      -- what the library reads at the moment

-- Attributes of one value: a text of fixed length, as MATLAB reads it, or a number.
local function attribute(object, name, type, pointer)
  local handle = library.own(library.call(words, 'Acreate2', object.id, name, type.id, space.new(nil).id, 0, 0))
  library.call(words, 'Awrite', handle.id, type.id, pointer)
  library.close(handle)
end

local function textAttribute(object, name, text)
  local type = library.own(library.call(words, 'Tcopy', library.open().H5T_C_S1_g))
  library.call(words, 'Tset_size', type.id, #text)
  attribute(object, name, type, text)
end

local function numberAttribute(object, name, kind, value)
  local _, type = types.of(kind)
  held.number = torch[kind .. 'Tensor'] { value }
  attribute(object, name, type, held.number:data())
end

local function reversed(sizes)
  local list = {}
  for i = 1, #sizes do list[i] = sizes[#sizes + 1 - i] end
  return list
end

-- Creates a dataset of a tensor's elements, or of those at a pointer.
local function dataset(place, inFile, inMemory, sizes, x)
  local options, pointer = Options(), x
  if torch.isTensor(x) then
    held.elements = C.lend(C.onHost(x):contiguous())
    pointer = held.elements:data()
  end
  if place.options.compressed and lists.count(sizes) > 1 then options:setDeflate() end
  local list, extent = options:creationProperties(sizes), space.new(sizes)
  local set = library.own(library.call(place.path, 'Dcreate2', place.group.id, place.name, inFile.id, extent.id, 0, list.id, 0))
  library.call(place.path, 'Dwrite', set.id, inMemory.id, 0, 0, 0, pointer)
  return set
end

-- An empty array: its sizes are its elements.
local function emptyArray(place, class, sizes)
  local inFile, inMemory = types.of 'UInt64'
  local set = dataset(place, inFile, inMemory, { #sizes }, torch.UInt64Tensor(sizes))
  textAttribute(set, 'MATLAB_class', class)
  numberAttribute(set, 'MATLAB_empty', 'Byte', 1)
  return set
end

-- The type of complex numbers, as MATLAB names its members.
local function complexTypes(kind)
  local part = kind == 'ComplexFloat' and 'Float' or 'Double'
  local size = part == 'Float' and 4 or 8
  local inFile, inMemory = types.of(part)
  local function pair(type)
    return types.record({ { name = 'real', offset = 0, type = type }, { name = 'imag', offset = size, type = type } }, 2 * size)
  end
  return pair(inFile), pair(inMemory)
end

local function numbers(place, x)
  local flat, sizes = lists.flattened(x, place.options.row)
  local kind = x:type():match '^torch%.(.*)Tensor$'
  local set
  if flat:nElement() == 0 then
    set = emptyArray(place, classOf[kind], sizes)
  else
    local inFile, inMemory
    if flat:isComplex() then inFile, inMemory = complexTypes(kind) else inFile, inMemory = types.of(kind == 'Bool' and 'Byte' or kind) end
    set = dataset(place, inFile, inMemory, reversed(sizes), flat)
    textAttribute(set, 'MATLAB_class', classOf[kind])
  end
  if kind == 'Bool' then numberAttribute(set, 'MATLAB_int_decode', 'Int', 1) end
end

local function text(place, value)
  local units = texts.units(value)
  local set
  if #units == 0 then
    set = emptyArray(place, 'char', { 0, 0 })
  else
    local inFile, inMemory = types.of 'UInt16'
    set = dataset(place, inFile, inMemory, { #units, 1 }, torch.UInt16Tensor(units))
    textAttribute(set, 'MATLAB_class', 'char')
  end
  numberAttribute(set, 'MATLAB_int_decode', 'Int', 2)
end

local function newGroup(place)
  return library.own(library.call(place.path, 'Gcreate2', place.group.id, place.name, 0, 0, 0))
end

local function sparseArray(place, s)
  local group = newGroup(place)
  local rows, starts, entries = sparse.parts(s)
  local kind = entries:isComplex() and 'ComplexDouble' or entries:type() == 'torch.BoolTensor' and 'Bool' or 'Double'
  if kind ~= 'Bool' then entries = entries:type(('torch.%sTensor'):format(kind)) end
  local function part(name, x, inFile, inMemory)
    dataset({ group = group, name = name, path = place.path, options = place.options }, inFile, inMemory, { x:nElement() }, x)
  end
  if entries:nElement() > 0 then
    if kind == 'ComplexDouble' then
      part('data', entries, complexTypes(kind))
    else
      part('data', entries, types.of(kind == 'Bool' and 'Byte' or kind))
    end
    part('ir', rows:type 'torch.UInt64Tensor', types.of 'UInt64')
  end
  part('jc', starts:type 'torch.UInt64Tensor', types.of 'UInt64')
  textAttribute(group, 'MATLAB_class', classOf[kind])
  numberAttribute(group, 'MATLAB_sparse', 'UInt64', s:size(1))
  if kind == 'Bool' then numberAttribute(group, 'MATLAB_int_decode', 'Int', 1) end
end

local write

-- Writes a value inside another one.
local function writeInner(place, group, name, key, value)
  local inner = { group = group, name = name, path = values.path(place.path, key), depth = place.depth + 1 }
  inner.file, inner.options, inner.where = place.file, place.options, place.where
  write(inner, value)
end

-- Elements of a list are in the group of references; the dataset has their addresses.
local function cells(place, list)
  if #list == 0 then return emptyArray(place, 'cell', { 0, 0 }) end
  local file = place.file
  file.references = file.references or newGroup { group = file.root, name = references, path = references }
  local addresses = ffi.new('uint64_t[?]', #list)
  for i, value in ipairs(list) do
    file.count = file.count + 1
    local name = ('cell%d'):format(file.count)
    writeInner(place, file.references, name, i, value)
    library.call(place.path, 'Rcreate', addresses + i - 1, file.references.id, name, 0, -1)
  end
  local type = { id = library.open().H5T_STD_REF_OBJ_g }
  held.addresses = addresses
  local set = dataset(place, type, type, { #list, 1 }, addresses)
  textAttribute(set, 'MATLAB_class', 'cell')
end

local function structOf(place, fields)
  local group = newGroup(place)
  for _, name in ipairs(values.names(place.where, place.path, fields)) do
    writeInner(place, group, name, name, fields[name])
  end
  textAttribute(group, 'MATLAB_class', 'struct')
end

local writers = { tensor = numbers, text = text, sparse = sparseArray, list = cells, struct = structOf }

function write(place, value)
  local kind, plain = values.kind(place, value)
  writers[kind](place, plain)
end

local function writeAll(where, name, variables, options)
  local creation = library.own(library.call(where, 'Pcreate', library.open().H5P_CLS_FILE_CREATE_ID_g))
  library.call(where, 'Pset_userblock', creation.id, userBlock)
  local handle = library.own(library.call(('%s: %s'):format(where, name), 'Fcreate', name, truncate, creation.id, 0))
  local root = library.own(library.call(where, 'Oopen', handle.id, '/', 0))
  local file = { root = root, count = 0 }
  for _, variable in ipairs(values.names(where, 'values', variables)) do
    write({ group = root, name = variable, path = variable, depth = 1, file = file, options = options, where = where }, variables[variable])
  end
  library.call(where, 'Fflush', handle.id, 1)
  if file.references then library.close(file.references) end
  library.close(root)
  library.close(handle)
  held.number, held.elements, held.addresses = nil, nil, nil
end

local function header()
  local title = 'MATLAB 7.3 MAT-file, written by Moontorch ' .. tostring(torch.version_ or '') .. ' HDF5 schema 1.00 .'
  return title .. (' '):rep(116 - #title) .. ('\0'):rep(8) .. '\0\2IM'
end

--- Writes a file; see `matio.save`. It gets its name when it is complete.
function write73.save(where, name, variables, options)
  local temporary = ('%s.torch-save-%d.tmp'):format(name, libc.pid())
  local good, problem = pcall(library.operation, writeAll, where, temporary, variables, options)
  local file = good and io.open(temporary, 'r+b')
  if file then
    good = file:write(header()) and true
    good = file:close() and good
  end
  if good then good, problem = libc.rename(temporary, name) end
  if good then return end
  os.remove(temporary)
  problem = tostring(problem):gsub('^.-: ' .. where, where)
  refuse(problem:find(where, 1, true) and problem or ('%s: %s: %s'):format(where, name, problem))
end

return write73
