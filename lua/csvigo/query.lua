--- Queries of a table of columns: the rows with given values.
-- @module csvigo.query
local check = require 'torch.check'

local help = [[
query() or query('all')                          all rows
query('vars')                                    the names of the variables
query('union', { var = { 'a', 'b' }, var2 = 'c' })   rows where any of the variables has one of its values
query('inter', { var = { 'a', 'b' }, var2 = 'c' })   rows where every variable has one of its values
All but 'vars' give a table of columns by name.]]

-- The rows of each value of a variable, in order.
local function index(column)
  local rows = {}
  for i, value in ipairs(column) do
    local list = rows[value] or {}
    rows[value], list[#list + 1] = list, i
  end
  return rows
end

-- The number of requested variables with one of their values, by row.
local function count(columns, indices, vars, mustExist)
  local matches, wanted = {}, 0
  for name, values in pairs(vars) do
    check.that(columns[name], ('csvigo: query: %s: unknown variable'):format(tostring(name)))
    indices[name] = indices[name] or index(columns[name])
    wanted = wanted + 1
    local seen = {}
    for _, value in ipairs(type(values) == 'table' and values or { values }) do
      local rows = indices[name][tostring(value)]
      check.that(rows or not mustExist, ('csvigo: query: %s: no row has %s'):format(name, tostring(value)))
      for _, i in ipairs(rows or {}) do
        if not seen[i] then matches[i], seen[i] = (matches[i] or 0) + 1, true end
      end
    end
  end
  return matches, wanted
end

-- The columns with only the given rows.
local function only(columns, rows)
  local found = {}
  for name, column in pairs(columns) do
    found[name] = {}
    for j, i in ipairs(rows) do found[name][j] = column[i] end
  end
  return found
end

--- Returns a function for queries of columns.
-- @tparam table columns lists of strings by name
-- @treturn function
return function(columns)
  local indices = {}
  return function(what, vars)
    what = what or 'all'
    if what == 'help' then return print(help) end
    if what == 'all' then return columns end
    if what == 'vars' then
      local names = {}
      for name in pairs(columns) do names[#names + 1] = name end
      return names
    end
    check.that(what == 'union' or what == 'inter', ("csvigo: query: %s, expected 'all', 'vars', 'union', 'inter' or 'help'"):format(
      tostring(what)))
    check.table('csvigo: query', 'vars', vars)
    local matches, wanted = count(columns, indices, vars, what == 'inter')
    local rows = {}
    for i, found in pairs(matches) do
      if what == 'union' or found == wanted then rows[#rows + 1] = i end
    end
    table.sort(rows)
    return only(columns, rows)
  end
end
