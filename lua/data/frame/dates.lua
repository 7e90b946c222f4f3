--- Dates as seconds since 1970 in UTC: their texts, their formats, and the starts of periods.
-- Days are converted by Hinnant's algorithms (http://howardhinnant.github.io/date_algorithms.html).
-- @module data.frame.dates
local check = require 'torch.check'

local dates = {}

local floor = math.floor
local day = 86400
local furthest = 2 ^ 53      -- whole seconds beyond it are no doubles

--- Checks that a number is a date: NaN, or at most 2^53 seconds (285 million years) before or after 1970.
-- @string where begins the message
-- @number seconds
-- @treturn number seconds
function dates.checked(where, seconds)
  if seconds > furthest or seconds < -furthest then
    check.raise(('%s: %g, expected seconds since 1970 from -2^53 to 2^53'):format(where, seconds))
  end
  return seconds
end

--- Checks numbers as `checked` does.
-- @string where
-- @tparam torch.DoubleTensor values contiguous
-- @treturn torch.DoubleTensor values
function dates.allChecked(where, values)
  local p = values:data()
  for i = 0, values:nElement() - 1 do
    if p[i] > furthest or p[i] < -furthest then dates.checked(('%s[%d]'):format(where, i + 1), p[i]) end
  end
  return values
end

-- Days since 1970-01-01 of a date of the Gregorian calendar.
local function daysOf(year, month, dayOfMonth)
  if month <= 2 then year = year - 1 end
  local era = floor(year / 400)
  local yearOfEra = year - era * 400
  local dayOfYear = floor((153 * (month + (month > 2 and -3 or 9)) + 2) / 5) + dayOfMonth - 1
  return era * 146097 + yearOfEra * 365 + floor(yearOfEra / 4) - floor(yearOfEra / 100) + dayOfYear - 719468
end

-- Quotients of whole numbers below 2^50, rounded down: with a half they are farther from whole numbers than products with inverses err.
local perEra, per4Years, per100Years, perYear, per153, per400 = 1 / 146097, 1 / 1460, 1 / 36524, 1 / 365, 1 / 153, 1 / 146096

-- The year, month and day of a number of days since 1970-01-01.
local function dateOf(days)
  local shifted = days + 719468
  local era = floor((shifted + 0.5) * perEra)
  local ofEra = shifted - era * 146097
  local half = ofEra + 0.5
  local yearOfEra = floor((half - floor(half * per4Years) + floor(half * per100Years) - floor(half * per400)) * perYear)
  local dayOfYear = ofEra - (365 * yearOfEra + floor(yearOfEra * 0.25) - floor((yearOfEra + 0.5) * 0.01))
  local shiftedMonth = floor((5 * dayOfYear + 2.5) * per153)
  local month = shiftedMonth < 10 and shiftedMonth + 3 or shiftedMonth - 9
  return yearOfEra + era * 400 + (month <= 2 and 1 or 0), month, dayOfYear - floor((153 * shiftedMonth + 2) * 0.2 + 0.1) + 1
end

dates.daysOf, dates.dateOf = daysOf, dateOf

-- The text of whole seconds, with the time of day.
local function timeText(seconds)
  local days = floor(seconds / day)
  local year, month, dayOfMonth = dateOf(days)
  local rest = seconds - days * day
  return ('%04d-%02d-%02dT%02d:%02d:%02d'):format(year, month, dayOfMonth, floor(rest / 3600), floor(rest / 60) % 60, rest % 60)
end

--- The text of a time in ISO 8601, without the time of day at midnight.
-- @number seconds
-- @treturn string
function dates.text(seconds)
  local whole = floor(seconds)
  local fraction = ''
  if seconds ~= whole then fraction = ('%.6f'):format(seconds - whole):gsub('^[01]', ''):gsub('%.?0+$', '') end
  if whole % day ~= 0 or fraction ~= '' then return timeText(whole) .. fraction end
  return ('%04d-%02d-%02d'):format(dateOf(whole / day))
end

