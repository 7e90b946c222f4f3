--- Rows of a data frame: the first, the last, complete rows, sorted rows, and groups of rows. Methods of `data.Frame`.
-- @module data.readers.frame_rows
local torch = require 'torch'
local check = require 'torch.check'

local rows = {}

local missingWords = { [''] = true, na = true, ['n/a'] = true, ['#n/a'] = true, nan = true, null = true, none = true, ['<na>'] = true }

-- The rows of a column with the numbers in a LongTensor.
local function chosen(column, indices)
  if torch.isTensor(column) then
    return indices:nElement() > 0 and column:index(1, indices) or column.new():resize(0)
  end
  local list = {}
  for j = 1, indices:nElement() do list[j] = column[indices[j]] end
  return list
end

--- Rows by their numbers.
-- @function take
-- @tparam torch.LongTensor|{int,...} indices from 1 to size(), in any order, also repeated
-- @treturn data.Frame
function rows.take(self, indices)
  if type(indices) == 'table' and not torch.isTensor(indices) then
    indices = #indices > 0 and torch.LongTensor(indices) or torch.LongTensor():resize(0)
  end
  check.tensor('data.Frame:take', 'indices', indices)
  indices = indices:long():view(-1)
  local count = indices:nElement()
  if count > 0 then
    local low, high = indices:min(), indices:max()
    check.that(low >= 1 and high <= self:size(), ('data.Frame:take: indices: %d, expected numbers from 1 to %d'):format(
      low < 1 and low or high, self:size()))
  end
  return self:_of(function(name) return chosen(self.columns[name], indices) end, self.names, count,
    self.rowNames and chosen(self.rowNames, indices))
end

local function span(self, first, count)
  local indices = torch.LongTensor():resize(count)
  for i = 1, count do indices[i] = first + i - 1 end
  return self:take(indices)
end

local function countOf(self, op, n)
  return math.min(n == nil and 5 or check.int(op, 'n', n, { min = 0 }), self:size())
end

--- The first rows.
-- @function head
-- @int[opt=5] n
-- @treturn data.Frame
function rows.head(self, n) return span(self, 1, countOf(self, 'data.Frame:head', n)) end

--- The last rows.
-- @function tail
-- @int[opt=5] n
-- @treturn data.Frame
function rows.tail(self, n)
  local count = countOf(self, 'data.Frame:tail', n)
  return span(self, self:size() - count + 1, count)
end

