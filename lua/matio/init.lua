--- MATLAB's files: versions 4, 5 (MATLAB 5 to 7) and 7.3 (HDF5), with the interface of Torch7's package matio. `x[i][j]` is MATLAB's
-- `x(i, j)`.
-- @module matio
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
local check = require 'torch.check'

local matio = {}
package.loaded.matio = matio

--- Whether `load` returns arrays of characters as strings (UTF-8), as Torch7's programs set it; default: as CharTensors of bytes.
-- The option `strings` of a call comes first.
matio.use_lua_strings = false

-- Returns the options for readers.
local function readingOptions(where, options)
  options = check.options(where, options, { 'strings' })
  local strings = options.strings
  check.flag(where, 'strings', strings)
  if strings == nil then strings = matio.use_lua_strings and true or false end
  return { strings = strings }
end

--- Reads the variables of a file.
-- Numbers become contiguous tensors of MATLAB's type and sizes (two or more), logical arrays BoolTensors, complex ones
-- ComplexDoubleTensors or ComplexFloatTensors, sparse ones `torch.SparseCOO`. Characters become strings or CharTensors
-- (`matio.use_lua_strings`); several rows of them, a list of strings. Cells become lists, and structs tables by field; an array of either
-- with two or more sizes other than 1, nested lists. An old object is a table of its fields, with its class's name as `__class`.
-- @string name file
-- @tparam[opt] string|{string,...} variables one, or a list; default: all
-- @tparam[opt] table options `strings = true` or `false` in place of `matio.use_lua_strings`
-- @return the value of one variable; otherwise a table of values by name
-- @treturn ?table why variables were omitted (function handles, objects of newer classes), by name; nil if none was
-- @raise if the file is damaged: `matio.load: <name>: at byte N: expected ..., read ...`; if it lacks a variable that was asked for
-- @usage local x = matio.load('data.mat', 'x')
-- local all = matio.load('data.mat', nil, { strings = true })
function matio.load(name, variables, options)
  local where = 'matio.load'
  options = readingOptions(where, options)
  if variables ~= nil and type(variables) ~= 'string' then
    for i, variable in ipairs(check.table(where, 'variables', variables)) do check.text(where, 'variable ' .. i, variable) end
  end
  return require('matio.reader').load(where, name, variables, options)
end

--- Returns the names of a file's variables, in the file's order, without reading their values.
-- @string name file
-- @treturn {string,...}
function matio.names(name) return require('matio.reader').names('matio.names', name) end

--- Writes values to a file, which is replaced atomically.
-- Tensors of any type become arrays of the nearest type of MATLAB (half floats: single); one of one dimension, a column. Numbers and
-- booleans become arrays of one element, strings (UTF-8) rows of characters, lists rows of cells, tables by names structs, sparse matrices
-- sparse ones of doubles.
-- @string name file
-- @param values a table by names of variables; or one tensor, which gets the name x
-- @tparam[opt] table options `compressed = true` deflates each variable; `version`: '5' (default; up to 2 GB a variable) or '7.3' (HDF5,
-- by libhdf5); `row = true` makes rows of tensors of one dimension
-- @raise for values that files can't represent, names that aren't MATLAB's; nothing is written then
-- @usage matio.save('x.mat', { x = torch.rand(3, 4), name = 'run 7' }, { compressed = true })
function matio.save(name, values, options)
  local where = 'matio.save'
  options = check.options(where, options, { 'compressed', 'version', 'row' })
  check.flag(where, 'compressed', options.compressed)
  check.flag(where, 'row', options.row)
  check.choice(where, 'version', options.version or '5', { '5', '7.3' })
  check.name(where, 'name', name)
  if require('torch').isTensor(values) or require('torch').sparse.isSparse(values) then values = { x = values } end
  check.table(where, 'values', values)
  check.call(require(options.version == '7.3' and 'matio.write73' or 'matio.write5').save, where, name, values, options)
end

return matio