--- A function that writes the dates of a column in one form: with times if one has a time, and with as many digits of seconds as one needs.
-- @tparam torch.Tensor values
-- @treturn function of seconds since 1970
function dates.common(values)
  local hasTimes, digits = false, 0
  values = require('data.frame.loops').doubles(values)
  local p = values:data()
  for i = 0, values:nElement() - 1 do
    local x = p[i]
    if x - x == 0 and x % day ~= 0 then
      hasTimes = true
      if x % 1 ~= 0 then digits = math.max(digits, #(dates.text(x):match '%.(%d+)$' or '')) end
    end
  end
  if not hasTimes then return dates.text end
  if digits == 0 then return function(seconds) return timeText(floor(seconds)) end end
  return function(seconds)
    local text = dates.text(seconds)
    if not text:find('T', 1, true) then text = text .. 'T00:00:00' end
    local own = #(text:match '%.(%d+)$' or '')
    if own == digits then return text end
    return text .. (own == 0 and '.' or '') .. ('0'):rep(digits - own)
  end
end

local function everySeconds(length, offset)
  return function(seconds) return floor((seconds - offset) / length) * length + offset end
end

local function everyMonths(count)
  return function(seconds)
    local year, month = dateOf(floor(seconds / day))
    return daysOf(year, floor((month - 1) / count) * count + 1, 1) * day
  end
end

--- Functions of a time that return the start of its period, by the period's name.
dates.starts = {
  second = everySeconds(1, 0), minute = everySeconds(60, 0), hour = everySeconds(3600, 0), day = everySeconds(day, 0),
  week = everySeconds(7 * day, 4 * day), month = everyMonths(1), quarter = everyMonths(3), year = everyMonths(12),
}

local months = { jan = 1, feb = 2, mar = 3, apr = 4, may = 5, jun = 6, jul = 7, aug = 8, sep = 9, oct = 10, nov = 11, dec = 12 }

-- Patterns of the fields of a format, as strftime names them.
local fields = {
  Y = { '(%d%d%d%d)', 'year' }, m = { '(%d%d?)', 'month' }, d = { '(%d%d?)', 'day' }, H = { '(%d%d?)', 'hour' },
  M = { '(%d%d?)', 'minute' }, S = { '(%d%d?%.?%d*)', 'second' }, y = { '(%d%d)', 'shortYear' }, b = { '(%a%a%a)%a*', 'monthName' },
}
fields.B = fields.b

local function lengthOf(year, month)
  return (month == 12 and daysOf(year + 1, 1, 1) or daysOf(year, month + 1, 1)) - daysOf(year, month, 1)
end

local function secondsOf(parts)
  local year, month = parts.year, parts.month or 1
  if parts.shortYear then year = parts.shortYear + (parts.shortYear < 69 and 2000 or 1900) end
  local hour, minute, second, dayOfMonth = parts.hour or 0, parts.minute or 0, parts.second or 0, parts.day or 1
  if month < 1 or month > 12 or dayOfMonth < 1 or dayOfMonth > lengthOf(year, month) then return nil end
  if hour > 23 or minute > 59 or second >= 61 then return nil end
  return daysOf(year, month, dayOfMonth) * day + hour * 3600 + minute * 60 + second
end

--- A function that reads texts of a format.
-- @string format with strftime's %Y, %y (69 to 99 are of the last century), %m, %b and %B (English), %d, %H, %M, %S (also with a fraction)
-- and %%
-- @treturn ?function of a text, which returns seconds since 1970, or nil if the text has another format or is no date; nil if the format
-- has another letter, or no year
-- @treturn ?string the letter
function dates.reader(format)
  local names, other = {}, nil
  local pattern = format:gsub('[%^%$%(%)%.%[%]%*%+%-%?]', '%%%0'):gsub('%%([%a%%])', function(letter)
    if letter == '%' then return '%%' end
    local field = fields[letter]
    if not field then
      other = letter
      return ''
    end
    names[#names + 1] = field[2]
    return field[1]
  end)
  local hasYear = false
  for _, name in ipairs(names) do hasYear = hasYear or name == 'year' or name == 'shortYear' end
  if other or not hasYear then return nil, other or 'no year' end
  pattern = '^%s*' .. pattern .. '%s*$'
  return function(text)
    local found = { text:match(pattern) }
    if #found == 0 then return nil end
    local parts = {}
    for j, name in ipairs(names) do
      if name == 'monthName' then
        parts.month = months[found[j]:lower()]
        if not parts.month then return nil end
      else
        parts[name] = tonumber(found[j])
      end
    end
    return secondsOf(parts)
  end
end

local monthLengths = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 }
local byte = string.byte

-- The number of two digits, or of no such a NaN.
local function pair(a, b)
  if a < 48 or a > 57 or b < 48 or b > 57 then return 0 / 0 end
  return (a - 48) * 10 + b - 48
end

-- A date such as 2024-05-31 or 2024-05-31T12:30:15, by its bytes: the usual texts, read fast. Nil for others, which may be dates, too.
local function readUsual(text)
  local length = #text
  if length ~= 10 and length ~= 19 then return nil end
  local a, b, c, d, dash, e, f, dash2, g, h = byte(text, 1, 10)
  local year, month, dayOfMonth = pair(a, b) * 100 + pair(c, d), pair(e, f), pair(g, h)
  if dash ~= 45 or dash2 ~= 45 or year ~= year or not (month >= 1 and month <= 12) then return nil end
  local last = monthLengths[month]
  if month == 2 and year % 4 == 0 and (year % 100 ~= 0 or year % 400 == 0) then last = 29 end
  if not (dayOfMonth >= 1 and dayOfMonth <= last) then return nil end
  local seconds = daysOf(year, month, dayOfMonth) * day
  if length == 10 then return seconds end
  local letter, i, j, colon, k, l, colon2, m, n = byte(text, 11, 19)
  local hour, minute, second = pair(i, j), pair(k, l), pair(m, n)
  if (letter ~= 84 and letter ~= 32) or colon ~= 58 or colon2 ~= 58 then return nil end
  if not (hour < 24 and minute < 60 and second < 60) then return nil end
  return seconds + hour * 3600 + minute * 60 + second
end

local iso

--- Reads a text in ISO 8601: 2024, 2024-05, 2024-05-31, 2024-05-31T12:30 or 2024-05-31 12:30:15.25, with Z or a zone such as +02:00.
-- @string text
-- @treturn ?number seconds since 1970 in UTC; nil for other texts
function dates.read(text)
  local usual = readUsual(text)
  if usual then return usual end
  iso = iso or { dates.reader '%Y-%m-%d', dates.reader '%Y-%m-%dT%H:%M:%S', dates.reader '%Y-%m-%dT%H:%M', dates.reader '%Y-%m',
                 dates.reader '%Y' }
  local zone = 0
  local local_, sign, hours, minutes, rest = text:match '^(.*:%d%d%.?%d*)%s*([+-])(%d%d):?(%d%d):?(%d?%d?)%s*$'
  if local_ then
    rest = rest == '' and 0 or tonumber(rest)
    if tonumber(hours) > 23 or tonumber(minutes) > 59 or rest > 59 then return nil end
    zone = (sign == '-' and -1 or 1) * (tonumber(hours) * 3600 + tonumber(minutes) * 60 + rest)
    text = local_
  else
    text = text:match '^(.*:%d%d%.?%d*)%s*Z%s*$' or text
  end
  text = text:gsub('^(%s*%d%d%d%d%-%d%d?%-%d%d?)%s+(%d)', '%1T%2')
  for _, reader in ipairs(iso) do
    local seconds = reader(text)
    if seconds then return seconds - zone end
  end
end

-- An offset in seconds as +02:00, or with other text between hours and minutes.
local function offsetText(offset, between)
  local size = math.abs(offset)
  local text = ('%s%02d%s%02d'):format(offset < 0 and '-' or '+', floor(size / 3600), between, floor(size / 60) % 60)
  return size % 60 == 0 and text or ('%s%s%02d'):format(text, between, size % 60)
end

--- The text of a time in a zone in ISO 8601, with the offset.
-- @number seconds
-- @tparam table zone from `data.frame.zones`
-- @treturn string
function dates.zonedText(seconds, zone)
  local offset = require('data.frame.zones').offset(zone, seconds)
  local text = dates.text(seconds + offset)
  return (text:find('T', 1, true) and text or text .. 'T00:00:00') .. offsetText(offset, ':')
end

-- How string.format writes the fields of a format, and the sources of their values.
local written = {
  Y = { '%04d', 'year' }, y = { '%02d', 'year % 100' }, m = { '%02d', 'month' }, d = { '%02d', 'dayOfMonth' },
  H = { '%02d', 'floor(rest / 3600)' }, M = { '%02d', 'floor(rest / 60) % 60' }, S = { '%02d', 'rest % 60' },
  z = { '%s', "offsetText(offset, '')" }, Z = { '%s', 'name' },
}

local mostFields = 100      -- of the 250 arguments of a call

--- A function that writes times in a format.
-- @string format with strftime's %Y, %y, %m, %d, %H, %M, %S, %z (+0200), %Z (CEST) and %%
-- @tparam[opt] table zone from `data.frame.zones`; default: UTC
-- @treturn ?function of seconds since 1970; nil if the format has another letter, or more than 100 fields
function dates.writer(format, zone)
  local values, isKnown = {}, true
  local pattern = format:gsub('%%(.?)', function(letter)
    local field = written[letter]
    isKnown = isKnown and (field or letter == '%')
    values[#values + 1] = field and field[2]
    return field and field[1] or nil
  end)
  if not isKnown or #values > mostFields then return nil end
  local source = [[local pattern, floor, offsetText = ...
return function(year, month, dayOfMonth, rest, offset, name) return pattern:format(]] .. table.concat(values, ', ') .. ') end'
  local write = assert(loadstring(source))(pattern, floor, offsetText)
  local zones = zone and require 'data.frame.zones'
  return function(seconds)
    local offset, name = 0, 'UTC'
    if zone then offset, name = zones.offset(zone, seconds) end
    local whole = floor(seconds + offset)
    local days = floor(whole / day)
    local year, month, dayOfMonth = dateOf(days)
    return write(year, month, dayOfMonth, whole - days * day, offset, name)
  end
end

return dates
