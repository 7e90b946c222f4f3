--- Writes files of netCDF 4: HDF5 with dimensions as datasets, to which variables refer.
-- Format: Unidata, "NetCDF-4 File Format Specification"; HDF5's "Dimension Scale Specification".
-- @module netcdf.write4
local ffi = require 'ffi'
require 'hdf5'
local layout, elements, types = require 'hdf5.layout', require 'hdf5.elements', require 'hdf5.types'
local refuse, write = require('torch.check').raise, require 'netcdf.write'

local write4 = {}

local notAVariable = 'This is a netCDF dimension but not a netCDF variable.%10d'

local function kindOf(x) return x:type():match '([^.]*)Tensor$' end

local function putAttributes(object, list)
  for _, attribute in ipairs(list) do
    if attribute.text then
      layout.text(object, attribute.name, attribute.text)
    else
      local _, type = types.of(kindOf(attribute.x))
      attribute.x = attribute.x:contiguous()
      layout.attribute(object, attribute.name, type, { attribute.count }, attribute.x:data())
    end
  end
end

-- Marks a dataset as the scale of a dimension.
local function markScale(set, title, index)
  layout.text(set, 'CLASS', 'DIMENSION_SCALE\0')
  layout.text(set, 'NAME', title .. '\0')
  layout.number(set, '_Netcdf4Dimid', 'Int', index)
end

-- Whether a variable has the values of the dimension with its name.
local function isCoordinate(variable) return #variable.dimensions == 1 and variable.dimensions[1].name == variable.name end

-- Writes a variable without its references.
local function putVariable(place, variable, options)
  local inFile, inMemory, x
  if variable.text then
    inFile = layout.textType(1)
    inMemory, x = inFile, ffi.cast('const char *', variable.text)
  else
    inFile, inMemory = types.of(kindOf(variable.x))
    x = variable.x
  end
  local set = layout.dataset(place, inFile, inMemory, variable.sizes, x, { compressed = options.compressed, grows = variable.isRecord })
  putAttributes(set, variable.attributes)
  return set
end

-- Writes the references of a variable to the scales of its dimensions.
local function refer(root, set, variable)
  local names, lists = {}, elements.lists(#variable.dimensions)
  for i, dimension in ipairs(variable.dimensions) do names[i] = dimension.name end
  local addresses = layout.references(root, names)
  for i = 1, #names do lists[i - 1].length, lists[i - 1].elements = 1, ffi.cast('uint8_t *', addresses + i - 1) end
  variable.references = addresses      -- until the file is complete
  layout.attribute(set, 'DIMENSION_LIST', types.list(layout.referenceType()), { #names }, lists)
end

local function writeAll(root, file, options)
  local coordinates, sets = {}, {}
  for _, variable in ipairs(file.variables) do
    if isCoordinate(variable) then coordinates[variable.name] = variable end
  end
  for i, dimension in ipairs(file.dimensions) do
    local place = { group = root, name = dimension.name, path = dimension.name }
    local variable = coordinates[dimension.name]
    if variable then
      markScale(putVariable(place, variable, options), dimension.name, i - 1)
    else
      local inFile, inMemory = types.of 'Float'
      local set = layout.dataset(place, inFile, inMemory, { dimension.size }, nil, { grows = dimension.isUnlimited })
      markScale(set, notAVariable:format(dimension.size), i - 1)
    end
  end
  for i, variable in ipairs(file.variables) do
    if not coordinates[variable.name] then
      sets[i] = putVariable({ group = root, name = variable.name, path = variable.name }, variable, options)
      if #variable.dimensions > 0 then refer(root, sets[i], variable) end
    end
  end
  putAttributes(root, file.attributes)
end

-- Refuses attributes with zeros inside, which end texts of HDF5.
local function checkTexts(where, path, list)
  for _, attribute in ipairs(list) do
    if attribute.text and attribute.text:find '%z+[^%z]' then
      refuse(('%s: %s attribute %s: a string with a zero byte, expected one without'):format(where, path, attribute.name))
    end
  end
end

--- Writes a file; see `netcdf.save`.
function write4.save(where, name, variables, options)
  local file = write.described(where, variables, options)
  checkTexts(where, 'the file', file.attributes)
  for _, variable in ipairs(file.variables) do
    checkTexts(where, variable.name, variable.attributes)
    local dimension = file.byName[variable.name]
    if dimension and not isCoordinate(variable) then
      refuse(('%s: %s: the name of a dimension, expected another one, or a variable over it alone'):format(where, variable.name))
    end
    if variable.x then variable.x = variable.x:contiguous() end
  end
  layout.save(where, name, nil, function(root) writeAll(root, file, options) end)
end

return write4
