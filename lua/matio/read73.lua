--- MAT-files of version 7.3: HDF5 with MATLAB's attributes. Each value is a dataset or group with its class; cells refer to others.
-- @module matio.read73
local torch = require 'torch'
local damage = require 'torch.file.damage'
local isComplex = require('torch.check.message').isComplex
local lists, sparse, texts = require 'matio.lists', require 'matio.sparse', require 'matio.texts'

local read73 = {}

local deepest = 100
local kindOf = {
  double = 'Double', single = 'Float', int8 = 'Char', uint8 = 'Byte', int16 = 'Short', uint16 = 'UInt16', int32 = 'Int', uint32 = 'UInt32',
  int64 = 'Long', uint64 = 'UInt64', logical = 'Bool',
}
local exact = { widen = 'exact' }

local function isGroup(object) return torch.typename(object) == 'hdf5.HDF5Group' end

-- A value that isn't MATLAB's, or not one that Lua can represent.
local function other(what) damage.raise(1, 'numbers, characters, cells or structs', what, true) end

local function reversed(sizes)
  local list = {}
  for i = 1, #sizes do list[i] = sizes[#sizes + 1 - i] end
  return list
end

-- Returns the elements of a dataset as a tensor of one dimension, and MATLAB's sizes.
local function elementsOf(set)
  local x, sizes = set:all(exact), set:dataspaceSize()
  if isComplex(x) then x = torch.ComplexDoubleTensor { x } end
  if type(x) == 'number' or type(x) == 'boolean' then x = torch.DoubleTensor { tonumber(x) or x and 1 or 0 } end
  if not torch.isTensor(x) then other 'other elements' end
  if #sizes == 0 then sizes = { 1 } end
  return x:contiguous():view(-1), #sizes == 1 and { sizes[1], 1 } or reversed(sizes)
end

-- Returns the sizes of an empty array, which are its dataset's elements; nil for others.
local function emptySizes(set)
  local flag = set:attribute 'MATLAB_empty'
  if not flag or flag == 0 then return nil end
  local sizes = set:all(exact)
  sizes = torch.isTensor(sizes) and sizes:nElement() <= 32 and sizes:double():totable() or {}
  for i, size in ipairs(sizes) do
    if not (size >= 0 and size % 1 == 0 and size < 2 ^ 31) then error(('size %d of an empty array: %s'):format(i, tostring(size)), 0) end
  end
  if #sizes < 2 or lists.count(sizes) ~= 0 then error('the sizes of an empty array, expected two or more, and a 0 among them', 0) end
  return sizes
end

local function numbers(set, class)
  local kind, empty = kindOf[class], emptySizes(set)
  if empty then return torch[kind .. 'Tensor']():resize(torch.LongStorage(empty)) end
  local x, sizes = elementsOf(set)
  if kind == 'Bool' then
    x = x:ne(0):bool()
  elseif not x:isComplex() then
    x = x:type(('torch.%sTensor'):format(kind))
  end
  return lists.shaped(x, sizes)
end

local function characters(set, options)
  local empty = emptySizes(set)
  if empty then return texts.value({}, empty, options.strings) end
  local x, sizes = elementsOf(set)
  local codes = x:double():totable()
  for i, code in ipairs(codes) do
    if not (code >= 0 and code <= 0x10ffff and code % 1 == 0) then error(('character %d: %s'):format(i, tostring(code)), 0) end
  end
  return texts.value(codes, sizes, options.strings)
end

