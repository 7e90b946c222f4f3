--- Groups of a data frame's rows, and computations on each group.
-- @classmod data.Groups
local torch = require 'torch'
local check = require 'torch.check'
local aggregates = require 'data.frame.aggregates'
local column = require 'data.frame.column'
local loops = require 'data.frame.loops'
local data = require 'data'
local null = require('data.readers.jsonl').null

local Groups = torch.class('data.Groups', data)

for name, method in pairs(require 'data.frame.group_rows') do Groups[name] = method end

--- Created by `data.Frame:groupBy`.
-- @tparam data.Frame frame
-- @tparam {string,...} by names of the key columns
-- @tparam torch.IntTensor codes the group of each row; 0 for none
-- @int count of groups
-- @tparam[opt] data.Frame keys of the groups; default: those of their first rows
function Groups:__init(frame, by, codes, count, keys)
  self.frame, self.by, self._codes, self._count, self._given = frame, by, codes, count, keys
end

-- The groups for loops over the frame's rows, which a program can change: the group of each row and the number of groups.
function Groups:_grouped()
  local codes, count = self._codes, self._count
  local n = codes:nElement()
  check.that(n == self.frame:size(), ('data.Groups: the frame has %d rows, expected %d, which it had when they were grouped'):format(
    self.frame:size(), n))
  check.that(n == 0 or torch.isTypeOf(codes, 'torch.IntTensor') and codes:min() >= 0 and codes:max() <= count,
    ('data.Groups: expected an IntTensor of numbers of groups from 0 to %s'):format(tostring(count)))
  return { codes = codes:contiguous(), count = count }
end

-- The rows in the order of their groups, and the place of each group's first row.
local function sorted(self)
  local groups = self:_grouped()
  if not self._rows then self._rows, self._starts = loops.sort(groups.codes, groups.count) end
  return self._rows, self._starts
end

-- The first row of each group.
local function firstRows(self)
  local rows, starts = sorted(self)
  local list = loops.ints(self._count)
  local r, s, p = rows:data(), starts:data(), list:data()
  for g = 1, self._count do p[g - 1] = r[s[g]] end
  return list
end

--- The number of groups.
-- @treturn int
function Groups:size() return self._count end

--- A group's rows.
-- @int i from 1 to size()
-- @treturn data.Frame
function Groups:get(i)
  check.int('data.Groups', 'i', i, { min = 1, max = self._count })
  local rows, starts = sorted(self)
  return self.frame:_taken(rows:narrow(1, starts[i + 1] + 1, starts[i + 2] - starts[i + 1]):clone())
end

-- The key of a group: a value, or a list of values; categories by their names, missing values as `null`.
local function keyOf(self, keyed, i)
  local key = {}
  for j, name in ipairs(self.by) do
    local value = column.value(keyed:_record(name), i)
    if value == nil then value = null end
    key[j] = value
  end
  return #key == 1 and key[1] or key
end

--- Iterates over the groups.
-- @treturn function iterator of a group's key (a value, or a list of values for several columns; `data.jsonl.null` for a missing one) and
-- its rows
-- @usage for species, rows in flowers:groupBy('species'):each() do print(species, rows.length:mean()) end
function Groups:each()
  local i, keyed = 0, self:_keys()
  return function()
    i = i + 1
    if i <= self._count then return keyOf(self, keyed, i), self:get(i) end
  end
end

-- A frame with the keys of each group.
function Groups:_keys() return self._given or self.frame:select(self.by):_taken(firstRows(self)) end

