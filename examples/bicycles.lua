-- A table with dates and gaps that is read, sampled, joined by time and drawn: `th examples/bicycles.lua [PICTURE]`. Two counters of
-- bicycles write a line each hour for half a year, with missing values; a second table has the weather every three hours. (Both are made up
-- here by random numbers, and written as CSV files first.)
local data, paths, plot, torch = require 'data', require 'paths', require 'plot', require 'torch'
local dates = data.dates
torch.manualSeed(7)

-- Two files, as other programs would write them.
local function writeFiles(counts, weather)
  local hours = dates.range('2024-01-01', '2024-06-30T23:00', { step = 'hour', name = 'time' })
    :assign { light = 'max(0, sin((dates.hour(time) - 5) / 24 * 2 * pi)) + 0.3', workday = 'dates.weekday(time) < 6',
              season = '1 - 0.7 * cos((dates.dayOfYear(time) - 15) / 366 * 2 * pi)' }
  local rain = torch.rand(hours:size()):gt(0.8)
  local days = torch.rand(hours:size() / 24):gt(0.6)
  hours = hours:assign { rain = torch.cmul(rain, days:view(-1, 1):expand(days:size(1), 24):contiguous():view(-1)),
                         noise = torch.randn(hours:size()), warm = '18 * season - 8 + 4 * light' }:cast { rain = 'bool' }
  local rows = {}
  for i = 1, hours:size() do
    local hour = hours:get(i)
    for j, counter in ipairs { 'bridge', 'station' } do
      local mean = 90 * hour.light * hour.season * (hour.workday and 1 or 0.6) * (hour.rain and 0.4 or 1) * (j == 1 and 1 or 0.7)
      rows[#rows + 1] = { time = dates.text(hour.time, '%Y-%m-%dT%H:%M:%S'), counter = counter,
                          bicycles = math.max(0, math.floor(mean + 3 * hour.noise + 0.5)) }
    end
  end
  local frame = data.Frame.fromRows(rows, { 'time', 'counter', 'bicycles' })
  local broken = frame:filter "counter == 'station' and time >= '2024-03-09' and time < '2024-03-20'"
  local lost = torch.rand(frame:size()):lt(0.02)
  frame = frame:setMissing('bicycles', lost):join(broken:assign { broken = true }:select { 'time', 'counter', 'broken' },
    { on = { 'time', 'counter' }, how = 'left' })
  frame = frame:setMissing('bicycles', frame:numbers('broken'):eq(1)):drop 'broken'
  data.csv.save(counts, frame)
  data.csv.save(weather, hours:filter 'dates.hour(time) % 3 == 0':select { 'time', 'warm', 'rain' }
    :rename { warm = 'degrees' })
end

local counts, weather = paths.tmpname() .. '.csv', paths.tmpname() .. '.csv'
writeFiles(counts, weather)

-- What a program with such files does.
local all = data.csv.load(counts, { types = { counter = 'category' } })
print(all:head(3))
print(('%d of %d hours have no count'):format(all:isMissing('bicycles'):sum(), all:size()))
local sky = data.csv.load(weather)
os.remove(counts)
os.remove(weather)

-- Each month of each counter, whose missing hours are left out.
print(all:truncate('time', 'month'):groupBy('counter', 'time'):aggregate { bicycles = { 'count', 'sum', 'max' } }:head(8))

-- The weather of the last three hours beside each count; cold, mild or warm by its degrees.
local known = all:dropMissing 'bicycles':joinAsof(sky, { on = 'time', tolerance = 3 * 3600 })
known = known:assign { weekday = 'dates.weekday(time) < 6', hour = 'dates.hour(time)',
                       air = known:cut('degrees', { -math.huge, 8, 18, math.huge }, { labels = { 'cold', 'mild', 'warm' } }) }
print(known:pivotTable { index = 'air', columns = 'rain', values = 'bicycles' })
print(known:groupBy('counter'):apply(function(rows) return rows:nlargest(2, 'bicycles'):select { 'time', 'bicycles', 'degrees' } end))

-- Days, with a mean of a week, per counter: gaps stay gaps.
plot.figure { width = 900, height = 560 }
local above, left, right = plot.subplot(2, 1, 1), plot.subplot(2, 2, 3), plot.subplot(2, 2, 4)
local k = 0
for counter, rows in all:groupBy('counter'):each() do
  local daily = rows:resample('time', 'day'):aggregate { bicycles = 'sum', hours = { 'bicycles', 'count' } }
  daily = daily:setMissing('bicycles', daily.hours:lt(12))
  local weekly = daily:assign { week = daily:select 'bicycles':rolling(7, { minimum = 4, center = true }):mean() }
  weekly = weekly:setMissing('week', weekly:isMissing 'bicycles')
  above:plot(daily, 'time', 'bicycles', { color = 'C' .. k, alpha = 0.3 })
  above:plot(weekly, 'time', 'week', { color = 'C' .. k, label = counter })
  k = k + 1
end
above:xlabel '':ylabel 'bicycles a day':legend { loc = 'upper left' }
local hourly = known:assign({ days = "weekday and 'Monday to Friday' or 'weekend'" }):groupBy('days', 'hour'):mean()
left:plot(hourly, 'hour', 'bicycles', { by = 'days' })
left:xlabel 'hour of the day':legend { loc = 'upper left' }
right:boxplot(known:filter 'hour >= 8 and hour <= 18', 'bicycles', { by = 'air' })
plot.save(arg[1] or 'bicycles.svg')
