--- Reads files as rows, as columns by name, as a query function, or as rows that are parsed on access.
-- @module csvigo.load
local check = require 'torch.check'
local arguments = require 'csvigo.arguments'
local file = require 'csvigo.file'

local load = {}

local names = { { 'path' }, { 'separator', ',' }, { 'mode', 'tidy' }, { 'header', 'auto' }, { 'verbose', true }, { 'skip', 0 },
                { 'column_order', false } }

-- The names of the columns; and the first row, if it is data.
local function begin(opened, header)
  local first = opened:read() or {}
  local has = header == true or header == 'auto' and first[1] ~= nil and tonumber(first[1]) == nil
  local found = {}
  for i = 1, #first do found[i] = has and first[i] or 'var_' .. i end
  return found, not has and first or nil
end

-- Columns by name, and the names in the order of the file.
local function tidy(opened, header)
  local found, first = begin(opened, header)
  local columns, byName = file.columns(opened, #found), {}
  for i, name in ipairs(found) do
    if first then table.insert(columns[i], 1, first[i]) end
    byName[name] = columns[i]
  end
  return byName, found
end

--- Reads a file; all cells are strings. The arguments come in this order, or by name in one table.
-- @string path `~` at its start is the home folder
-- @string[opt=','] separator one character; a blank reads any white space as one separator
-- @string[opt='tidy'] mode
--
-- - 'raw': a list of rows, each a list of strings, the header too
-- - 'tidy': a table of columns by name, each a list of strings
-- - 'query': a function: `query 'vars'` returns the names, `query()` or `query 'all'` all columns; `query('union', { x = { 'a', 'b' } })`
--   the rows in which any of the variables has one of its values, `query('inter', ...)` those in which all have
-- - 'large': an object that parses row `m[i]` on access
-- @tparam[opt='auto'] bool|string header whether the first row has the names; 'auto': if its first cell is no number. Without one they are
-- var_1, var_2, ...
-- @bool[opt=true] verbose whether to print progress messages
-- @int[opt=0] skip number of lines to skip at the beginning
-- @bool[opt=false] column_order whether to return the names in the order of the file as a second result
-- @treturn table|function|userdata
-- @raise if the file can't be opened, the mode is unknown or a quote is not closed
-- @usage local rows = csvigo.load { path = 'data.csv', mode = 'raw' }
function load.load(...)
  local where = 'csvigo.load'
  local wanted = arguments.read(where, names, ...)
  local path, mode = arguments.path(where, wanted.path), wanted.mode
  check.int(where, 'skip', wanted.skip, { min = 0 })
  check.that(mode == 'raw' or mode == 'tidy' or mode == 'query' or mode == 'large', ("csvigo.load: unknown mode: %s, expected 'raw', "
    .. "'tidy', 'query' or 'large'"):format(tostring(mode)))
  arguments.format(where, wanted.separator)
  arguments.tell(wanted.verbose, 'reading ' .. path)
  if mode == 'large' then return require 'csvigo.large'(path, wanted.separator) end
  local opened = file.File(path, 'r', wanted.separator)
  if mode == 'raw' then
    local rows = opened:readall()
    opened:close()
    return rows
  end
  opened:_skip(wanted.skip)
  local columns, order = tidy(opened, wanted.header)
  opened:close()
  arguments.tell(wanted.verbose, ('%d rows of %s'):format(#(columns[order[1]] or {}), table.concat(order, ', ')))
  if mode == 'query' then columns = require 'csvigo.query'(columns) end
  if wanted.column_order then return order, columns end
  return columns
end

return load