-- Returns the innermost elements of nested lists.
local function flat(value, list)
  if type(value) ~= 'table' then
    list[#list + 1] = value
  else
    for _, inner in ipairs(value) do flat(inner, list) end
  end
  return list
end

local valueOf

-- Returns the values to which a dataset refers, and MATLAB's sizes.
local function referred(file, set, options, depth)
  local list, sizes = {}, set:dataspaceSize()
  for i, path in ipairs(flat(set:all(), {})) do
    if type(path) ~= 'string' or path == '' then error(('cell %d refers to nothing'):format(i), 0) end
    list[i] = valueOf(file, file:read(path), options, depth + 1)
  end
  return list, #sizes == 1 and { sizes[1], 1 } or reversed(sizes)
end

local function cells(file, set, options, depth)
  if emptySizes(set) then return {} end
  return lists.nested(referred(file, set, options, depth))
end

local function sparseOf(group, rows)
  local function part(name) return group:has { name } and elementsOf(group:read { name }) or nil end
  local starts, places, entries = part 'jc', part 'ir', part 'data'
  if not starts or starts:nElement() == 0 then error('a sparse array without columns', 0) end
  if not entries then places, entries = torch.LongTensor(0), torch.DoubleTensor(0) end
  if group:attribute 'MATLAB_class' == 'logical' then entries = entries:ne(0):bool() end
  rows = tonumber(rows)
  local s, problem = sparse.matrix(places, starts, entries, { rows, starts:nElement() - 1 })
  if not s then error('a sparse array with ' .. problem, 0) end
  return s
end

-- Returns a struct, or an array of them: then each field refers to its values.
local function structOf(file, group, options, depth)
  local names, fields, sizes, plain = group:names(), {}, nil, false
  for _, name in ipairs(names) do
    local object = group:read { name }
    local isReference = not isGroup(object) and not object:attribute 'MATLAB_class' and type(flat(object:all(), {})[1]) == 'string'
    if isReference then
      local list, those = referred(file, object, options, depth)
      if sizes and table.concat(sizes, ' x ') ~= table.concat(those, ' x ') then
        error(('field %s of %s structs, expected %s'):format(name, table.concat(those, ' x '), table.concat(sizes, ' x ')), 0)
      end
      fields[name], sizes = list, those
    else
      fields[name], plain = valueOf(file, object, options, depth + 1), true
    end
  end
  if not sizes then return fields end
  if plain then error('a field that is no array among those of an array of structs', 0) end
  local array = {}
  for i = 1, lists.count(sizes) do
    array[i] = {}
    for _, name in ipairs(names) do array[i][name] = fields[name][i] end
  end
  return lists.nested(array, sizes)
end

-- A dataset without MATLAB's attributes, as h5py writes it.
local function foreign(set)
  local value = set:all(exact)
  return torch.isTensor(value) and value:nElement() > 0 and lists.shaped(elementsOf(set)) or value
end

function valueOf(file, object, options, depth)
  if depth > deepest then error(('more than %d values in each other'):format(deepest), 0) end
  local class = object:attribute 'MATLAB_class'
  if object:attribute 'MATLAB_object_decode' then other(('an object of the class %s'):format(tostring(class))) end
  if isGroup(object) then
    local rows = object:attribute 'MATLAB_sparse'
    if rows then return sparseOf(object, rows) end
    if class == nil or class == 'struct' then return structOf(file, object, options, depth) end
    other(class == 'function_handle' and 'a function handle' or ('an object of the class %s'):format(tostring(class)))
  end
  if class == nil then return foreign(object) end
  if kindOf[class] then return numbers(object, class) end
  if class == 'char' then return characters(object, options) end
  if class == 'cell' then return cells(file, object, options, depth) end
  if class == 'struct' and emptySizes(object) then return {} end
  other(class == 'function_handle' and 'a function handle' or ('the class %s'):format(tostring(class)))
end

--- Visits the variables of a file by name, as `matio.version5.each`.
-- @string name file
-- @tparam table options
-- @tparam function visit
function read73.each(name, options, visit)
  local file = require 'hdf5'.open(name, 'r')
  local good, problem = pcall(function()
    for _, variable in ipairs(file:names()) do
      if not variable:find '^#' then      -- what cells refer to, and MATLAB's own data
        visit(variable, function() return valueOf(file, file:read(variable), options, 1) end)
      end
    end
  end)
  file:close()
  if not good then error(problem, 0) end
end

return read73
