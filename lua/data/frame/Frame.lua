--- A table of columns with names and types: tensors for numbers, times and categories, lists for texts.
-- `frame.length` and `frame['length']` are the column with that name, unless a method or field has the name; `frame.columns` has all.
-- `frame.area = 'length * width'` sets a column of this frame, as `assign` makes it, and nil removes it; other methods return new frames.
-- A frame is also a data set of rows: `data.DataLoader` and the sets of `data` call its `size`, `get` and `getBatch`.
-- @classmod data.Frame
local torch = require 'torch'
local check = require 'torch.check'
local data = require 'data'
local numberText = require 'torch.file.number_text'
local typeName = require 'torch.class.type_name'
local column, dates = require 'data.frame.column', require 'data.frame.dates'
require 'data.Dataset'

local Frame, parent = torch.class('data.Frame', 'data.Dataset', data)

for _, part in ipairs { 'rows', 'missing', 'edit', 'order', 'times', 'join', 'reshape', 'windows', 'statistics', 'summaries', 'ranks',
                        'numeric', 'display' } do
  for name, method in pairs(require('data.frame.' .. part)) do Frame[name] = method end
end

local function ofColumns(self, columns, order)
  local names = order or {}
  check.table('data.Frame', 'columns', columns)
  if not order then
    for name in pairs(columns) do names[#names + 1] = check.text('data.Frame', 'columns', name) end
    table.sort(names)
  end
  for j, name in ipairs(names) do
    check.that(columns[name] ~= nil, ('data.Frame: order[%d]: %s, expected the name of a column'):format(j, tostring(name)))
    local c = column.of('data.Frame: ' .. name, columns[name])
    local count = column.count(c)
    if j == 1 then self._count = count end
    check.that(count == self._count, ('data.Frame: %s: %d values, expected %d'):format(name, count, self._count))
    self:_put(name, c)
  end
end

--- Creates a frame from columns by name, or, for the readers, from lists.
-- @tparam table names columns by name: vectors, or lists of numbers, texts or booleans; or a list of names
-- @tparam[opt] table types the order of the names (alphabetical); or types of the columns, as in `data.readers.column_types`
-- @tparam[opt] table values of the columns, with a list of names
-- @tparam[opt] table categories names of the categories of each column, or false
-- @int[opt] count number of rows
-- @tparam[opt] table masks BoolTensors of the missing values of each column of integers, booleans or texts, or false
-- @usage local frame = data.Frame({ x = torch.ones(2), word = { 'a', 'b' } }, { 'word', 'x' })
function Frame:__init(names, types, values, categories, count, masks)
  parent.__init(self)
  self.names, self.types, self.columns, self.categories, self.ordered = {}, {}, {}, {}, {}
  self._masks, self._count = {}, count or 0
  if not values then return ofColumns(self, names, types) end
  for i, name in ipairs(names) do
    if self.columns[name] then name = ('%s_%d'):format(name, i) end
    local isList = torch.type(types[i]) == 'table'
    self:_add(name, isList and 'category' or types[i], values[i], categories[i] or nil)
    self.ordered[name] = isList or nil
    self._masks[name] = masks and masks[i] or nil
  end
end

--- Creates a frame from rows.
-- @tparam {table,...}|torch.Tensor rows tables by names of columns, of which any may lack some (missing values); lists of values; or a
-- matrix
-- @tparam[opt] {string,...} names of the columns, in their order; default: all names in alphabetical order, or var_1, var_2, ...
-- @treturn data.Frame
-- @usage data.Frame.fromRows { { word = 'a', n = 1 }, { word = 'b' } }
function Frame.fromRows(rows, names)
  return require 'data.frame.from_rows'(rows, names)
end

-- Adds a column.
function Frame:_add(name, type, values, categories)
  self.names[#self.names + 1] = name
  self.types[name], self.columns[name], self.categories[name] = type, values, categories
end

-- A column as a record, as in `data.frame.column`. All loops over rows get columns here, after a check of their lengths.
function Frame:_record(name)
  return column.checked({ name = name, type = self.types[name], values = self.columns[name], categories = self.categories[name],
                          ordered = self.ordered[name], mask = self._masks and self._masks[name] }, self._count)
end

-- Columns of these names as records.
function Frame:_records(names)
  local list = {}
  for j, name in ipairs(names) do list[j] = self:_record(name) end
  return list
end

-- Adds a column from a record.
function Frame:_put(name, c)
  self:_add(name, c.type, c.values, c.categories)
  self.ordered[name], self._masks[name] = c.ordered or nil, c.mask
end

-- Creates a frame with the columns of these names; a function changes each record.
function Frame:_of(change, names, count, rowNames)
  local frame = Frame({}, {}, {}, {}, count)
  for _, name in ipairs(names) do
    check.that(not frame.columns[name], ('data.Frame: %s, which two columns would have'):format(name))
    frame:_put(name, change(self:_record(name), name))
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

local longestName = 60      -- in messages

-- The words for a column that the frame lacks, with the nearest of its names.
function Frame:_unknown(which)
  local isName = type(which) == 'string' or type(which) == 'number'
  local text = isName and tostring(which) or check.describe(which)
  if #text > longestName then text = text:sub(1, longestName) .. '...' end
  local near = require 'data.frame.nearest'(text, self.names)
  local shown = table.concat(self.names, ', ', 1, math.min(#self.names, 20)) .. (#self.names > 20 and ', ...' or '')
  if #self.names == 0 then shown = 'no column, as the frame has none' else shown = 'one of ' .. shown end
  return ('column: %s, expected %s%s'):format(text, shown, near and ('; the nearest name is %s'):format(near) or '')
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
  local values = columns and columns[key]
  return values, values ~= nil
end

local fields = { names = true, types = true, columns = true, categories = true, ordered = true, rowNames = true }

-- `frame.length = values` sets a column of this frame, as `assign` makes it; nil removes it.
function Frame:__newindex__(key, value)
  if type(key) ~= 'string' or fields[key] or key:sub(1, 1) == '_' or not rawget(self, 'columns') then return false end
  check.that(Frame[key] == nil, ('data.Frame: %s: the name of a method; assign { %s = ... } makes a column of this name'):format(key, key))
  self:_set(key, value)
  return true
end

--- The number of rows.
function Frame:size() return self._count end

--- A frame with some of the columns, whose memory is shared.
-- @tparam string|int|{string|int,...} which names or numbers
-- @treturn data.Frame
-- @usage print(flowers:select { 'species', 'length' }:head())
function Frame:select(which)
  check.that(which ~= nil, 'data.Frame:select: which: expected the name of a column or a list of names')
  return self:_of(function(c) return c end, self:_named(which), self._count, self.rowNames)
end

--- A column by its name or number.
-- @tparam string|int which
-- @treturn torch.Tensor|table a tensor of `size()` elements, or a list of texts
function Frame:column(which)
  local name = self.columns[which] and which or self.names[which] or self.columns[tostring(which)] and tostring(which)
  check.that(name, 'data.Frame: ' .. (name and '' or self:_unknown(which)))
  return self.columns[name], name
end

--- Columns of numbers as one tensor.
-- @tparam[opt] string|int|{string|int,...} which names or numbers; default: all except texts
-- @tparam[opt] string type of the tensor; default: the default type
-- @treturn torch.Tensor rows x columns
-- @raise if a column has texts
function Frame:matrix(which, type)
  local list = {}
  if type == nil then
    type = torch.getdefaulttensortype()
  else
    local known = typeName(check.text('data.Frame:matrix', 'type', type))
    type = check.that(known, ("data.Frame:matrix: type: '%s', expected a type of tensors"):format(type))
  end
  for _, each in ipairs(self:_named(which)) do
    local _, name = self:column(each)
    local c = self:_record(name)
    if c.type ~= 'text' then
      list[#list + 1] = (c.mask and column.doubles(c) or c.values):type(type):view(-1, 1)
    else
      check.that(not which, ("data.Frame: matrix: %s has texts, expected numbers; the type 'category' makes some of them"):format(name))
    end
  end
  check.that(#list > 0, 'data.Frame: matrix: no column has numbers')
  return torch.cat(list, 2)
end

--- A row.
-- @int i from 1 to size()
-- @treturn table values by name: numbers, texts, booleans; for a category its number. Missing numbers are NaN, missing texts '', missing
-- booleans nil, missing categories 0
function Frame:get(i)
  self:checkIndex(i)
  local row = {}
  for _, name in ipairs(self.names) do row[name] = column.raw(self:_record(name), i) end
  return row
end

--- Rows as a batch.
-- @tparam torch.LongTensor indices
-- @treturn table columns by name: tensors, or lists of texts
function Frame:getBatch(indices)
  check.tensor('data.Frame:getBatch', 'indices', indices)
  indices = self:_numbers('data.Frame:getBatch', indices)
  local batch = {}
  for name in pairs(self.columns) do
    local values = self:_record(name).values
    if torch.isTensor(values) then
      batch[name] = values:index(1, indices)
    else
      batch[name] = {}
      for j = 1, indices:size(1) do batch[name][j] = values[indices[j]] end
    end
  end
  return batch
end

-- Rows for a file: `missing` is for missing values, `decimal` before fractions, `dates` the format of dates, `zone` that of their clocks.
function Frame:_texts(op, options)
  local list, records, write, own = {}, self:_records(self.names), nil, {}
  local zone = options.zone ~= nil and require('data.frame.zones').open(op, options.zone) or nil
  if options.dates ~= nil then
    write = check.that(dates.writer(check.text(op, 'dates', options.dates), zone),
      ('%s: dates: %q, expected a format of %%Y, %%y, %%m, %%d, %%H, %%M, %%S, %%z, %%Z'):format(op, options.dates))
  elseif zone then
    write = function(seconds) return dates.zonedText(seconds, zone) end
  end
  for j, c in ipairs(records) do
    if c.type == 'date' then own[j] = write or dates.common(c.values) end
  end
  for i = 1, self._count do
    local row = {}
    for j, c in ipairs(records) do
      local value = column.value(c, i)
      if value == nil then
        value = options.missing or ''
      elseif c.type == 'date' then
        value = own[j](value)
      elseif type(value) == 'boolean' then
        value = tostring(value)
      elseif options.decimal == ',' and type(value) == 'number' then
        value = numberText.write('Double', value):gsub('%.', ',')
      end
      row[j] = value
    end
    list[i] = row
  end
  return list
end

--- All rows as lists of numbers and texts for a file: categories by their names, dates in ISO 8601 (of a column with a
-- time for all if one has a time), empty fields for NaN.
-- @treturn {table,...}
function Frame:rows() return self:_texts('data.Frame:rows', {}) end

return { Frame = Frame }
