--- Periods of time such as '15 minutes' or 'month', parts of dates such as the weekday, and sums of dates and periods.
-- @module data.frame.periods
local dates = require 'data.frame.dates'

local periods = {}

local floor = math.floor
local day = 86400
local lengths = { second = 1, minute = 60, hour = 3600, day = day, week = 7 * day }      -- in seconds
local monthsOf = { month = 1, quarter = 3, year = 12 }

--- Reads a period: a unit ('second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'), also in the plural after a number.
-- @string text
-- @bool[opt] signed whether the number may be negative, for steps backwards
-- @treturn ?table `unit`, `count`, and `length` in seconds or `months`; nil for other texts
function periods.read(text, signed)
  local sign, count, unit = text:match '^%s*([+-]?)(%d*)%s*(%a+)%s*$'
  if not unit or (sign ~= '' and not signed) then return nil end
  unit = unit:lower()
  if not lengths[unit] and not monthsOf[unit] then unit = unit:gsub('s$', '') end
  count = count == '' and 1 or tonumber(count)
  if count < 1 or count > 2 ^ 31 or not lengths[unit] and not monthsOf[unit] then return nil end
  if sign == '-' then count = -count end
  local length, months = lengths[unit], monthsOf[unit]
  return { unit = unit, count = count, length = length and length * count, months = months and months * count }
end

-- The number of a month, from January of the year 0.
local function monthNumber(seconds)
  local year, month = dates.dateOf(floor(seconds / day))
  return 12 * year + month - 1
end

local function startOfMonth(number)
  local year = floor(number / 12)
  return dates.daysOf(year, number - 12 * year + 1, 1) * day
end

--- A function of a time that returns the start of its period. Periods of several units begin with the unit of the first time, those of
-- seconds, minutes and hours at the start of its day.
-- @tparam table period from `read`
-- @number first
-- @number[opt] origin from which seconds, minutes and hours count; default: the start of the day of the first time
-- @treturn function
function periods.starter(period, first, origin)
  if origin then return function(seconds) return floor((seconds - origin) / period.length) * period.length + origin end end
  if period.count == 1 then return dates.starts[period.unit] end
  if period.months then
    local month = monthNumber(dates.starts[period.unit](first))
    return function(seconds)
      return startOfMonth(month + floor((monthNumber(seconds) - month) / period.months) * period.months)
    end
  end
  origin = dates.starts[period.unit == 'week' and 'week' or 'day'](first)
  return function(seconds) return floor((seconds - origin) / period.length) * period.length + origin end
end

-- A time some months later, on the last day of its month if that has no such day.
local function addMonths(seconds, months)
  local days = floor(seconds / day)
  local _, _, dayOfMonth = dates.dateOf(days)
  local number = monthNumber(seconds) + months
  local start, next_ = startOfMonth(number), startOfMonth(number + 1)
  return math.min(start + (dayOfMonth - 1) * day, next_ - day) + (seconds - days * day)
end

--- The time some periods later. Months end with their last day: a month after 31 January is the last day of February.
-- @number seconds
-- @tparam table period from `read`
-- @int times may be negative
-- @treturn number
function periods.add(seconds, period, times)
  if period.months then return addMonths(seconds, period.months * times) end
  return seconds + period.length * times
end

-- The week of ISO 8601: that of the year of its Thursday.
local function week(seconds)
  local days = floor(seconds / day)
  local thursday = days - (days + 3) % 7 + 3
  local year = dates.dateOf(thursday)
  return floor((thursday - dates.daysOf(year, 1, 1)) / 7) + 1
end

local function ofDate(place)
  return function(seconds) return (select(place, dates.dateOf(floor(seconds / day)))) end
end

--- Functions of a time that return one of its parts, by the part's name. The weekday is 1 for Monday and 7 for Sunday.
periods.parts = {
  year = ofDate(1), month = ofDate(2), day = ofDate(3), week = week,
  hour = function(seconds) return floor(seconds % day / 3600) end, minute = function(seconds) return floor(seconds % 3600 / 60) end,
  second = function(seconds) return seconds % 60 end,
  weekday = function(seconds) return (floor(seconds / day) + 3) % 7 + 1 end,
  quarter = function(seconds)
    local _, month = dates.dateOf(floor(seconds / day))
    return floor((month + 2) / 3)
  end,
  dayOfYear = function(seconds)
    local days = floor(seconds / day)
    return days - dates.daysOf(dates.dateOf(days), 1, 1) + 1
  end,
}

return periods
