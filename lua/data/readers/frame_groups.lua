--- Groups of a data frame's rows, and computations on each group.
-- @classmod data.Groups
local torch = require 'torch'
local check = require 'torch.check'
local statistics = require 'data.readers.frame_statistics'
local data = require 'data'

local Groups = torch.class('data.Groups', data)

--- Created by `data.Frame:group`.
-- @tparam data.Frame frame
-- @tparam {string,...} by names of the key columns
-- @tparam {table,...} groups row numbers of each group
function Groups:__init(frame, by, groups)
  self.frame, self.by, self._rows = frame, by, groups
end

--- The number of groups.
-- @treturn int
function Groups:size() return #self._rows end

--- A group's rows.
-- @int i from 1 to size()
-- @treturn data.Frame
function Groups:get(i)
  check.int('data.Groups', 'i', i, { min = 1, max = #self._rows })
  return self.frame:take(self._rows[i])
end

-- The key of a group: a value, or a list of values; categories by their names.
local function keyOf(self, i)
  local key, frame = {}, self.frame
  for j, name in ipairs(self.by) do
    local value = frame.columns[name][self._rows[i][1]]
    key[j] = frame.types[name] == 'category' and frame.categories[name][value] or value
  end
  return #key == 1 and key[1] or key
end

--- Iterates over the groups.
-- @treturn function iterator of a group's key (a value, or a list of values for several columns) and its rows
-- @usage for species, rows in flowers:group('species'):each() do print(species, rows.length:mean()) end
function Groups:each()
  local i = 0
  return function()
    i = i + 1
    if i <= #self._rows then return keyOf(self, i), self:get(i) end
  end
end

-- A frame with one row per group: the key columns and the given ones.
local function framed(self, names, values)
  local first = {}
  for g, indices in ipairs(self._rows) do first[g] = indices[1] end
  local keys = self.frame:select(self.by):take(first)
  for j, name in ipairs(names) do keys:_add(name, 'torch.DoubleTensor', values[j]) end
  return keys
end

-- Reduces each group's rows of a column to one number.
local function reduce(self, name, f)
  local column = self.frame.columns[name]
  local result = torch.DoubleTensor():resize(#self._rows)
  for g, indices in ipairs(self._rows) do result[g] = f(column:index(1, torch.LongTensor(indices)):double()) end
  return result
end

local function functionOf(op, f)
  if type(f) == 'function' then return f end
  check.that(statistics.functions[f], ("%s: what: %s, expected 'mean', 'sum', 'min', 'max', 'std', 'median', 'count' or a function"):format(
    op, tostring(f)))
  return statistics.functions[f]
end

--- Computes numbers for each group.
-- @tparam string|function|table what 'mean', 'sum', 'min', 'max', 'std' (with n - 1), 'median' or 'count' (of values that are not
-- missing), or a function of a DoubleTensor that returns a number, for all columns of numbers; or a table of these by column
-- @treturn data.Frame the key columns and the results. Only functions of the caller see missing values
-- @usage flowers:group('species'):aggregate { length = 'mean', width = function(x) return x:max() - x:min() end }
function Groups:aggregate(what)
  local op, names, values = 'data.Groups:aggregate', {}, {}
  if type(what) == 'table' then
    for name, f in pairs(what) do
      local column, found = self.frame:column(name)
      check.that(torch.isTensor(column), ('%s: %s has texts, expected numbers'):format(op, found))
      names[#names + 1], values[found] = found, functionOf(op, f)
    end
    table.sort(names, function(a, b) return self.frame:_place(a) < self.frame:_place(b) end)
    for j, name in ipairs(names) do values[j] = reduce(self, name, values[name]) end
    return framed(self, names, values)
  end
  local f, isKey = functionOf(op, what), {}
  for _, name in ipairs(self.by) do isKey[name] = true end
  for _, name in ipairs(statistics.numeric(self.frame)) do
    if not isKey[name] then names[#names + 1], values[#values + 1] = name, reduce(self, name, f) end
  end
  return framed(self, names, values)
end

--- The number of rows in each group.
-- @treturn data.Frame the key columns and `count`
function Groups:count()
  local counts = torch.DoubleTensor():resize(#self._rows)
  for g, indices in ipairs(self._rows) do counts[g] = #indices end
  local frame = framed(self, {}, {})
  frame:_add(frame.columns.count and 'count_2' or 'count', 'torch.LongTensor', counts:long())
  return frame
end

--- The means of each group's columns of numbers.
-- @function mean
-- @treturn data.Frame

--- The sums.
-- @function sum
-- @treturn data.Frame

--- The smallest values.
-- @function min
-- @treturn data.Frame

--- The largest values.
-- @function max
-- @treturn data.Frame

--- The standard deviations, with n - 1.
-- @function std
-- @treturn data.Frame

--- The medians.
-- @function median
-- @treturn data.Frame
for _, name in ipairs { 'mean', 'sum', 'min', 'max', 'std', 'median' } do
  Groups[name] = function(self) return self:aggregate(name) end
end

--- The groups' keys and sizes.
function Groups:__tostring() return ('%s\n[data.Groups of %d rows by %s]'):format(tostring(self:count()), self.frame:size(),
  table.concat(self.by, ', ')) end
