--- A netCDF file that is open for reading.
-- @module netcdf.file
local torch = require 'torch'
local check = require 'torch.check'
local outside = require 'torch.file.outside'
local packing = require 'netcdf.packing'

local File = {}
File.__index = File

local hdf5Magic = '\137HDF\r\n\26\n'

local function byName(list)
  local table_ = {}
  for _, each in ipairs(list) do table_[each.name] = each.value == nil and each or each.value end
  return table_
end

--- Opens a file; see `netcdf.open`.
function File.open(where, name)
  local self = setmetatable({ _name = name, _where = where }, File)
  outside.map(where, name, function(channel, mapped)
    local content
    if outside.text(channel, math.min(8, channel:size()), 'a start') == hdf5Magic then
      content = require('netcdf.hdf').open(name)
    else
      content = require('netcdf.classic').open(mapped)
    end
    self._content, self._size = content, mapped:size()
    self.dimensions, self.attributes = {}, byName(content.attributes)
    for i, dimension in ipairs(content.dimensions) do
      self.dimensions[i] = { name = dimension.name, size = dimension.size, isUnlimited = dimension.isUnlimited }
    end
    self._variables = byName(content.variables)
  end)
  return self
end

-- Returns a variable's entry.
local function entryOf(self, where, name)
  if not self._variables then check.raise(('%s: %s: the file is closed'):format(where, self._name)) end
  local variable = self._variables[check.text(where, 'name', name)]
  if variable then return variable end
  local there = table.concat(self:names(), ', '):sub(1, 200)
  check.raise(('%s: %s: variable %s: the file has no such variable, but %s'):format(where, self._name, name, there))
end

--- The names of the variables, in the file's order.
-- @function names
-- @treturn {string,...}
function File:names()
  local names = {}
  for i, variable in ipairs(self._content.variables) do names[i] = variable.name end
  return names
end

--- Describes a variable.
-- @function variable
-- @string name
-- @treturn table `type` (of the elements, as 'Float', or 'char'), `dimensions` (names), `sizes`, `attributes` (values by name)
function File:variable(name)
  local entry = entryOf(self, 'netcdf.File:variable', name)
  local dimensions, sizes = {}, {}
  for i, dimension in ipairs(entry.dimensions) do dimensions[i], sizes[i] = dimension.name, entry.sizes[i] end
  return { type = entry.kind, dimensions = dimensions, sizes = sizes, attributes = byName(entry.attributes) }
end

local function guarded(self, where, name, f, ...)
  local good, value = pcall(f, ...)
  if good then return value end
  check.raise(('%s: %s: variable %s: %s'):format(where, self._name, name, tostring(value)))
end

local function valueOf(self, where, entry, options, first, count)
  local value = guarded(self, where, entry.name, entry.read, first, count)
  if not options.unpack or not torch.isTensor(value) then return value end
  return guarded(self, where, entry.name, packing.unpack, value, byName(entry.attributes))
end

--- Reads a variable.
-- @function read
-- @string name
-- @tparam[opt] table options `first` and `count`: rows along the first dimension, from 1; default: all. `unpack = true`: values times
-- `scale_factor`, plus `add_offset`, as doubles or floats, with NaN for `_FillValue` and `missing_value`
-- @return a new tensor, or strings
-- @raise if the file is damaged; if it doesn't have the rows
function File:read(name, options)
  local where = 'netcdf.File:read'
  options = check.options(where, options, { 'unpack', 'first', 'count' })
  check.flag(where, 'unpack', options.unpack)
  local entry = entryOf(self, where, name)
  if not options.first and not options.count then return valueOf(self, where, entry, options) end
  local rows = entry.sizes[1]
  if not rows then check.raise(('%s: first: the variable %s has no dimensions'):format(where, name)) end
  local first = check.int(where, 'first', options.first or 1, { min = 1, max = rows + 1 })
  local count = check.int(where, 'count', options.count or rows - first + 1, { min = 0, max = rows - first + 1 })
  return valueOf(self, where, entry, options, first - 1, count)
end

-- Reads variables for `netcdf.load`. Together they can't have more bytes than the file.
function File:_readAll(variables, options)
  local values, list = {}, type(variables) == 'string' and { variables } or variables or self:names()
  local total = 0
  for _, name in ipairs(list) do
    local entry = entryOf(self, self._where, name)
    total = total + (entry.bytes or 0)
    if not variables and total > self._size then
      check.raise(('%s: %s: variables of %.0f bytes, expected at most those of the file, %.0f'):format(self._where, self._name, total,
        self._size))
    end
    values[name] = valueOf(self, self._where, entry, options)
  end
  return values
end

--- Releases the file, which can't be used afterwards.
-- @function close
function File:close()
  if self._variables and self._content.close then self._content.close() end
  self._variables = nil
end

return File
