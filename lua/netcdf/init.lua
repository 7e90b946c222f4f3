--- netCDF files: variables over named dimensions, with attributes. Classic files (versions 1, 2 and 5) are read and written, those of
-- netCDF 4, which are HDF5, too.
-- @module netcdf
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
local check = require 'torch.check'
local File = require 'netcdf.file'

local netcdf = {}
package.loaded.netcdf = netcdf

--- Opens a file for reading. It is mapped; variables are read when a program asks for them.
-- @string name file
-- @treturn table a file with the fields `dimensions` (a list of tables with `name`, `size` and `isUnlimited`) and `attributes` (values by
-- name), and the methods `names`, `variable`, `read` and `close` (`netcdf.file`)
-- @raise if the file is damaged: `netcdf.open: <name>: at byte N: expected ..., read ...`
-- @usage local file = netcdf.open('weather.nc')
-- print(file:variable('t').attributes.units)
-- local day = file:read('t', { first = 25, count = 24 })
function netcdf.open(name) return File.open('netcdf.open', name) end

--- Reads variables.
-- @string name file
-- @tparam[opt] string|{string,...} variables one, or a list; default: all
-- @tparam[opt] table options `unpack = true`, as in `read` of a file
-- @return the value of one variable, otherwise a table of values by name: tensors of the file's types; characters as strings, in nested
-- lists for more than one dimension
-- @treturn table the file's attributes
-- @raise as `open`; if the file lacks a variable
-- @usage local t = netcdf.load('weather.nc', 't', { unpack = true })
function netcdf.load(name, variables, options)
  local where = 'netcdf.load'
  options = check.options(where, options, { 'unpack' })
  check.flag(where, 'unpack', options.unpack)
  if variables ~= nil and type(variables) ~= 'string' then
    for i, variable in ipairs(check.table(where, 'variables', variables)) do check.text(where, 'variable ' .. i, variable) end
  end
  local file = File.open(where, name)
  local good, values = pcall(file._readAll, file, variables, options)
  file:close()
  if not good then error(values, 0) end
  if type(variables) == 'string' then values = values[variables] end
  return values, file.attributes
end

--- Writes a file, which is replaced atomically.
-- @string name file
-- @tparam table variables by name: tensors, numbers (without dimensions), strings, lists of strings, or tables with the field `data` (one
-- of these) and optionally `dimensions` (a list of names, which may omit that of the letters of strings) and `attributes` (numbers,
-- strings or tensors of one dimension by name). Without names, dimension i of the variable x is x_i. Booleans become bytes, half floats
-- floats
-- @tparam[opt] table options `attributes` of the file; `unlimited`: the name of the dimension that can grow, the first of each variable
-- that has it; `version`: 1, 2 or 5 (classic), or 4 (HDF5, by libhdf5); default: the first classic one that can represent the variables;
-- `compressed = true` deflates the variables of version 4
-- @raise for values that the file can't represent; if one dimension has two sizes
-- @usage netcdf.save('x.nc', { t = { data = torch.randn(24, 10), dimensions = { 'time', 'place' }, attributes = { units = 'K' } } },
--   { unlimited = 'time', attributes = { title = 'noise' } })
function netcdf.save(name, variables, options)
  local where = 'netcdf.save'
  options = check.options(where, options, { 'attributes', 'unlimited', 'version', 'compressed' })
  check.table(where, 'variables', variables)
  if options.unlimited ~= nil then check.text(where, 'unlimited', options.unlimited) end
  local version = options.version
  if version ~= nil then check.int(where, 'version', version, { min = 1, max = 5 }) end
  check.that(version ~= 3, where .. ': version: 3, expected 1, 2 or 5 (all of netCDF 3), or 4')
  check.that(version == 4 or not check.flag(where, 'compressed', options.compressed), where .. ': compressed: expected the version 4')
  check.name(where, 'name', name)
  check.call(require(version == 4 and 'netcdf.write4' or 'netcdf.write').save, where, name, variables, options)
end

return netcdf
