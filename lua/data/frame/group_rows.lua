--- Computations on groups whose results are rows: values for each row, chosen groups, frames of each group. Methods of `data.Groups`.
-- @module data.frame.group_rows
local torch = require 'torch'
local check = require 'torch.check'
local column = require 'data.frame.column'
local data = require 'data'
local loops = require 'data.frame.loops'

local groupRows = {}

local nan = 0 / 0

-- Functions of a group's numbers p[from] to p[to - 1], which they change in place.
local running = {}

function running.cumsum(p, from, to)
  local sum = 0
  for i = from, to - 1 do
    if p[i] == p[i] then
      sum = sum + p[i]
      p[i] = sum
    end
  end
end

function running.diff(p, from, to)
  for i = to - 1, from + 1, -1 do p[i] = p[i] - p[i - 1] end
  if from < to then p[from] = nan end
end

function running.pctChange(p, from, to)
  for i = to - 1, from + 1, -1 do p[i] = p[i] / p[i - 1] - 1 end
  if from < to then p[from] = nan end
end

function running.shift(p, from, to)
  for i = to - 1, from + 1, -1 do p[i] = p[i - 1] end
  if from < to then p[from] = nan end
end

function running.number(p, from, to)
  for i = from, to - 1 do p[i] = i - from + 1 end
end

-- A running function that combines each number with the result so far.
local function combining(combine)
  return function(p, from, to)
    local value
    for i = from, to - 1 do
      if p[i] == p[i] then
        value = value and combine(value, p[i]) or p[i]
        p[i] = value
      end
    end
  end
end
running.cumprod, running.cummax, running.cummin = combining(function(a, b) return a * b end), combining(math.max), combining(math.min)

function running.forward(p, from, to)
  for i = from + 1, to - 1 do
    if p[i] ~= p[i] then p[i] = p[i - 1] end
  end
end

function running.backward(p, from, to)
  for i = to - 2, from, -1 do
    if p[i] ~= p[i] then p[i] = p[i + 1] end
  end
end

function running.rank(p, from, to)
  local order, count = {}, 0
  for i = from, to - 1 do
    if p[i] == p[i] then
      count = count + 1
      order[count] = { p[i], i }
    end
  end
  table.sort(order, function(a, b) return a[1] < b[1] end)
  local first = 1
  for j = 1, count do
    if j == count or order[j + 1][1] ~= order[j][1] then
      for k = first, j do p[order[k][2]] = (first + j) / 2 end
      first = j + 1
    end
  end
end

-- The values of a function of each group's values, for each row: it returns one value, or a list or vector with one for each row.
local function ownValues(where, groups, sorted, starts, rows, f)
  local s, r, values, isText = starts:data(), rows:data(), {}, sorted.type == 'text'
  local numbers = not isText and column.doubles(sorted)
  for g = 1, groups.count do
    local from, count = s[g], s[g + 1] - s[g]
    if count > 0 then
      local own = isText and { unpack(sorted.values, from + 1, from + count) } or numbers:narrow(1, from + 1, count):clone()
      local found = f(own)
      local isList = torch.isTensor(found) or type(found) == 'table'
      if isList then
        local length = torch.isTensor(found) and found:nElement() or #found
        check.that(length == count, ('%s: %d values of a group of %d rows, expected one or as many'):format(where, length, count))
      end
      for j = 1, count do
        local value = found
        if isList then value = found[j] end
        values[r[from + j - 1]] = value
      end
    end
  end
  return column.ofList(where, values, groups.codes:nElement())
end

-- The values of a running function for each row.
local function runningValues(groups, sorted, starts, rows, f)
  local x = column.doubles(sorted):clone()
  local p, s, r = x:data(), starts:data(), rows:data()
  for g = 1, groups.count do f(p, s[g], s[g + 1]) end
  local result = torch.DoubleTensor():resize(x:nElement()):fill(nan)
  local q = result:data()
  for j = s[1], x:nElement() - 1 do q[r[j] - 1] = p[j] end
  return { type = 'torch.DoubleTensor', values = result }
end

local op = 'data.Groups:transform'