local named = {}
for name in pairs(aggregates.functions) do
  if name ~= 'quantile' then named[#named + 1] = name end
end
table.sort(named)

-- A function of the columns of groups from its name, a table { quantile = share } or a program's function; and its name in results.
local function functionOf(where, f)
  if type(f) == 'function' then return function(place, c, groups) return aggregates.own(place, c, groups, f) end, 'own' end
  local share = type(f) == 'table' and f.quantile
  if share then
    check.number(where, 'quantile', share, { min = 0, max = 1 })
    return function(_, c, groups) return aggregates.functions.quantile.call(c, groups, share) end, ('q%g'):format(share), 'quantile'
  end
  check.that(type(f) == 'string' and aggregates.functions[f] and f ~= 'quantile',
    ("%s: %s, expected 'mean', { quantile = share }, a function, or one of %s"):format(where, check.describe(f), table.concat(named, ', ')))
  return function(_, c, groups) return aggregates.functions[f].call(c, groups) end, f, f
end

-- Whether a function takes the values of a column.
local function takes(c, name)
  local kind = name and aggregates.functions[name]
  if not kind or not kind.numeric then return true end
  return c.type ~= 'text' and c.type ~= 'category' and (c.type ~= 'date' or kind.dates == true)
end

local function compute(self, column_, f)
  local where = ('data.Groups:aggregate: %s'):format(column_)
  local call, label, name = functionOf(where, f)
  local c = self.frame:_record(column_)
  check.that(takes(c, name), ('%s has %s, expected numbers for %s'):format(where,
    c.type == 'text' and 'texts' or c.type == 'category' and 'categories' or 'dates', tostring(name)))
  local result = call(where, c, self:_grouped())
  if c.type == 'date' and name and aggregates.functions[name].dates then result.type = 'date' end
  return result, label
end

local function add(frame, name, c)
  check.that(not frame.columns[name], ('data.Groups:aggregate: %s, which two columns would have'):format(name))
  frame:_put(name, c)
end

-- The steps { result, column, function } that a table asks for, in the order of the frame's columns, then of the names.
local function stepsOf(self, what)
  local steps, places = {}, {}
  for j, name in ipairs(self.frame.names) do places[name] = j end
  for key, f in pairs(what) do
    local isList = type(f) == 'table' and f[1] ~= nil
    if not self.frame.columns[key] and isList and #f == 2 then      -- result = { column, function }
      steps[#steps + 1] = { key, select(2, self.frame:column(f[1])), f[2], place = math.huge }
    else
      local _, name = self.frame:column(key)
      for i, each in ipairs(isList and f or { f }) do
        steps[#steps + 1] = { not isList and name, name, each, place = places[name] + i / 1000 }
      end
    end
  end
  table.sort(steps, function(a, b)
    if a.place ~= b.place then return a.place < b.place end
    return tostring(a[1]) < tostring(b[1])
  end)
  return steps
end

--- Computes values for each group. Missing values are left out, except for functions of the caller.
-- @tparam string|function|table what 'count', 'size' (rows, also with missing values), 'sum', 'mean', 'min', 'max', 'first', 'last', 'var'
-- and 'std' (with n - 1), 'sem' (standard error of the mean), 'median', 'prod', 'any', 'all', 'nunique' (distinct values),
-- `{ quantile = 0.9 }` (interpolated linearly), or a function of a DoubleTensor or a list of texts, for all
-- columns of numbers; or a list of these, whose results are `column_function`. Or a table of either by column;
-- `name = { column, function }` names a result
-- @treturn data.Frame the key columns and the results
-- @usage flowers:groupBy('species'):aggregate { length = { 'mean', 'std' }, widest = { 'width', 'max' },
--   count = function(x) return x:max() - x:min() end }
function Groups:aggregate(what)
  local frame = self:_keys():select(self.by)
  local isSingle = type(what) ~= 'table' or what.quantile ~= nil
  if isSingle then functionOf('data.Groups:aggregate: what', what) end
  if isSingle or what[1] ~= nil then
    local byColumn = {}
    for _, name in ipairs(self.frame.names) do
      if column.isNumeric(self.frame.types[name]) and not frame.columns[name] then byColumn[name] = what end
    end
    what = byColumn
  end
  for _, step in ipairs(stepsOf(self, what)) do
    local result, label = compute(self, step[2], step[3])
    add(frame, step[1] or ('%s_%s'):format(step[2], label), result)
  end
  return frame
end

--- The number of rows in each group.
-- @treturn data.Frame the key columns and `count`
function Groups:count()
  local _, starts = sorted(self)
  local counts = torch.LongTensor():resize(self._count)
  local frame = self:_keys():select(self.by)
  if self._count > 0 then counts:copy(starts:narrow(1, 3, self._count)):csub(starts:narrow(1, 2, self._count):long()) end
  frame:_put(frame.columns.count and 'count_2' or 'count', { type = 'torch.LongTensor', values = counts })
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
