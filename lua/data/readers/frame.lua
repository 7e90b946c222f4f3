--- A table of columns that have names and types: tensors for numbers, times and categories, lists for texts.
-- It is a set of rows, too: `size`, `get` and `getBatch` are what `data.DataLoader` and the sets of `data` ask for.
-- @classmod data.Frame
local torch = require 'torch'
local check = require 'torch.check'
local data = require 'data'
require 'data.Dataset'

local Frame, parent = torch.class('data.Frame', 'data.Dataset', data)

local shownRows, shownWidth = 10, 20

-- @tparam {string,...} names
-- @tparam table types of the columns, as `data.readers.column_types` has them
-- @tparam table values
-- @tparam table categories names of the categories of each, or false
-- @int count rows
function Frame:__init(names, types, values, categories, count)
  parent.__init(self)
  self.names, self.types, self.columns, self.categories, self._count = {}, {}, {}, {}, count
  for i, name in ipairs(names) do
    if self.columns[name] then name = ('%s_%d'):format(name, i) end
    self.names[i], self.types[name], self.columns[name] = name, torch.type(types[i]) == 'table' and 'category' or types[i], values[i]
    self.categories[name] = categories[i] or nil
  end
end

--- How many rows there are.
function Frame:size() return self._count end

--- A column by its name or number.
-- @tparam string|int which
-- @treturn torch.Tensor|table a tensor of `size()` elements, or a list of texts
function Frame:column(which)
  local name = self.columns[which] and which or self.names[which]
  check.that(name, ('data.Frame: column: %s, expected one of %s'):format(tostring(which), table.concat(self.names, ', ')))
  return self.columns[name], name
end

--- Columns of numbers as one tensor.
-- @tparam[opt] string|int|{string|int,...} which names or numbers; all that are no texts
-- @tparam[opt] string type of the tensor; the default type
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
-- @treturn table values by name: numbers, texts, booleans; of a category its number
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

-- What a file has for a value.
local function written(self, name, i)
  local value, type = valueAt(self.columns[name], i), self.types[name]
  if type == 'category' then return self.categories[name][value] or '' end
  if type == 'date' then return dateText(value) end
  return type == 'torch.BoolTensor' and tostring(value) or value == value and value or ''
end

--- All rows as lists of numbers and texts, as a file has them: categories by their names, times in ISO 8601, nothing for NaN.
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
  return #text > shownWidth and text:sub(1, shownWidth - 3) .. '...' or text
end

--- The first rows, below the columns' names.
function Frame:__tostring()
  local lines, widths = { {} }, {}
  for j, name in ipairs(self.names) do lines[1][j] = cut(name) end
  for i = 1, math.min(self._count, shownRows) do
    lines[i + 1] = {}
    for j, name in ipairs(self.names) do lines[i + 1][j] = cut(written(self, name, i)) end
  end
  for j = 1, #self.names do
    widths[j] = 0
    for _, line in ipairs(lines) do widths[j] = math.max(widths[j], #line[j]) end
  end
  local texts = {}
  for i, line in ipairs(lines) do
    for j, text in ipairs(line) do line[j] = (' '):rep(widths[j] - #text) .. text end
    texts[i] = table.concat(line, '  ')
  end
  texts[#texts + 1] = ('[data.Frame of %d rows, %d columns%s]'):format(self._count, #self.names,
    self._count > shownRows and (', the first %d shown'):format(shownRows) or '')
  return table.concat(texts, '\n')
end

return { Frame = Frame }
