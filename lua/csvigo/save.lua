--- Writes files from rows, columns by name, or a query.
-- @module csvigo.save
local check = require 'torch.check'
local arguments = require 'csvigo.arguments'
local file = require 'csvigo.file'

local save = {}

local names = { { 'path' }, { 'data' }, { 'separator', ',' }, { 'mode', 'autodetect' }, { 'header', true }, { 'verbose', true },
                { 'column_order' }, { 'nan_as_missing', false } }

local function detect(data)
  if type(data) == 'function' then return 'query' end
  check.that(type(data) == 'table', ('csvigo.save: cannot autodetect mode, incorrect data type: %s'):format(type(data)))
  return #data == 0 and 'tidy' or 'raw'
end

-- Rows of columns by name, with a row of names if there is a header.
local function rowsOf(columns, order, header)
  if not order then
    order = {}
    for name in pairs(columns) do order[#order + 1] = name end
    table.sort(order, function(a, b) return tostring(a) < tostring(b) end)
  end
  local rows, count = {}, 0
  for i, name in ipairs(order) do
    check.that(type(columns[name]) == 'table', ('csvigo.save: data: %s is %s, expected a list'):format(tostring(name), type(columns[name])))
    count = math.max(count, #columns[name])
    order[i] = name
  end
  if header then rows[1] = order end
  for i = 1, count do
    local row = {}
    for j, name in ipairs(order) do
      local value = columns[name][i]
      row[j] = value == nil and '' or value
    end
    rows[#rows + 1] = row
  end
  return rows
end

--- Writes a file. The arguments come in this order, or by name in one table.
-- @string path `~` at its start is the home folder
-- @tparam table|function data a list of rows, a table of columns by name, or a query
-- @string[opt=','] separator one character
-- @string[opt='autodetect'] mode 'raw', 'tidy' or 'query'; default: from the data
-- @bool[opt=true] header whether to write the columns' names
-- @bool[opt=true] verbose whether to print progress messages
-- @tparam[opt] {string,...} column_order names of the columns to write, in this order; default: all in alphabetical order
-- @bool[opt=false] nan_as_missing whether to write NaN as an empty cell
-- @usage csvigo.save { path = 'out.csv', data = { x = { 1, 2 }, y = { 3, 4 } }, column_order = { 'x', 'y' } }
function save.save(...)
  local where = 'csvigo.save'
  local wanted = arguments.read(where, names, ...)
  local path, mode, data = arguments.path(where, wanted.path), wanted.mode, wanted.data
  if mode == 'autodetect' then mode = detect(data) end
  check.that(mode == 'raw' or mode == 'tidy' or mode == 'query', ("csvigo.save: unknown mode: %s, expected 'raw', 'tidy' or 'query'")
    :format(tostring(mode)))
  if mode == 'query' then data = check.callable(where, 'data', data) 'all' end
  check.table(where, 'data', data)
  local rows = mode == 'raw' and data or rowsOf(data, wanted.column_order, wanted.header)
  arguments.tell(wanted.verbose, 'writing ' .. path)
  local opened = file.File(path, 'w', wanted.separator, wanted.nan_as_missing)
  opened:writeall(rows)
  opened:close()
  arguments.tell(wanted.verbose, ('%d lines written'):format(#rows))
end

return save
