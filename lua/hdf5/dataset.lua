--- A dataset of an HDF5 file: reads all of it or a block, and appends to it.
-- @classmod hdf5.HDF5DataSet
local ffi = require 'ffi'
local torch = require 'torch'
local check = require 'torch.check'
local library, space, types = require 'hdf5.library', require 'hdf5.space', require 'hdf5.types'
local attributes, values = require 'hdf5.attributes', require 'hdf5.values'

local DataSet = torch.class 'hdf5.HDF5DataSet'

for name, method in pairs(attributes) do DataSet[name] = method end

-- The constructor: `path` in the file, and the handle of the open dataset.
function DataSet:__init(path, handle)
  self._path, self._handle = path, handle
end

--- The handle's number, for calls of the library.
function DataSet:_id()
  if not self._handle or self._handle.id < 0 then error(('HDF5DataSet %s: it is closed'):format(tostring(self._path)), 0) end
  return self._handle.id
end

local function spaceOf(self) return library.own(library.call('HDF5DataSet', 'Dget_space', self:_id())) end

local function typeOf(self) return library.own(library.call('HDF5DataSet', 'Dget_type', self:_id())) end

-- The error text for a filter of the dataset that the library lacks; nil if there is none.
local function lackingFilter(self)
  local H = library.open()
  local list = library.own(library.call('HDF5DataSet', 'Dget_create_plist', self:_id()))
  local name, count = ffi.new 'char[64]', ffi.new 'size_t[1]'
  for n = 0, H.H5Pget_nfilters(list.id) - 1 do
    count[0] = 0
    local filter = library.try('Pget_filter2', list.id, n, nil, count, nil, 64, name, nil)
    if filter and not library.try('Zfilter_avail', filter) or filter and H.H5Zfilter_avail(filter) == 0 then
      local known = ffi.string(name, 63):match '^[^%z]*'
      return ('it is packed by the filter %s (%d), which this libhdf5 lacks: "h5repack -f GZIP=4 OLD NEW" packs it anew where the filter '
        .. 'is known, or HDF5_PLUGIN_PATH names a folder with its plug-in'):format(known ~= '' and known or 'of the number', filter)
    end
  end
end

-- Calls the library to read; if a filter is missing, the error names it.
local function read(self, words, ...)
  local done, why = library.try('Dread', self:_id(), ...)
  if not done then error(('%s: %s'):format(words, lackingFilter(self) or why), 0) end
end

local function wide(where, options)
  local widen = check.options(where, options, { 'widen' }).widen
  if widen ~= nil and type(widen) ~= 'boolean' and widen ~= 'exact' then
    check.raise(("%s: widen: %s, expected true, false or 'exact'"):format(where, tostring(widen)))
  end
  return widen
end

