--- Writes MAT-files of version 7.3: HDF5 as MATLAB lays it out, after 512 bytes of MATLAB's own.
-- Facts: The MathWorks, "MAT-File Versions", and the files that MATLAB writes; HDF5's dimensions are MATLAB's in the other order.
-- @module matio.write73
local torch = require 'torch'
require 'hdf5'
local layout, types = require 'hdf5.layout', require 'hdf5.types'
local lists, sparse, texts, values = require 'matio.lists', require 'matio.sparse', require 'matio.texts', require 'matio.values'

local write73 = {}

local userBlock, references = 512, '#refs#'
local classOf = {
  Double = 'double', Float = 'single', Char = 'int8', Byte = 'uint8', Short = 'int16', UInt16 = 'uint16', Int = 'int32', UInt32 = 'uint32',
  Long = 'int64', UInt64 = 'uint64', Bool = 'logical', ComplexDouble = 'double', ComplexFloat = 'single',
}

local function reversed(sizes)
  local list = {}
  for i = 1, #sizes do list[i] = sizes[#sizes + 1 - i] end
  return list
end

local function dataset(place, inFile, inMemory, sizes, x)
  return layout.dataset(place, inFile, inMemory, sizes, x, place.options)
end

-- An empty array: its sizes are its elements.
local function emptyArray(place, class, sizes)
  local inFile, inMemory = types.of 'UInt64'
  local set = dataset(place, inFile, inMemory, { #sizes }, torch.UInt64Tensor(sizes))
  layout.text(set, 'MATLAB_class', class)
  layout.number(set, 'MATLAB_empty', 'Byte', 1)
  return set
end

-- The types of complex numbers, with MATLAB's names of the parts.
local function complexTypes(kind)
  local inFile, inMemory = types.of(kind == 'ComplexFloat' and 'Float' or 'Double')
  return types.complex(inFile, 'real', 'imag'), types.complex(inMemory, 'real', 'imag')
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
    layout.text(set, 'MATLAB_class', classOf[kind])
  end
  if kind == 'Bool' then layout.number(set, 'MATLAB_int_decode', 'Int', 1) end
end

local function text(place, value)
  local units = texts.units(value)
  local set
  if #units == 0 then
    set = emptyArray(place, 'char', { 0, 0 })
  else
    local inFile, inMemory = types.of 'UInt16'
    set = dataset(place, inFile, inMemory, { #units, 1 }, torch.UInt16Tensor(units))
    layout.text(set, 'MATLAB_class', 'char')
  end
  layout.number(set, 'MATLAB_int_decode', 'Int', 2)
end

local function sparseArray(place, s)
  local group = layout.group(place)
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
  layout.text(group, 'MATLAB_class', classOf[kind])
  layout.number(group, 'MATLAB_sparse', 'UInt64', s:size(1))
  if kind == 'Bool' then layout.number(group, 'MATLAB_int_decode', 'Int', 1) end
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
  file.references = file.references or layout.group { group = file.root, name = references, path = references }
  local names = {}
  for i, value in ipairs(list) do
    file.count = file.count + 1
    names[i] = ('cell%d'):format(file.count)
    writeInner(place, file.references, names[i], i, value)
  end
  file.addresses = layout.references(file.references, names)
  local type = layout.referenceType()
  local set = dataset(place, type, type, { #list, 1 }, file.addresses)
  layout.text(set, 'MATLAB_class', 'cell')
end

local function structOf(place, fields)
  local group = layout.group(place)
  for _, name in ipairs(values.names(place.where, place.path, fields)) do
    writeInner(place, group, name, name, fields[name])
  end
  layout.text(group, 'MATLAB_class', 'struct')
end

local writers = { tensor = numbers, text = text, sparse = sparseArray, list = cells, struct = structOf }

function write(place, value)
  local kind, plain = values.kind(place, value)
  writers[kind](place, plain)
end

local function header()
  local title = 'MATLAB 7.3 MAT-file, written by Moontorch ' .. tostring(torch.version_ or '') .. ' HDF5 schema 1.00 .'
  return title .. (' '):rep(116 - #title) .. ('\0'):rep(8) .. '\0\2IM'
end

--- Writes a file; see `matio.save`.
function write73.save(where, name, variables, options)
  local names = values.names(where, 'values', variables)
  layout.save(where, name, { size = userBlock, text = header() }, function(root)
    local file = { root = root, count = 0 }
    for _, variable in ipairs(names) do
      local place = { group = root, name = variable, path = variable, depth = 1, file = file, options = options, where = where }
      write(place, variables[variable])
    end
  end)
end

return write73
