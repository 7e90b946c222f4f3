--- Files of netCDF 4: HDF5 whose datasets name their dimensions by attributes. Variables of groups have the groups' names before theirs.
-- Format: Unidata, "NetCDF-4 File Format Specification"; HDF5's "Dimension Scale Specification".
-- @module netcdf.hdf
local torch = require 'torch'
local hdf5 = require 'hdf5'
local library, types = require 'hdf5.library', require 'hdf5.types'

local hdf = {}

local deepest = 100
local notAVariable = '^This is a netCDF dimension but not a netCDF variable'
-- Attributes of the layout, not of the data.
local own = {
  CLASS = true, NAME = true, DIMENSION_LIST = true, REFERENCE_LIST = true, _Netcdf4Dimid = true, _Netcdf4Coordinates = true,
  _NCProperties = true, _nc3_strict = true, DIMENSION_LABELS = true,
}
local exact = { widen = 'exact' }

-- Returns an attribute as of a classic file: a text, a number or a tensor.
local function plain(value)
  if type(value) == 'table' and not torch.isTensor(value) and #value == 1 then return value[1] end
  if torch.isTensor(value) and value:nElement() == 1 then return value:contiguous():view(-1)[1] end
  return value
end

local function attributesOf(object)
  local list = {}
  for name, value in pairs(object:attributes()) do
    if not own[name] then list[#list + 1] = { name = name, value = plain(value) } end
  end
  table.sort(list, function(a, b) return a.name < b.name end)
  return list
end

-- Joins the innermost strings of nested lists, of a character each (a zero reads as none), and omits zeros at the end.
local function joined(value, level)
  if type(value) ~= 'table' then return value end
  local list = {}
  if level == 1 then
    for i, character in ipairs(value) do list[i] = character == '' and '\0' or character end
    return (table.concat(list):gsub('%z+$', ''))
  end
  for i, inner in ipairs(value) do list[i] = joined(inner, level - 1) end
  return list
end

-- Returns all elements of a dataset, or some rows.
local function elementsOf(set, sizes, first, rows)
  if not first then return set:all(exact) end
  if rows == 0 then
    local x = set:all(exact)
    return torch.isTensor(x) and x:narrow(1, first + 1, 0):clone() or {}
  end
  local ranges = { { first + 1, first + rows } }
  for i = 2, #sizes do ranges[i] = { 1, sizes[i] } end
  ranges[#sizes + 1] = exact
  return set:partial(unpack(ranges))
end

local function valueOf(set, kind, sizes, first, rows)
  local x = elementsOf(set, sizes, first, rows)
  if type(x) == 'boolean' then x = x and 1 or 0 end
  if type(x) ~= 'table' and type(x) ~= 'string' and not torch.isTensor(x) then return torch[kind .. 'Tensor'] { x } end
  local one = x
  while type(one) == 'table' and not torch.isTensor(one) do one = one[1] end
  if type(one) ~= 'string' or #one > 1 or #sizes == 0 then return x end
  return joined(x, #sizes)
end

-- Returns the dimensions of a dataset: those that it refers to, or new ones.
local function dimensionsOf(file, set, path, sizes, isScale)
  local list, found = set:attribute 'DIMENSION_LIST', {}
  for i, size in ipairs(sizes) do
    local target = type(list) == 'table' and type(list[i]) == 'table' and list[i][1] or isScale and path
    local known = type(target) == 'string' and file.byPath[target]
    if not known then
      known = { name = ('%s_%d'):format(path:gsub('^/', ''), i), size = size, isUnlimited = false }
      file.dimensions[#file.dimensions + 1] = known
      file.byPath[type(target) == 'string' and target or known.name] = known
    end
    if known.isUnlimited then known.size = math.max(known.size, size) end      -- each variable grows when it is written
    found[i] = known
  end
  return found
end

local function isScale(set) return set:attribute 'CLASS' == 'DIMENSION_SCALE' end

-- Visits the datasets of a group and those below it.
local function each(group, path, depth, visit)
  if depth > deepest then error(('more than %d groups in each other'):format(deepest), 0) end
  for _, name in ipairs(group:names()) do
    local object = group:read(depth == 0 and name or { name })
    local inner = path .. '/' .. name
    if torch.typename(object) == 'hdf5.HDF5Group' then each(object, inner, depth + 1, visit) else visit(object, inner) end
  end
end

-- Returns the kind of elements of a dataset, as 'Float'; 'char' for others than numbers.
local function kindOf(set)
  return library.operation(function()
    local type = library.own(library.call('netcdf', 'Dget_type', set:_id()))
    return types.reading(type.id, exact.widen).kind or 'char'
  end)
end

local function described(source)
  local file = { dimensions = {}, byPath = {}, variables = {}, attributes = attributesOf(source) }
  each(source, '', 0, function(set, path)
    if not isScale(set) then return end
    local sizes = set:dataspaceSize()
    local dimension = { name = path:sub(2), size = sizes[1] or 1, isUnlimited = set:canGrow() }
    file.dimensions[#file.dimensions + 1], file.byPath[path] = dimension, dimension
  end)
  each(source, '', 0, function(set, path)
    local title = set:attribute 'NAME'
    if isScale(set) and type(title) == 'string' and title:find(notAVariable) then return end
    local sizes = set:dataspaceSize()
    local kind = kindOf(set)
    local variable = {
      name = path:sub(2), sizes = sizes, dimensions = dimensionsOf(file, set, path, sizes, isScale(set)), attributes = attributesOf(set),
      kind = kind, read = function(first, rows) return valueOf(set, kind, sizes, first, rows) end,
    }
    file.variables[#file.variables + 1] = variable
  end)
  file.close = function() source:close() end
  return file
end

--- Describes a file; see `netcdf.classic.open`.
-- @string name file
function hdf.open(name)
  local source = hdf5.open(name, 'r')
  local good, file = pcall(described, source)
  if good then return file end
  source:close()
  error(file, 0)
end

return hdf
