--- Dates and times: seconds since 1970-01-01 in UTC, as doubles, which represent all microseconds from 1698 to 2242, and seconds
-- up to 2^53 (285 million years) before and after 1970, beyond which numbers are no dates.
-- Functions take a number, a text in ISO 8601, a tensor, or a frame of one column of dates; they return a number, a tensor,
-- or such a frame, whose missing values stay missing.
-- @module data.dates
local torch = require 'torch'
local check = require 'torch.check'
local column = require 'data.frame.column'
local data = require 'data'
local loops = require 'data.frame.loops'
local own = require 'data.frame.dates'
local periods = require 'data.frame.periods'
local zones = require 'data.frame.zones'

local dates = {}

local function seconds(op, x)
  if type(x) == 'number' then return own.checked(op .. ': x', x) end
  check.that(type(x) == 'string', ('%s: x: %s, expected seconds since 1970, a date such as 2024-05-31, a tensor or a frame of one column')
    :format(op, check.describe(x)))
  return check.that(own.read(x), ('%s: x: %q, expected a date such as 2024-05-31 or 2024-05-31T12:30:00'):format(op, x))
end

local function mapped(op, x, f)
  local values = own.allChecked(op .. ': x', loops.doubles(x)):clone()
  local p = values:data()
  for i = 0, values:nElement() - 1 do
    if p[i] == p[i] then p[i] = f(p[i]) end
  end
  return values
end

