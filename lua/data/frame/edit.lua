--- Changes the columns of a data frame. Methods of `data.Frame`; each returns a frame that shares the other columns' memory.
-- @module data.frame.edit
local torch = require 'torch'
local check = require 'torch.check'
local cast = require 'data.frame.cast'
local column = require 'data.frame.column'
local expression = require 'data.frame.expression'

local edit = {}

-- The column that a program gives by a vector, a list, a frame, an expression, a function, or one value for all rows.
local function made(self, name, value)
  local op = 'data.Frame:assign'
  local where, n = ('%s: %s'):format(op, name), self:size()
  if type(value) == 'string' then return expression.column(self, where, value) end
  if type(value) == 'function' then return self:_applied(where, value) end
  if type(value) == 'number' then return { type = 'torch.DoubleTensor', values = torch.DoubleTensor():resize(n):fill(value) } end
  if type(value) == 'boolean' then
    return { type = 'torch.BoolTensor', values = torch.BoolTensor():resize(n):fill(value and 1 or 0) }
  end
  return column.of(where, value)
end

--- Adds or replaces columns. Expressions and functions see the frame as it was.
-- @function assign
-- @tparam table columns by name: a vector, a list, a frame of one column, a number or boolean for all rows, a function of a row, or an
-- expression of Lua with the names of columns. A category is its name there, a missing number NaN, a missing text ''; comparisons
-- with missing values are missing. There are math's functions, `string`, `tonumber` and `tostring`
-- @tparam[opt] {string,...} order of new columns (alphabetical)
-- @treturn data.Frame
-- @usage flowers:assign { area = 'length * width', tall = function(row) return row.length > 5 end }
function edit.assign(self, columns, order)
  local op = 'data.Frame:assign'
  check.table(op, 'columns', columns)
  local names, records = {}, {}
  if order then
    names = check.table(op, 'order', order)
  else
    for name in pairs(columns) do names[#names + 1] = check.text(op, 'columns', name) end
    table.sort(names)
  end
  for _, name in ipairs(names) do
    check.that(columns[name] ~= nil, ('%s: order: %s, expected the name of a given column'):format(op, tostring(name)))
    records[name] = made(self, name, columns[name])
    local count = column.count(records[name])
    if #self.names > 0 then
      check.that(count == self:size(), ('%s: %s: %d values, expected %d'):format(op, name, count, self:size()))
    end
  end
  local frame = self:_of(function(c, name) return records[name] or c end, self.names, self:size(), self.rowNames)
  for _, name in ipairs(names) do
    if not frame.columns[name] then
      if #frame.names == 0 then frame._count = column.count(records[name]) end
      check.that(column.count(records[name]) == frame._count, ('%s: %s: %d values, expected %d'):format(op, name,
        column.count(records[name]), frame._count))
      frame:_put(name, records[name])
    end
  end
  return frame
end

--- The columns of this frame and of another with as many rows, side by side.
-- @function beside
-- @tparam data.Frame other its columns have other names
-- @treturn data.Frame
function edit.beside(self, other)
  local op = 'data.Frame:beside'
  check.that(torch.type(other) == 'data.Frame', ('%s: other: %s, expected a data.Frame'):format(op, check.describe(other)))
  check.that(#self.names == 0 or #other.names == 0 or other:size() == self:size(), ('%s: other: %d rows, expected %d'):format(op,
    other:size(), self:size()))
  local frame = self:_of(function(c) return c end, self.names, #self.names > 0 and self:size() or other:size(), self.rowNames)
  for _, name in ipairs(other.names) do
    check.that(not frame.columns[name], ('%s: %s, which two columns would have'):format(op, name))
    frame:_put(name, other:_record(name))
  end
  return frame
end

--- Replaces values of a column.
-- @function replace
-- @tparam string|int which
-- @tparam table values new values by the former ones: texts, numbers or booleans of the column's type; `data.jsonl.null` makes them missing
-- @treturn data.Frame
-- @usage flowers:replace('species', { irs = 'iris', ['?'] = data.jsonl.null })
function edit.replace(self, which, values)
  local op = 'data.Frame:replace'
  local _, name = self:column(which)
  local c, list, n = self:_record(name), {}, self:size()
  check.table(op, 'values', values)
  for i = 1, n do
    local value = column.value(c, i)
    local new
    if value ~= nil then new = values[value] end
    if new ~= nil then value = new end
    list[i] = value
  end
  local where = ('%s: %s'):format(op, name)
  local made_ = column.ofList(where, list, n)
  if c.type == 'category' then
    made_ = made_.type == 'text' and cast(where, made_, 'category') or c
  elseif column.isNumeric(c.type) and column.isNumeric(made_.type) then
    local good, same = pcall(cast, where, made_, c.type)
    made_ = good and same or made_
  elseif c.type == 'date' then
    check.that(made_.type == 'torch.DoubleTensor', ('%s: texts or booleans, expected seconds since 1970'):format(where))
    made_ = { type = 'date', values = made_.values }
  end
  return self:_of(function(each, other) return other == name and made_ or each end, self.names, n, self.rowNames)
end

-- Sets, or with nil removes, a column of this frame.
function edit._set(self, name, value)
  local kept, place = {}, self:_place(name)
  if value == nil then
    for j, each in ipairs(self.names) do
      if j ~= place then kept[#kept + 1] = each end
    end
    self.names, self.types[name], self.columns[name], self.categories[name], self.ordered[name] = kept, nil, nil, nil, nil
    self._masks[name] = nil
    return
  end
  local c = made(self, name, value)
  local count = column.count(c)
  if #self.names == 0 then self._count = count end
  check.that(count == self:size(), ('data.Frame: %s: %d values, expected %d'):format(name, count, self:size()))
  if place then
    self.types[name], self.columns[name], self.categories[name] = c.type, c.values, c.categories
    self.ordered[name], self._masks[name] = c.ordered or nil, c.mask
  else
    self:_put(name, c)
  end
end

--- Renames columns.
-- @function rename
-- @tparam table names new names by the former ones
-- @treturn data.Frame
-- @usage flowers:rename { length = 'petalLength' }
function edit.rename(self, names)
  local op = 'data.Frame:rename'
  local new = {}
  for former, name in pairs(check.table(op, 'names', names)) do
    new[select(2, self:column(former))] = check.text(op, ('names.%s'):format(tostring(former)), name)
  end
  local frame = self:_of(nil, {}, self:size(), self.rowNames)
  for _, former in ipairs(self.names) do
    local name = new[former] or former
    check.that(not frame.columns[name], ('%s: %s, which two columns would have'):format(op, name))
    frame:_put(name, self:_record(former))
  end
  return frame
end

--- The other columns.
-- @function drop
-- @tparam string|int|{string|int,...} which names or numbers
-- @treturn data.Frame
function edit.drop(self, which)
  check.that(which ~= nil, 'data.Frame:drop: which: expected the name of a column or a list of names')
  local dropped, kept = {}, {}
  for _, name in ipairs(self:_named(which)) do dropped[name] = true end
  for _, name in ipairs(self.names) do
    if not dropped[name] then kept[#kept + 1] = name end
  end
  return self:select(kept)
end

--- Converts columns to other types.
-- @function cast
-- @tparam table types by columns: a tensor's type ('int', 'torch.FloatTensor', 'bool', ...), 'text', 'category' (texts numbered in order of
-- occurrence), a list of all categories, whose order `sort` follows, 'date' (from texts in ISO 8601, or seconds since 1970 in UTC) or
-- `{ date = format }` with %Y, %y, %m, %b, %d, %H, %M, %S
-- @treturn data.Frame
-- @raise for values without an equivalent, with the column and row: no number is rounded or lost
-- @usage frame:cast { count = 'int', species = 'category', seen = { date = '%d.%m.%Y' } }
function edit.cast(self, types)
  local op = 'data.Frame:cast'
  local byName = {}
  for name, type in pairs(check.table(op, 'types', types)) do byName[select(2, self:column(name))] = type end
  return self:_of(function(c, name) return byName[name] and cast(('%s: %s'):format(op, name), c, byName[name]) or c end, self.names,
    self:size(), self.rowNames)
end

-- The column of a function's values for each row.
function edit._applied(self, where, f)
  local values = {}
  for i = 1, self:size() do values[i] = f(self:get(i), i) end
  return column.ofList(where, values, self:size())
end

--- Calls a function for each row.
-- @function apply
-- @tparam function f of a row from `get` and its number; returns a number, text, boolean or nil, which is a missing value
-- @treturn torch.Tensor|table a vector or a list of texts, as `column` returns
-- @usage frame:apply(function(row) return row.length / row.width end)
function edit.apply(self, f)
  check.callable('data.Frame:apply', 'f', f)
  return self:_applied('data.Frame:apply', f).values
end

return edit
