--- Groups of rows by periods of time. Methods of `data.Frame`.
-- @module data.frame.times
local torch = require 'torch'
local check = require 'torch.check'
local data = require 'data'
local dates = require 'data.frame.dates'
local loops = require 'data.frame.loops'
local periods = require 'data.frame.periods'
local zones = require 'data.frame.zones'

local times = {}

local mostPeriods = 2 ^ 26

-- The name of a column of dates.
local function dateColumn(self, op, which)
  local _, name = self:column(which)
  check.that(self.types[name] == 'date', ("%s: %s: a column of %s, expected dates; cast { %s = 'date' } makes some"):format(op, name,
    self.types[name], name))
  return name
end

local function same(seconds) return seconds end

-- The zone of the options, or nil.
local function zoneOf(op, options)
  options = check.options(op, options, { 'zone' })
  return options.zone ~= nil and zones.open(op, options.zone) or nil
end

-- The time of a local time: the first of two; of none the time at which clocks were put forward.
local function fromLocal(zone)
  return function(seconds)
    local first, _, gap = zones.times(zone, seconds)
    return first or gap
  end
end

-- The starts of the periods of a column's dates, the earliest of these, the period, and a function that makes dates of these starts. With a
-- zone, days and longer periods are those of its clocks, and starts are local times; shorter periods count from the start of the first day.
local function starts(self, op, name, period, zone)
  local found = data.dates._period(op, period)
  local values = dates.allChecked(('%s: %s'):format(op, name), loops.doubles(self:_record(name).values)):clone()
  local p, n, first = values:data(), values:nElement(), math.huge
  for i = 0, n - 1 do
    if p[i] < first then first = p[i] end
  end
  if first == math.huge then return values, nil, found, same end
  local back, origin = same, nil
  if zone and found.unit ~= 'second' and found.unit ~= 'minute' and found.unit ~= 'hour' then
    back = fromLocal(zone)
    for i = 0, n - 1 do
      if p[i] == p[i] then p[i] = p[i] + zones.offset(zone, p[i]) end
    end
    first = first + zones.offset(zone, first)
  elseif zone then
    origin = fromLocal(zone)(dates.starts.day(first + zones.offset(zone, first)))
  end
  local start, lowest = periods.starter(found, first, origin), math.huge
  for i = 0, n - 1 do
    if p[i] == p[i] then
      p[i] = start(p[i])
      lowest = math.min(lowest, p[i])
    end
  end
  return values, lowest, found, back
end

-- A frame with the starts of periods in a column of dates.
local function truncated(self, op, which, period, options)
  local name = dateColumn(self, op, which)
  local values, _, _, back = starts(self, op, name, period, zoneOf(op, options))
  if back ~= same then
    local p, known = values:data(), {}
    for i = 0, values:nElement() - 1 do
      local each = p[i]
      if each == each then
        known[each] = known[each] or back(each)
        p[i] = known[each]
      end
    end
  end
  return self:_of(function(c, each) return each == name and { type = 'date', values = values } or c end, self.names, self:size(),
    self.rowNames), name
end

--- A frame whose dates in a column are the starts of their periods.
-- @function truncate
-- @tparam string|int which a column of dates
-- @string period a unit ('second', 'minute', 'hour', 'day', 'week', from Monday, 'month', 'quarter' or 'year'), or several ('15 minutes',
-- '2 weeks'). Periods of several units are counted from the unit of the earliest date; those of seconds, minutes and hours from its day
-- @tparam[opt] table options `zone`: whose days, weeks and months the periods are, such as 'Europe/Berlin' (UTC). Starts are the dates at
-- which they begin; if clocks skip or repeat this time, the first after it, or the first of both
-- @treturn data.Frame
-- @usage visits:truncate('day', 'month'):groupBy('day', 'shop'):sum()
function times.truncate(self, which, period, options)
  return (truncated(self, 'data.Frame:truncate', which, period, options))
end

--- Groups of rows in the same period of time. Periods without rows are no groups; those of `resample` are.
-- @function groupByTime
-- @tparam string|int which a column of dates
-- @string period as for `truncate`
-- @tparam[opt] table options as for `truncate`
-- @treturn data.Groups whose key is the start of the period
-- @usage visits:groupByTime('date', 'month'):sum()
function times.groupByTime(self, which, period, options)
  local frame, name = truncated(self, 'data.Frame:groupByTime', which, period, options)
  return frame:groupBy(name)
end

--- Groups of rows by all periods of time from the first date to the last, also those without rows: these have a count and sum of 0, and
-- other values are missing.
-- @function resample
-- @tparam string|int which a column of dates
-- @string period as for `truncate`
-- @tparam[opt] table options as for `truncate`
-- @treturn data.Groups whose key is the start of the period
-- @usage print(visits:resample('date', 'day'):sum():fillMissing(0))
function times.resample(self, which, period, options)
  local op = 'data.Frame:resample'
  local name = dateColumn(self, op, which)
  local values, first, found, back = starts(self, op, name, period, zoneOf(op, options))
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
  local length = found.length
  for i = 0, n - 1 do
    local each = p[i]
    if each ~= each then c[i] = 0 elseif length then c[i] = (each - first) / length + 1 else c[i] = places[each] end
  end
  for i = 1, #list do list[i] = back(list[i]) end
  local keys = data.Frame({}, {}, {}, {}, #list)
  keys:_put(name, { type = 'date', values = #list > 0 and torch.DoubleTensor(list) or torch.DoubleTensor():resize(0) })
  return data.Groups(self, { name }, codes, #list, keys)
end

return times
