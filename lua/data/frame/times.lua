--- Groups of rows by periods of time. Methods of `data.Frame`.
-- @module data.frame.times
local torch = require 'torch'
local check = require 'torch.check'
local data = require 'data'
local dates = require 'data.frame.dates'
local loops = require 'data.frame.loops'
local periods = require 'data.frame.periods'

local times = {}

local mostPeriods = 2 ^ 26

-- The name of a column of dates.
local function dateColumn(self, op, which)
  local _, name = self:column(which)
  check.that(self.types[name] == 'date', ("%s: %s: a column of %s, expected dates; cast { %s = 'date' } makes some"):format(op, name,
    self.types[name], name))
  return name
end

-- The starts of the periods of a column's dates, the earliest of these, and the period.
local function starts(self, op, name, period)
  local found = data.dates._period(op, period)
  local values = dates.allChecked(('%s: %s'):format(op, name), loops.doubles(self:_record(name).values)):clone()
  local p, n, first = values:data(), values:nElement(), math.huge
  for i = 0, n - 1 do
    if p[i] < first then first = p[i] end
  end
  if first == math.huge then return values, nil, found end
  local start, lowest = periods.starter(found, first), math.huge
  for i = 0, n - 1 do
    if p[i] == p[i] then
      p[i] = start(p[i])
      lowest = math.min(lowest, p[i])
    end
  end
  return values, lowest, found
end

--- A frame whose dates in a column are the starts of their periods.
-- @function truncate
-- @tparam string|int which a column of dates
-- @string period a unit ('second', 'minute', 'hour', 'day', 'week', from Monday, 'month', 'quarter' or 'year'), or several ('15 minutes',
-- '2 weeks'). Periods of several units are counted from the unit of the earliest date; those of seconds, minutes and hours from its day
-- @treturn data.Frame
-- @usage visits:truncate('day', 'month'):groupBy('day', 'shop'):sum()
function times.truncate(self, which, period)
  local op = 'data.Frame:truncate'
  local name = dateColumn(self, op, which)
  local values = starts(self, op, name, period)
  return self:_of(function(c, each) return each == name and { type = 'date', values = values } or c end, self.names, self:size(),
    self.rowNames)
end

--- Groups of rows in the same period of time. Periods without rows are no groups; those of `resample` are.
-- @function groupByTime
-- @tparam string|int which a column of dates
-- @string period as for `truncate`
-- @treturn data.Groups whose key is the start of the period
-- @usage visits:groupByTime('date', 'month'):sum()
function times.groupByTime(self, which, period)
  local op = 'data.Frame:groupByTime'
  local name = dateColumn(self, op, which)
  local values = starts(self, op, name, period)
  return self:_of(function(c, each) return each == name and { type = 'date', values = values } or c end, self.names, self:size(),
    self.rowNames):groupBy(name)
end

--- Groups of rows by all periods of time from the first date to the last, also those without rows: these have a count and sum of 0, and
-- other values are missing.
-- @function resample
-- @tparam string|int which a column of dates
-- @string period as for `truncate`
-- @treturn data.Groups whose key is the start of the period
-- @usage print(visits:resample('date', 'day'):sum():fillMissing(0))
function times.resample(self, which, period)
  local op = 'data.Frame:resample'
  local name = dateColumn(self, op, which)
  local values, first, found = starts(self, op, name, period)
  local n, places, list, last = values:nElement(), {}, {}, -math.huge
  local p = values:data()
  for i = 0, n - 1 do
    if p[i] > last then last = p[i] end
  end
  local start = first
  local longest = found.length or found.months * 31 * 86400
  check.that(not first or (last - first) / longest < mostPeriods, ('%s: more than %d periods'):format(op, mostPeriods))
  while start and start <= last do
    list[#list + 1], places[start] = start, #list + 1
    start = periods.add(first, found, #list)
  end
  local codes = loops.ints(n)
  local c = codes:data()
  for i = 0, n - 1 do c[i] = places[p[i]] or 0 end
  local keys = data.Frame({}, {}, {}, {}, #list)
  keys:_put(name, { type = 'date', values = #list > 0 and torch.DoubleTensor(list) or torch.DoubleTensor():resize(0) })
  return data.Groups(self, { name }, codes, #list, keys)
end

return times