--- The frame with values of the row's group in each row. Rows that belong to no group get missing values.
-- @function transform
-- @tparam table what by names of the new or replaced columns `{ column, function }`, or by names of columns to replace a function: one that
-- `aggregate` takes; 'cumsum', 'cumprod', 'cummax', 'cummin', 'diff', 'pctChange' or 'shift' (from the row before in the group), 'forward'
-- or 'backward' (missing values become the last one before, or the next one), 'rank' (in the group, of equal values the mean), 'number' (of
-- the row in the group); or a function of a DoubleTensor or list of texts that returns one value, or as many
-- @treturn data.Frame with all rows in their order
-- @usage sales:groupBy('shop'):transform { share = { 'price', function(x) return x / x:sum() end }, mean = { 'price', 'mean' } }
function groupRows.transform(self, what)
  check.table(op, 'what', what)
  local frame, names = self.frame, {}
  for name in pairs(what) do names[#names + 1] = check.text(op, 'what', name) end
  table.sort(names)
  local groups = self:_grouped()
  local rows, starts = loops.sort(groups.codes, groups.count)
  local records, additions = {}, {}
  for _, name in ipairs(names) do
    local step = what[name]
    local pair = type(step) == 'table' and step.quantile == nil
    if pair then
      check.that(#step == 2, ('%s: %s: %d values, expected { column, function }'):format(op, name, #step))
    else
      step = { name, step }
    end
    local _, source = frame:column(step[1])
    local c, f, where = frame:_record(source), step[2], ('%s: %s'):format(op, name)
    if type(f) == 'function' then
      if c.type == 'category' then c = column.texts(c) end
      records[name] = ownValues(where, groups, column.take(c, rows), starts, rows, f)
    elseif running[f] then
      check.that(f == 'number' or column.isNumeric(c.type) or c.type == 'date',
        ('%s: a column of %s, expected numbers for %s'):format(where, c.type, f))
      if f == 'number' then c = { type = 'torch.DoubleTensor', values = torch.DoubleTensor():resize(frame:size()):zero() } end
      records[name] = runningValues(groups, column.take(c, rows), starts, rows, running[f])
    else
      local result = self:aggregate { result_ = { source, f } }
      records[name] = column.take(result:_record 'result_', groups.codes, frame:size() > 0 and groups.codes:min() == 0)
    end
    if not frame.columns[name] then additions[#additions + 1] = name end
  end
  local result = frame:_of(function(c, name) return records[name] or c end, frame.names, frame:size(), frame.rowNames)
  for _, name in ipairs(additions) do result:_put(name, records[name]) end
  return result
end

--- The rows of the groups that a function accepts, in their order.
-- @function filter
-- @tparam function accept of the group's rows, a data.Frame, and its key
-- @treturn data.Frame
-- @usage sales:groupBy('shop'):filter(function(rows) return rows:size() >= 10 end)
function groupRows.filter(self, accept)
  check.callable('data.Groups:filter', 'accept', accept)
  local kept, g = torch.ByteTensor(self._count + 1):zero(), 0
  local k = kept:data()
  for key, rows in self:each() do
    g = g + 1
    if accept(rows, key) then k[g] = 1 end
  end
  local n, codes = self.frame:size(), self:_grouped().codes
  local mask, c = torch.ByteTensor():resize(n), codes:data()
  local m = mask:data()
  for i = 0, n - 1 do m[i] = k[c[i]] end
  return self.frame:_taken(loops.places(mask))
end

--- The results of a function of each group below each other.
-- @function apply
-- @tparam function f of the group's rows, a data.Frame, and its key; returns a frame, or a table by names for one row, or nil for none
-- @treturn data.Frame with the key columns first, unless the results have them
-- @usage sales:groupBy('shop'):apply(function(rows) return rows:nlargest(2, 'price') end)
function groupRows.apply(self, f)
  check.callable('data.Groups:apply', 'f', f)
  local frames, keys, g = {}, self:_keys():select(self.by), 0
  for key, rows in self:each() do
    g = g + 1
    local result = f(rows, key)
    if result ~= nil then
      if torch.type(result) ~= 'data.Frame' then
        check.that(torch.type(result) == 'table', ('data.Groups:apply: a result of f: %s, expected a frame, a table or nil'):format(
          check.describe(result)))
        result = data.Frame.fromRows { result }
      end
      local n = result:size()
      local own = keys:_taken(loops.ints(n):fill(g))
      local frame = data.Frame({}, {}, {}, {}, n)
      for _, name in ipairs(self.by) do
        if not result.columns[name] then frame:_put(name, own:_record(name)) end
      end
      for _, name in ipairs(result.names) do frame:_put(name, result:_record(name)) end
      frames[#frames + 1] = frame
    end
  end
  if #frames == 0 then return keys:head(0) end
  return #frames == 1 and frames[1] or frames[1]:concat(unpack(frames, 2))
end

--- The first rows of each group, in their order.
-- @function head
-- @int[opt=5] n
-- @treturn data.Frame
function groupRows.head(self, n)
  n = check.int('data.Groups:head', 'n', n == nil and 5 or n, { min = 0 })
  local total, codes = self.frame:size(), self:_grouped().codes
  local mask, seen = torch.ByteTensor():resize(total), torch.IntTensor(self._count + 1):zero()
  local m, s, c = mask:data(), seen:data(), codes:data()
  for i = 0, total - 1 do
    local code = c[i]
    s[code] = s[code] + 1
    m[i] = code ~= 0 and s[code] <= n and 1 or 0
  end
  return self.frame:_taken(loops.places(mask))
end

return groupRows
