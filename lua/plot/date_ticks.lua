--- Positions and labels of the ticks of an axis of dates: starts of years, months, weeks, days, hours, minutes or seconds.
-- @module plot.date_ticks
local dates = require 'data.frame.dates'
local ticks = require 'plot.ticks'

local floor = math.floor
local minute, hour, day = 60, 3600, 86400

-- Steps of the ticks, from the shortest: seconds, or months, and the unit of their labels.
local steps = {}
for _, each in ipairs {
  { 1, 'second', 1, 2, 5, 10, 15, 30 }, { minute, 'minute', 1, 2, 5, 10, 15, 30 }, { hour, 'hour', 1, 2, 3, 6, 12 },
  { day, 'day', 1, 2, 7, 14 },
} do
  for j = 3, #each do steps[#steps + 1] = { length = each[1] * each[j], unit = each[2] } end
end
for _, months in ipairs { 1, 2, 3, 6 } do steps[#steps + 1] = { months = months, unit = 'month' } end
for _, years in ipairs { 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000 } do
  steps[#steps + 1] = { months = 12 * years, unit = 'year' }
end

local names = { 'Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec' }
local monday = 4 * day      -- 1970-01-05

-- The starts of the steps between two times, or nil if they are more than `count`.
local function positions(step, low, high, count)
  local list = {}
  if step.length then
    local offset = step.length % (7 * day) == 0 and monday or 0
    local first = math.ceil((low - offset) / step.length)
    local last = floor((high - offset) / step.length)
    if last - first + 1 > count then return nil end
    for i = first, last do list[#list + 1] = i * step.length + offset end
    return list
  end
  local year, month = dates.dateOf(floor(low / day))
  local number = floor((12 * year + month - 1) / step.months) * step.months
  while true do
    local at = dates.daysOf(floor(number / 12), number % 12 + 1, 1) * day
    if at > high then return list end
    if at >= low then
      if #list == count then return nil end
      list[#list + 1] = at
    end
    number = number + step.months
  end
end

local function timeOf(seconds, unit, decimals)
  local rest = seconds % day
  local text = ('%02d:%02d'):format(floor(rest / hour), floor(rest / minute) % 60)
  if unit ~= 'second' then return text end
  if decimals == 0 then return ('%s:%02d'):format(text, floor(rest % 60 + 0.5)) end
  return ('%s:%0' .. decimals + 3 .. '.' .. decimals .. 'f'):format(text, rest % 60)
end

-- A label, which has the next larger unit where one begins: the year in January, the day at midnight.
local function label(at, unit, decimals)
  local year, month, dayOfMonth = dates.dateOf(floor(at / day))
  if unit == 'year' then return tostring(year) end
  if unit == 'month' then return month == 1 and tostring(year) or names[month] end
  local date = ('%s %d'):format(names[month], dayOfMonth)
  if unit == 'day' or at % day == 0 then return date end
  return timeOf(at, unit, decimals)
end

-- What the labels leave out: the years, or the day.
local function note(list, unit)
  if #list == 0 or unit == 'year' then return nil end
  local first, last = list[1], list[#list]
  local firstDay, lastDay = floor(first / day), floor(last / day)
  local from, to = dates.dateOf(firstDay), dates.dateOf(lastDay)
  if unit == 'month' then
    for _, at in ipairs(list) do
      if select(2, dates.dateOf(floor(at / day))) == 1 then return nil end      -- a label has the year
    end
  elseif unit ~= 'day' and firstDay == lastDay and first % day ~= 0 then
    return dates.text(firstDay * day)
  end
  return from == to and tostring(from) or ('%d\226\128\147%d'):format(from, to)
end

--- Ticks between two times.
-- @number low seconds since 1970
-- @number high
-- @int count maximum number of ticks
-- @treturn {number,...} positions
-- @treturn {string,...} labels
-- @treturn ?string what the labels leave out
return function(low, high, count)
  count = math.max(count, 2)
  local farthest = dates.daysOf(30000, 1, 1) * day
  if high - low < 2 or math.max(-low, high) > farthest then
    local list, step = ticks.linear(low, high, count)
    if high - low >= 2 then return list, (ticks.labels(list, step)) end
    local labels, decimals = {}, math.max(0, math.min(6, math.ceil(-math.log10(step) - 1e-9)))
    for i, at in ipairs(list) do labels[i] = timeOf(at, 'second', decimals) end
    return list, labels, dates.text(floor(low / day) * day)
  end
  for _, step in ipairs(steps) do
    local shortest = step.length or step.months * 28 * day
    local list = (high - low) / shortest < 2 * count + 2 and positions(step, low, high, count)
    if list then
      local labels = {}
      for i, at in ipairs(list) do labels[i] = label(at, step.unit, 0) end
      return list, labels, note(list, step.unit)
    end
  end
end