-- A frame with a changed column of dates.
local function ofColumn(op, x, change)
  check.that(#x.names == 1, ('%s: x: a frame of %d columns, expected one of a single column'):format(op, #x.names))
  local name = x.names[1]
  check.that(x.types[name] == 'date', ("%s: %s: a column of %s, expected dates; cast { %s = 'date' } makes some"):format(op, name,
    x.types[name], name))
  return x:_of(change, x.names, x:size(), x.rowNames)
end

-- Calls a function of a number for all values.
local function apply(op, x, f, type_)
  if torch.isTensor(x) then return mapped(op, x, f) end
  if torch.type(x) ~= 'data.Frame' then
    x = seconds(op, x)
    return x == x and f(x) or x
  end
  return ofColumn(op, x, function(c)
    local values = mapped(op, c.values, f)
    if type_ ~= 'torch.LongTensor' then return { type = type_, values = values } end
    local mask = column.missing(c)
    return column.masked({ type = type_, values = values:maskedFill(mask, 0):long() }, mask)
  end)
end

--- Reads a date.
-- @string text in ISO 8601 (2024-05-31, 2024-05-31T12:30:00.5+02:00, a blank for the T), or in a given format
-- @string[opt] format with %Y, %y, %m, %b, %B, %d, %H, %M, %S
-- @treturn number seconds since 1970 in UTC
-- @raise if the text has another form
function dates.read(text, format)
  check.text('data.dates.read', 'text', text)
  if format == nil then return seconds('data.dates.read', text) end
  local reader, letter = own.reader(check.text('data.dates.read', 'format', format))
  check.that(reader, ('data.dates.read: format: %q has %s, expected %%Y, %%y, %%m, %%b, %%d, %%H, %%M, %%S, and a year'):format(format,
    letter == 'no year' and letter or '%' .. tostring(letter)))
  return check.that(reader(text), ('data.dates.read: text: %q, expected a date such as %s'):format(text, format))
end

--- The text of a date, or of all of a column, as a frame of texts.
-- @param x a number, a text, or a frame of one column
-- @string[opt] format with %Y, %y, %m, %d, %H, %M, %S, %z (+0200), %Z (CEST); default: ISO 8601
-- @string[opt] zone whose local time the text has, such as 'Europe/Berlin'; default: UTC
-- @return texts, in ISO 8601 with the zone's offset if there is a zone
-- @usage print(data.dates.text('2024-05-31T10:30:00', nil, 'Europe/Berlin'))      -- 2024-05-31T12:30:00+02:00
function dates.text(x, format, zone)
  local op = 'data.dates.text'
  local opened = zone ~= nil and zones.open(op, zone) or nil
  local writer = own.text
  if format ~= nil then
    writer = check.that(own.writer(check.text(op, 'format', format), opened),
      ('%s: format: %q, expected a format of %%Y, %%y, %%m, %%d, %%H, %%M, %%S, %%z, %%Z'):format(op, format))
  elseif opened then
    writer = function(each) return own.zonedText(each, opened) end
  end
  if torch.type(x) ~= 'data.Frame' then
    x = seconds(op, x)
    check.that(x - x == 0, op .. ': x: not a number, expected seconds since 1970')
    return writer(x)
  end
  return ofColumn(op, x, function(c, name)
    if format == nil and not opened then writer = own.common(c.values) end
    local list = {}
    for i = 1, column.count(c) do
      local each = column.value(c, i)
      list[i] = each and writer(own.checked(('%s: %s[%d]'):format(op, name, i), each))
    end
    return column.ofList(op, list, column.count(c))
  end)
end

--- The local times of a zone, as dates whose parts are those that its clocks show.
-- @param x dates in UTC
-- @string zone a name of the IANA data base, such as 'Europe/Berlin', from the system's files (package tzdata); 'UTC'; or '+05:30'
-- @return dates
-- @usage print(data.dates.hour(data.dates.toZone('2024-05-31T10:30:00Z', 'Europe/Berlin')))      -- 12
function dates.toZone(x, zone)
  local op = 'data.dates.toZone'
  zone = zones.open(op, zone)
  return apply(op, x, function(each) return each + zones.offset(zone, each) end, 'date')
end

--- The offsets of a zone from UTC.
-- @param x dates in UTC
-- @string zone as for `toZone`
-- @return seconds, which are positive to the east
function dates.zoneOffset(x, zone)
  local op = 'data.dates.zoneOffset'
  zone = zones.open(op, zone)
  return apply(op, x, function(each) return (zones.offset(zone, each)) end, 'torch.LongTensor')
end

local ambiguities = { 'error', 'first', 'last', 'missing' }
local absences = { 'error', 'forward', 'backward', 'missing' }

--- Dates in UTC of local times of a zone, such as those in a file without offsets.
-- @param x local times as dates
-- @string zone as for `toZone`
-- @tparam[opt] table options `ambiguous`: what a time becomes that clocks show twice, as they are put back: 'first' of the two (usually in
-- summer time), 'last', 'missing' or an 'error' (default); `nonexistent`: what a time becomes that clocks skip: 'forward' is the next time
-- that they show, 'backward' the microsecond before, 'missing', or an 'error' (default)
-- @return dates
-- @raise if a time is ambiguous or does not exist, and no option says what it becomes
-- @usage print(data.dates.text(data.dates.fromZone('2024-05-31T12:30:00', 'Europe/Berlin')))      -- 2024-05-31T10:30:00
function dates.fromZone(x, zone, options)
  local op = 'data.dates.fromZone'
  options = check.options(op, options, { 'ambiguous', 'nonexistent' })
  local ambiguous = check.choice(op, 'ambiguous', options.ambiguous or 'error', ambiguities)
  local nonexistent = check.choice(op, 'nonexistent', options.nonexistent or 'error', absences)
  local opened = zones.open(op, zone)
  return apply(op, x, function(each)
    local first, last, gap = zones.times(opened, each)
    if first and first == last then return first end
    if first then
      if ambiguous == 'first' then return first elseif ambiguous == 'last' then return last end
      check.that(ambiguous == 'missing', ("%s: x: %s comes twice in %s, expected another time, or ambiguous = 'first', 'last' or 'missing'")
        :format(op, own.text(each), zone))
      return 0 / 0
    end
    if nonexistent == 'forward' then return gap elseif nonexistent == 'backward' then return gap - 1e-6 end
    check.that(nonexistent == 'missing',
      ("%s: x: %s does not exist in %s, expected another time, or nonexistent = 'forward', 'backward' or 'missing'"):format(op,
        own.text(each), zone))
    return 0 / 0
  end, 'date')
end

local function periodOf(op, text, signed)
  return check.that(periods.read(check.text(op, 'period', text), signed),
    ("%s: period: '%s', expected a unit of second, minute, hour, day, week, month, quarter, year, or several, such as '15 minutes'"):format(
      op, text))
end
dates._period = periodOf

--- The starts of periods.
-- @param x dates
-- @string period 'second', 'minute', 'hour', 'day', 'week' (from Monday), 'month', 'quarter' or 'year'
-- @return starts
-- @usage print(data.dates.text(data.dates.startOf('2024-05-31', 'quarter')))      -- 2024-04-01
function dates.startOf(x, period)
  local op = 'data.dates.startOf'
  local found = periodOf(op, period)
  check.that(found.count == 1, ("%s: period: '%s', expected one unit"):format(op, period))
  return apply(op, x, own.starts[found.unit], 'date')
end

--- Dates some periods later, or earlier. A month after 31 January is the last day of February, as is a month before 31 March.
-- @param x dates
-- @string period such as 'month', '15 minutes', '2 years' or '-1 month'
-- @int[opt=1] times may be negative
-- @return dates
-- @raise if a sum is more than 2^53 seconds before or after 1970
-- @usage print(data.dates.text(data.dates.add('2024-01-31', 'month')))      -- 2024-02-29
function dates.add(x, period, times)
  local op = 'data.dates.add'
  local found = periodOf(op, period, true)
  times = times == nil and 1 or check.int(op, 'times', times, { min = -2 ^ 31, max = 2 ^ 31 })
  return apply(op, x, function(each) return own.checked(op .. ': the sum', periods.add(each, found, times)) end, 'date')
end

local mostDates = 2 ^ 27

--- Dates in regular steps.
-- @tparam number|string first
-- @tparam number|string|nil last included if a step reaches it
-- @tparam[opt] string|table options the step ('day'), such as 'month' or '15 minutes'; or a table of `step`, `count` (the number of dates,
-- with `last` nil) and `name` of the column ('date')
-- @treturn data.Frame of one column of dates
-- @usage print(data.dates.range('2024-01-01', '2024-12-31', 'month'))
function dates.range(first, last, options)
  local op = 'data.dates.range'
  if type(options) == 'string' then options = { step = options } end
  options = check.options(op, options, { 'step', 'count', 'name' })
  local step = periodOf(op, options.step or 'day')
  first = seconds(op, first)
  check.that((last == nil) ~= (options.count == nil), op .. ': last: expected either last or the option count')
  local most = options.count and check.int(op, 'count', options.count, { min = 0, max = mostDates }) or math.huge
  last = last ~= nil and seconds(op, last) or math.huge
  check.that(first - first == 0 and last == last, op .. ': first, last: not a number, expected dates')
  local list, i, value = {}, 0, first
  while i < most and value <= last do
    check.that(i < mostDates, ('%s: more than %d dates'):format(op, mostDates))
    i = i + 1
    list[i], value = value, periods.add(first, step, i)
  end
  local values = i > 0 and torch.DoubleTensor(list) or torch.DoubleTensor():resize(0)
  local name = check.text(op, 'name', options.name or 'date')
  return data.Frame({ [name] = values }, { name }):cast { [name] = 'date' }
end

--- The year.
-- @function year
-- @param x dates
-- @return numbers

--- The month, from 1 to 12.
-- @function month
-- @param x dates
-- @return numbers

--- The day of the month, from 1 to 31.
-- @function day
-- @param x dates
-- @return numbers

--- The hour, from 0 to 23.
-- @function hour
-- @param x dates
-- @return numbers

--- The minute, from 0 to 59.
-- @function minute
-- @param x dates
-- @return numbers

--- The second, with its fraction.
-- @function second
-- @param x dates
-- @return numbers

--- The day of the week: 1 is Monday and 7 Sunday, as in ISO 8601.
-- @function weekday
-- @param x dates
-- @return numbers

--- The day of the year, from 1 to 366.
-- @function dayOfYear
-- @param x dates
-- @return numbers

--- The week of the year as ISO 8601 counts them, from 1 to 53.
-- @function week
-- @param x dates
-- @return numbers

--- The quarter, from 1 to 4.
-- @function quarter
-- @param x dates
-- @return numbers
for name, f in pairs(periods.parts) do
  local op, type_ = 'data.dates.' .. name, name == 'second' and 'torch.DoubleTensor' or 'torch.LongTensor'
  dates[name] = function(x) return apply(op, x, f, type_) end
end

return dates