--- The rows for which a function or a mask is true.
-- @function where
-- @tparam function|torch.ByteTensor|torch.BoolTensor accept a function of a row from `get`; or a mask with one element per row
-- @treturn data.Frame
-- @usage flowers:where(function(row) return row.length > 5 end)
-- flowers:where(flowers.length:gt(5))
function rows.where(self, accept)
  local kept = {}
  if torch.isTensor(accept) then
    check.that(accept:nElement() == self:size(),
      ('data.Frame:where: mask: %d elements, expected %d'):format(accept:nElement(), self:size()))
    local mask = accept:byte():view(-1)
    for i = 1, self:size() do
      if mask[i] ~= 0 then kept[#kept + 1] = i end
    end
  else
    check.that(type(accept) == 'function', 'data.Frame:where: accept: expected a function of a row or a mask')
    for i = 1, self:size() do
      if accept(self:get(i)) then kept[#kept + 1] = i end
    end
  end
  return self:take(kept)
end

-- Returns a function of a row's number that returns whether the row's value of a column is missing.
local function lacks(self, name)
  local column, type = self.columns[name], self.types[name]
  if type == 'category' then return function(i) return column[i] == 0 end end
  if torch.isTensor(column) then return function(i) return column[i] ~= column[i] end end
  return function(i)
    local text = column[i]
    return #text <= 4 and missingWords[text:lower()] == true
  end
end

--- The rows without missing values: NaN in numbers and dates, 0 in categories, and empty texts, NA, N/A, NaN, null, none.
-- @function dropMissing
-- @tparam[opt] string|int|{string|int,...} which columns to check; default: all
-- @treturn data.Frame
function rows.dropMissing(self, which)
  local kept, tests = {}, {}
  for j, name in ipairs(self:_named(which)) do tests[j] = lacks(self, name) end
  for i = 1, self:size() do
    local complete = true
    for _, test in ipairs(tests) do complete = complete and not test(i) end
    if complete then kept[#kept + 1] = i end
  end
  return self:take(kept)
end

-- A list of sort keys of a column: categories from a given list by their number, others by name; nil for missing values.
local function keysOf(self, name)
  local column, type, keys = self.columns[name], self.types[name], {}
  local missing = lacks(self, name)
  local names = type == 'category' and not self.ordered[name] and self.categories[name]
  for i = 1, self:size() do
    if not missing(i) then
      local value = column[i]
      if names then value = names[value] elseif type == 'torch.BoolTensor' then value = (value == true or value == 1) and 1 or 0 end
      keys[i] = value
    end
  end
  return keys
end

-- Row numbers sorted by columns. Missing values come last; the sort is stable.
local function order(self, names, descending)
  local keys, indices = {}, {}
  for j, name in ipairs(names) do keys[j] = keysOf(self, name) end
  for i = 1, self:size() do indices[i] = i end
  table.sort(indices, function(a, b)
    for j = 1, #keys do
      local first, second = keys[j][a], keys[j][b]
      if first ~= second then
        if first == nil or second == nil then return second == nil end
        if descending then return first > second end
        return first < second
      end
    end
    return a < b
  end)
  return indices, keys
end

--- The rows sorted by one or more columns. Rows with missing values come last; the sort is stable.
-- @function sort
-- @tparam string|int|{string|int,...} by columns, the most significant first; categories by their names, or in the order of a given list
-- @tparam[opt] table options `descending = true`: the largest first
-- @treturn data.Frame
function rows.sort(self, by, options)
  options = check.options('data.Frame:sort', options, { 'descending' })
  check.that(by ~= nil, 'data.Frame:sort: by: expected the name of a column or a list of names')
  return self:take((order(self, self:_named(by), options.descending)))
end

--- Groups of rows with the same values in one or more columns. Rows with a missing value there belong to no group.
-- @function group
-- @tparam string|int|{string|int,...} by columns
-- @treturn data.Groups sorted by these columns
-- @usage print(flowers:group('species'):mean())
function rows.group(self, by)
  check.that(by ~= nil, 'data.Frame:group: by: expected the name of a column or a list of names')
  local names = self:_named(by)
  local indices, keys = order(self, names, false)
  local groups, last = {}, nil
  for _, i in ipairs(indices) do
    local whole, same = true, last ~= nil
    for j = 1, #keys do
      whole = whole and keys[j][i] ~= nil
      same = same and keys[j][i] == keys[j][last]
    end
    if whole then
      if not same then groups[#groups + 1] = {} end
      table.insert(groups[#groups], i)
      last = i
    end
  end
  return require('data').Groups(self, names, groups)
end

--- The number of occurrences of each value of a column, the most frequent first. Missing values are not counted.
-- @function valueCounts
-- @tparam string|int which
-- @treturn data.Frame the column, and `count`
function rows.valueCounts(self, which)
  local groups = self:group(which)
  local counted = groups:count()
  local name = groups.by[1]
  local label = name == 'count' and 'count_2' or 'count'
  local first = {}
  for g, indices in ipairs(groups._rows) do first[g] = indices[1] end
  local sequence = {}
  for g = 1, #first do sequence[g] = g end
  table.sort(sequence, function(a, b)
    if #groups._rows[a] ~= #groups._rows[b] then return #groups._rows[a] > #groups._rows[b] end
    return first[a] < first[b]
  end)
  return counted:select { name, label }:take(sequence)
end

return rows