--- The full content.
-- @tparam[opt] table options `widen = true`: unsigned integers of 2, 4 and 8 bytes become Int, Long and Double tensors and signed bytes
-- Char tensors, instead of the same bits in Short, Int, Long and Byte tensors, as in Torch7; `widen = 'exact'`: unsigned integers become
-- UInt16, UInt32 and UInt64 tensors
-- @return a new tensor, complex for complex numbers; a number, boolean or string if the dataset is a single value; strings as a (nested)
-- list; records (HDF5's compound type, tables of PyTables) as a table of the members' tensors or lists by name; variable-length lists as a
-- list of tensors; references as paths of their targets; opaque elements as strings of bytes. Enumerations are integers: `enumeration`
-- returns their names
function DataSet:all(options)
  local widen = wide('HDF5DataSet:all', options)
  return library.operation(function()
    local sizes, count = space.sizes(spaceOf(self))
    return values.read(typeOf(self), sizes, count, widen, function(memory, buffer)
      read(self, 'HDF5DataSet:all() - failed reading data from ' .. tostring(self), memory, 0, 0, 0, buffer)
    end, self:_id())
  end)
end

-- First position, from 0, and length of a range, which is {first, last} or one position.
local function bounds(range, i)
  if type(range) == 'table' then
    local first = check.int('HDF5DataSet:partial', ('range %d, first'):format(i), range[1], { min = 1 })
    local last = check.int('HDF5DataSet:partial', ('range %d, last'):format(i), range[2], { min = first })
    return first - 1, last - first + 1
  end
  return check.int('HDF5DataSet:partial', ('range %d'):format(i), range, { min = 1 }) - 1, 1
end

-- Returns the first positions and lengths of ranges, and the options, which are a table without a first element behind them.
local function ranges(...)
  local first, lengths, n = {}, {}, select('#', ...)
  local options = n > 0 and select(n, ...) or nil
  if type(options) == 'table' and options[1] == nil and next(options) ~= nil then n = n - 1 else options = nil end
  for i = 1, n do first[i], lengths[i] = bounds((select(i, ...)), i) end
  return first, lengths, wide('HDF5DataSet:partial', options)
end

-- Selects a block in the file; returns the dataspace and the number of elements.
local function block(self, first, lengths, words)
  local extent = spaceOf(self)
  local sizes = space.sizes(extent) or {}
  if #sizes ~= #lengths then
    error(('HDF5DataSet:partial() - dimension mismatch. Expected %d but %d were given.'):format(#sizes, #lengths), 0)
  end
  local count = 1
  for i, size in ipairs(sizes) do
    if first[i] + lengths[i] > size then
      error(('%s: range %d: %d to %d, expected positions from 1 to %d'):format(words, i, first[i] + 1, first[i] + lengths[i], size), 0)
    end
    count = count * lengths[i]
  end
  if #sizes > 0 then
    local done, why = space.select(extent, first, lengths)
    if not done then error(('%s: %s'):format(words, why), 0) end
  end
  return extent, count
end

--- A block of the content, without reading the rest (except the rest of chunks that overlap the block).
-- @param ... a range for each dimension: {first, last}, from 1 and inclusive, or one position, whose dimension has size 1; then, if
-- wanted, a table of options, as for `all`
-- @return a new tensor, or strings as a (nested) list
-- @usage local rows = file:read('x'):partial({ 1, 100 }, { 1, 28 })
function DataSet:partial(...)
  local first, lengths, widen = ranges(...)
  return library.operation(function()
    local words = 'HDF5DataSet:partial() - failed reading data from ' .. tostring(self)
    local extent, count = block(self, first, lengths, words)
    local memory = #lengths > 0 and space.new(lengths)
    return values.read(typeOf(self), #lengths > 0 and lengths or nil, count, widen, function(type, buffer)
      read(self, words, type, memory and memory.id or 0, memory and extent.id or 0, 0, buffer)
    end, self:_id())
  end)
end

--- The sizes.
-- @treturn {int,...} a Lua table; empty for a single value
function DataSet:dataspaceSize()
  return library.operation(function() return space.sizes(spaceOf(self)) or {} end)
end

--- Whether the dataset can grow along its first dimension without limit (`append`).
-- @treturn boolean
function DataSet:canGrow()
  return library.operation(function() return space.isUnlimited(spaceOf(self)) end)
end

--- The names of a record's members, in the file's order.
-- @treturn ?{string,...} nil if the elements are not records (HDF5's compound type)
function DataSet:fields()
  return library.operation(function() return types.memberNames(typeOf(self).id) end)
end

--- The values of an enumeration by name.
-- @treturn ?table nil if the elements are not an enumeration
-- @usage local colours = file:read('colour'):enumeration()      --> { RED = 0, GREEN = 1 }
function DataSet:enumeration()
  return library.operation(function() return types.enumeration(typeOf(self).id) end)
end

--- A function that creates an empty tensor of the content's type in memory.
-- @treturn function accepts the tensor's sizes
-- @treturn int the library's number of the type in memory
function DataSet:getTensorFactory()
  return library.operation(function()
    local form = types.reading(typeOf(self).id)
    if not form.kind then
      error(form.isText and 'Reading data of class STRING(3) is unsupported: strings are no tensor'
        or 'HDF5DataSet:getTensorFactory() - the elements are no numbers: use all()', 0)
    end
    return function(...) return torch[form.kind .. 'Tensor'](...) end, form.memory.id      -- valid as long as the function
  end)
end

-- Writes a value to the full dataset, or to its last rows.
function DataSet:_write(form, first)
  if first then
    local extent = spaceOf(self)
    local start = {}
    for i = 1, #form.sizes do start[i] = i == 1 and first or 0 end
    local done, why = space.select(extent, start, form.sizes)
    if not done then return nil, why end
    return library.try('Dwrite', self:_id(), form.inMemory.id, space.new(form.sizes).id, extent.id, 0, form.buffer)
  end
  return library.try('Dwrite', self:_id(), form.inMemory.id, 0, 0, 0, form.buffer)
end

local function sameRows(sizes, others)
  if #sizes ~= #others then return false end
  for i = 2, #sizes do
    if sizes[i] ~= others[i] then return false end
  end
  return true
end

-- Appends the rows of a value. On failure, returns nil and the reason; the dataset then has its old size.
function DataSet:_append(form)
  local sizes = space.sizes(spaceOf(self))
  if not sizes then return nil, 'a single value does not grow' end
  if not form.sizes or not sameRows(sizes, form.sizes) then
    local actual, there = table.concat(form.sizes or {}, 'x'), table.concat(sizes, 'x')
    return nil, ('sizes: %s, expected all but the first to be those of %s'):format(actual, there)
  end
  if form.sizes[1] == 0 then return 1 end
  if form.kind and form.kind:find '^Complex' then
    form.inMemory = types.complexFor(typeOf(self).id, form.kind)
    if not form.inMemory then return nil, 'elements: complex numbers, expected those of the dataset' end
  end
  local before = sizes[1]
  sizes[1] = before + form.sizes[1]
  local done, why = library.try('Dset_extent', self:_id(), space.array(sizes))
  if done then done, why = self:_write(form, before) end
  if not done and why then
    sizes[1] = before
    library.try('Dset_extent', self:_id(), space.array(sizes))
    return nil, why
  end
  return 1
end

--- Closes the dataset, which can't be used afterwards.
function DataSet:close()
  if self._handle then library.close(self._handle) end
end

function DataSet:__tostring()
  local id = self._handle and tostring(self._handle.id):gsub('LL$', '') or '-1'
  return ('[HDF5DataSet (%s) %s]'):format(id, tostring(self._path))
end

return DataSet
