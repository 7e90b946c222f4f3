--- A table of columns with names and types: tensors for numbers, times and categories, lists for texts.
-- `frame.length` and `frame['length']` are the column with that name, unless a method or field has the name; `frame.columns` has all.
-- A frame is also a data set of rows: `data.DataLoader` and the sets of `data` call its `size`, `get` and `getBatch`.
-- @classmod data.Frame
local torch = require 'torch'
local check = require 'torch.check'
local data = require 'data'
require 'data.Dataset'

local Frame, parent = torch.class('data.Frame', 'data.Dataset', data)

local shownRows, shownWidth = 10, 20

for _, methods in ipairs { require 'data.readers.frame_rows', { describe = require('data.readers.frame_statistics').describe } } do
  for name, method in pairs(methods) do Frame[name] = method end
end

-- Returns the type of a list's values, and the column.
local function columnOfList(name, list)
  local first = type(list[1])
  for i, value in ipairs(list) do
    check.that(type(value) == first, ('data.Frame: %s[%d]: a %s after values of the type %s'):format(name, i, type(value), first))
  end
  if first == 'number' then return 'torch.DoubleTensor', torch.DoubleTensor(list) end
  if first == 'boolean' then
    local x = torch.BoolTensor(#list)
    for i, value in ipairs(list) do x[i] = value and 1 or 0 end
    return 'torch.BoolTensor', x
  end
  check.that(first == 'string' or first == 'nil',
    ('data.Frame: %s: a list of the type %s, expected numbers, texts or booleans'):format(name, first))
  return 'text', list
end

local function ofColumns(self, columns, order)
  local names = order or {}
  if not order then
    for name in pairs(check.table('data.Frame', 'columns', columns)) do names[#names + 1] = name end
    table.sort(names)
  end
  for j, name in ipairs(names) do
    local column, type = columns[name]
    if torch.isTensor(column) then
      check.that(column:dim() == 1, ('data.Frame: %s: %d dimensions, expected a vector'):format(name, column:dim()))
      type = column:type()
    else
      type, column = columnOfList(name, check.table('data.Frame', name, column))
    end
    local count = torch.isTensor(column) and column:size(1) or #column
    if j == 1 then self._count = count end
    check.that(count == self._count, ('data.Frame: %s: %d values, expected %d'):format(name, count, self._count))
    self:_add(name, type, column)
  end
end

--- Creates a frame from columns by name, or, for the readers, from lists.
-- @tparam table names columns by name: vectors, or lists of numbers, texts or booleans; or a list of names
-- @tparam[opt] table types the order of the names (alphabetical); or types of the columns, as in `data.readers.column_types`
-- @tparam[opt] table values of the columns, with a list of names
-- @tparam[opt] table categories names of the categories of each column, or false
-- @int[opt] count number of rows
-- @usage local frame = data.Frame({ x = torch.ones(2), word = { 'a', 'b' } }, { 'word', 'x' })
function Frame:__init(names, types, values, categories, count)
  parent.__init(self)
  self.names, self.types, self.columns, self.categories, self.ordered, self._count = {}, {}, {}, {}, {}, count or 0
  if not values then return ofColumns(self, names, types) end
  for i, name in ipairs(names) do
    if self.columns[name] then name = ('%s_%d'):format(name, i) end
    local isList = torch.type(types[i]) == 'table'
    self:_add(name, isList and 'category' or types[i], values[i], categories[i] or nil)
    self.ordered[name] = isList or nil
  end
end

-- Adds a column.
function Frame:_add(name, type, values, categories)
  self.names[#self.names + 1] = name
  self.types[name], self.columns[name], self.categories[name] = type, values, categories
end

-- Creates a frame with some of the columns; a function returns each by its name.
function Frame:_of(column, names, count, rowNames)
  local frame = Frame({}, {}, {}, {}, count)
  for _, name in ipairs(names) do
    frame:_add(name, self.types[name], column(name), self.categories[name])
    frame.ordered[name] = self.ordered[name]
  end
  frame.rowNames = rowNames or nil
  return frame
end

-- The names of selected columns: one name or number, a list of them, or all for nil.
function Frame:_named(which)
  if which == nil then return self.names end
  if type(which) ~= 'table' then which = { which } end
  local names = {}
  for j, each in ipairs(which) do names[j] = select(2, self:column(each)) end
  return names
end

-- The index of a column among the names.
function Frame:_place(name)
  for j, each in ipairs(self.names) do
    if each == name then return j end
  end
end

-- The column with this name, if no method or field has the name.
function Frame:__index__(key)
  if type(key) ~= 'string' or Frame[key] ~= nil then return nil, false end
  local columns = rawget(self, 'columns')
  local column = columns and columns[key]
  return column, column ~= nil
end

--- The number of rows.
function Frame:size() return self._count end

--- A frame with some of the columns, whose memory is shared.
-- @tparam string|int|{string|int,...} which names or numbers
-- @treturn data.Frame
-- @usage print(flowers:select { 'species', 'length' }:head())
function Frame:select(which)
  check.that(which ~= nil, 'data.Frame:select: which: expected the name of a column or a list of names')
  return self:_of(function(name) return self.columns[name] end, self:_named(which), self._count, self.rowNames)
end

--- A column by its name or number.
-- @tparam string|int which
-- @treturn torch.Tensor|table a tensor of `size()` elements, or a list of texts
function Frame:column(which)
  local name = self.columns[which] and which or self.names[which] or self.columns[tostring(which)] and tostring(which)
  check.that(name, ('data.Frame: column: %s, expected one of %s'):format(tostring(which), table.concat(self.names, ', ')))
  return self.columns[name], name
end

--- Columns of numbers as one tensor.
-- @tparam[opt] string|int|{string|int,...} which names or numbers; default: all except texts
-- @tparam[opt] string type of the tensor; default: the default type
-- @treturn torch.Tensor rows x columns
-- @raise if a column has texts
function Frame:matrix(which, type)
  if torch.type(which) == 'string' or torch.type(which) == 'number' then which = { which } end
  local list = {}
  for _, each in ipairs(which or self.names) do
    local column, name = self:column(each)
    if torch.isTensor(column) then
      list[#list + 1] = column:type(type or torch.getdefaulttensortype()):view(-1, 1)
    else
      check.that(not which, ("data.Frame: matrix: %s has texts, expected numbers; the type 'category' makes some of them"):format(name))
    end
  end
  check.that(#list > 0, 'data.Frame: matrix: no column has numbers')
  return torch.cat(list, 2)
end

-- The value of a column in a row.
local function valueAt(column, i)
  if torch.type(column) == 'torch.BoolTensor' then return column[i] ~= 0 and column[i] ~= false end
  return column[i]
end

--- A row.
-- @int i from 1 to size()
-- @treturn table values by name: numbers, texts, booleans; for a category its number
function Frame:get(i)
  self:checkIndex(i)
  local row = {}
  for name, column in pairs(self.columns) do row[name] = valueAt(column, i) end
  return row
end

--- Rows as a batch.
-- @tparam torch.LongTensor indices
-- @treturn table columns by name: tensors, or lists of texts
function Frame:getBatch(indices)
  check.tensor('data.Frame', 'indices', indices)
  local batch = {}
  for name, column in pairs(self.columns) do
    if torch.isTensor(column) then
      batch[name] = column:index(1, indices)
    else
      batch[name] = {}
      for j = 1, indices:size(1) do batch[name][j] = column[indices[j]] end
    end
  end
  return batch
end

local function dateText(seconds)
  if seconds ~= seconds then return '' end
  local whole = math.floor(seconds)
  local fraction = ('%.6f'):format(seconds - whole):gsub('^0', ''):gsub('%.?0+$', '')
  local isDay = whole % 86400 == 0 and fraction == ''
  return os.date(isDay and '!%Y-%m-%d' or '!%Y-%m-%dT%H:%M:%S', whole) .. fraction
end

-- The text of a value in a file.
local function written(self, name, i)
  local value, type = valueAt(self.columns[name], i), self.types[name]
  if type == 'category' then return self.categories[name][value] or '' end
  if type == 'date' then return dateText(value) end
  return type == 'torch.BoolTensor' and tostring(value) or value == value and value or ''
end

--- All rows as lists of numbers and texts for a file: categories by their names, dates in ISO 8601, empty fields for NaN.
-- @treturn {table,...}
function Frame:rows()
  local list = {}
  for i = 1, self._count do
    list[i] = {}
    for j, name in ipairs(self.names) do list[i][j] = written(self, name, i) end
  end
  return list
end

local function cut(value)
  local text = type(value) == 'cdata' and tostring(value):gsub('LL$', '') or tostring(value)
  if type(value) == 'number' and value % 1 ~= 0 then text = ('%.6g'):format(value) end
  return #text > shownWidth and text:sub(1, shownWidth - 3) .. '...' or text
end

-- The cells of the first rows, below the columns' names and to the right of the rows' names.
local function cellsOf(self)
  local lines, first = { {} }, self.rowNames and 1 or 0
  if self.rowNames then lines[1][1] = '' end
  for j, name in ipairs(self.names) do lines[1][j + first] = cut(name) end
  for i = 1, math.min(self._count, shownRows) do
    lines[i + 1] = { self.rowNames and cut(self.rowNames[i]) or nil }
    for j, name in ipairs(self.names) do lines[i + 1][j + first] = cut(written(self, name, i)) end
  end
  return lines, #self.names + first
end

local function sizeOf(self)
  return ('data.Frame of %d rows, %d columns%s'):format(self._count, #self.names,
    self._count > shownRows and (', the first %d shown'):format(shownRows) or '')
end

--- The first rows, below the columns' names.
function Frame:__tostring()
  local lines, columns = cellsOf(self)
  local widths, texts = {}, {}
  for j = 1, columns do
    widths[j] = 0
    for _, line in ipairs(lines) do widths[j] = math.max(widths[j], #line[j]) end
  end
  for i, line in ipairs(lines) do
    for j, text in ipairs(line) do line[j] = (' '):rep(widths[j] - #text) .. text end
    texts[i] = table.concat(line, '  ')
  end
  texts[#texts + 1] = '[' .. sizeOf(self) .. ']'
  return table.concat(texts, '\n')
end

local entities = { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;' }

--- The representation in a notebook: an HTML table.
function Frame:__mime()
  local out, lines = { '<table><thead>' }, cellsOf(self)
  for i, line in ipairs(lines) do
    out[#out + 1] = '<tr>'
    for j, text in ipairs(line) do
      local kind = (i == 1 or self.rowNames and j == 1) and 'th' or 'td'
      out[#out + 1] = ('<%s>%s</%s>'):format(kind, (text:gsub('[&<>]', entities)), kind)
    end
    out[#out + 1] = i == 1 and '</tr></thead><tbody>' or '</tr>'
  end
  out[#out + 1] = '</tbody></table><small>' .. sizeOf(self) .. '</small>'
  return { ['text/html'] = table.concat(out) }
end

return { Frame = Frame }
