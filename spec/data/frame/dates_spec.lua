-- Dates of data frames: parts, periods, ranges, samples by periods and comparisons, as pandas has them (dates_figures.py).
local torch = require 'torch'
local data = require 'data'
local paths = require 'paths'
local files = require 'spec.support.files'
local figures = require 'spec.data.frame.dates_figures'

local dates, null = data.dates, data.jsonl.null

local function fails(f, text)
  local good, message = pcall(f)
  assert.is_false(good)
  assert.is_truthy(tostring(message):find(text, 1, true), ('%s, expected %s'):format(tostring(message), text))
end

local function valuesOf(frame, name)
  local list = frame:numbers(name):totable()
  for i, value in ipairs(list) do list[i] = value == value and value end
  return list
end

local seconds = torch.DoubleTensor(figures.seconds)
local visits = data.Frame({ day = figures.visits.day, n = figures.visits.n }, { 'day', 'n' }):cast { day = 'date', n = 'int' }

describe('data.dates', function()
  it('reads and writes texts', function()
    for i, text in ipairs(figures.texts) do
      assert.equal(figures.seconds[i], dates.read(text))
      assert.equal((text:gsub('T00:00:00$', '')), dates.text(figures.seconds[i]))
    end
    assert.equal(dates.read '2024-05-31T10:00:00', dates.read '2024-05-31 12:00:00+02:00')
    assert.equal(dates.read '2024-05-31T10:00:00', dates.read '2024-05-31T10:00Z')
    assert.equal(dates.read '2024-05-01', dates.read '2024-05')
    assert.equal(dates.read '2024-01-01', dates.read '2024')
    assert.equal(dates.read '2024-05-31', dates.read('31.5.24', '%d.%m.%y'))
    assert.equal('31.05.2024', dates.text('2024-05-31', '%d.%m.%Y'))
    for _, year in ipairs { 1698, 2241 } do      -- all microseconds
      local text = ('%d-12-31T23:59:59.123457'):format(year)
      assert.equal(text, dates.text(dates.read(text)))
    end
    fails(function() dates.read 'soon' end, 'data.dates.read: x: "soon", expected a date such as 2024-05-31')
    fails(function() dates.read '2024-02-30' end, 'data.dates.read: x: "2024-02-30"')
    fails(function() dates.read('1.1.24', '%Q') end, 'data.dates.read: format: "%Q" has %Q')
    fails(function() dates.read('2024', '%d.%Y') end, 'data.dates.read: text: "2024", expected a date such as %d.%Y')
    fails(function() dates.text(0 / 0) end, 'data.dates.text: x: not a number')
    fails(function() dates.text(0, '%Q') end, 'data.dates.text: format: "%Q"')
  end)

  it('has the parts of dates and the starts of their periods', function()
    for name, expected in pairs(figures.parts) do
      assert.same(expected, dates[name](seconds):totable(), name)
      assert.equal(expected[7], dates[name](figures.seconds[7]))
    end
    for name, expected in pairs(figures.starts) do assert.same(expected, dates.startOf(seconds, name):totable(), name) end
    for name, expected in pairs(figures.later) do
      local period, times = name:match '^(.*) (%-?%d+)$'
      assert.same(expected, dates.add(seconds, period, tonumber(times)):totable(), name)
    end
    local frame = data.Frame({ day = { '2024-05-31', null } }):cast { day = 'date' }
    local month = dates.month(frame)
    assert.same({ 'torch.LongTensor', 5, 0, 1 }, { month.types.day, month.day[1], month.day[2], month:isMissing('day'):sum() })
    assert.same({ 'date', '2024-06-30' }, { dates.add(frame, 'month').types.day, dates.text(dates.add(frame, 'month').day[1]) })
    -- All days of 800 years, and some far from them, by counting.
    local own = require 'data.frame.dates'
    local lengths = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 }
    for _, cycle in ipairs { 0, 600000, -600000 } do
      local day = -146097 + cycle * 146097
      for year = 1570 + 400 * cycle, 1570 + 400 * cycle + (cycle == 0 and 800 or 400) - 1 do
        for each = 1, 12 do
          local isLeap = year % 4 == 0 and (year % 100 ~= 0 or year % 400 == 0)
          local last = lengths[each] + (each == 2 and isLeap and 1 or 0)
          for _, dayOfMonth in ipairs { 1, 15, last } do
            local y, m, d = own.dateOf(day + dayOfMonth - 1)
            if y ~= year or m ~= each or d ~= dayOfMonth then error(('%d-%d-%d: %d-%d-%d'):format(year, each, dayOfMonth, y, m, d)) end
          end
          day = day + last
        end
      end
    end
    assert.is_true(dates.year(0 / 0) ~= dates.year(0 / 0))
    fails(function() dates.startOf(0, '2 weeks') end, "data.dates.startOf: period: '2 weeks', expected one unit")
    fails(function() dates.add(0, 'moon') end, "data.dates.add: period: 'moon', expected a unit of second")
    fails(function() dates.add(0, '0 days') end, "data.dates.add: period: '0 days', expected a unit of second")
    fails(function() dates.add(0, '- 1 day') end, "data.dates.add: period: '- 1 day', expected a unit of second")
    fails(function() dates.add(0, '2 years', 2 ^ 31) end, 'data.dates.add: the sum: 1.35536e+17, expected seconds since 1970')
    fails(function() dates.range(0, 86400, '-1 day') end, "data.dates.range: period: '-1 day', expected a unit of second")
    fails(function() frame:truncate('day', '-1 day') end, "data.Frame:truncate: period: '-1 day', expected a unit of second")
    fails(function() frame:rolling('-1 day', { on = 'day' }) end, "data.Frame:rolling: window: '-1 day', expected a number of rows")
    fails(function() dates.year {} end, 'data.dates.year: x: a table, expected seconds since 1970')
    fails(function() dates.year(data.Frame { n = { 1 } }) end, "data.dates.year: n: a column of torch.DoubleTensor, expected dates")
  end)

  it('makes ranges', function()
    for _, each in ipairs(figures.ranges) do assert.same(each[4], dates.range(each[1], each[2], each[3]).date:totable()) end
    local ends = dates.range('2024-01-31', nil, { step = 'month', count = 3, name = 'day' })
    assert.same({ '2024-01-31', '2024-02-29', '2024-03-31' }, ends:cast({ day = 'text' }).day)
    assert.equal(0, dates.range('2024-01-02', '2024-01-01'):size())
    fails(function() dates.range('2024-01-01') end, 'data.dates.range: last: expected either last or the option count')
    fails(function() dates.range('2024-01-01', '9999-01-01', 'second') end, 'data.dates.range: more than 134217728 dates')
  end)
end)

describe('A data.Frame with dates', function()
  it('is sampled by periods', function()
    for period, expected in pairs(figures.resampled) do
      local found = visits:resample('day', period):aggregate { n = { 'count', 'sum', 'mean', 'max' } }
      assert.same({ 'day', 'n_count', 'n_sum', 'n_mean', 'n_max' }, found.names)
      for j, name in ipairs(found.names) do assert.same(expected[j], valuesOf(found, name), period .. ' ' .. name) end
      local with = visits:groupByTime('day', period):aggregate { n = { 'count', 'sum' } }
      local full = found:filter 'n_count > 0'
      assert.same(full.day:totable(), with.day:totable(), period)
      assert.same(full.n_sum:totable(), with.n_sum:totable())
      assert.same(full.day:totable(), visits:truncate('day', period):unique('day').day:totable())
    end
    local empty = visits:head(0):resample('day', 'day')
    assert.equal(0, empty:size())
    assert.equal(0, empty:count():size())
    local groups = data.Frame({ day = { '2024-01-01', '2024-01-03', null }, n = { 1, 2, 3 } }):cast({ day = 'date' }):resample('day', 'day')
    local sizes = {}
    for day, rows in groups:each() do sizes[#sizes + 1] = ('%s %d'):format(dates.text(day), rows:size()) end
    assert.same({ '2024-01-01 1', '2024-01-02 0', '2024-01-03 1' }, sizes)
    fails(function() visits:resample('n', 'day') end, "data.Frame:resample: n: a column of torch.IntTensor, expected dates; cast { n")
    fails(function() visits:truncate('day', 'moon') end, "period: 'moon', expected a unit of second")
  end)

  it('is within 2^53 seconds of 1970', function()
    for _, number in ipairs { 1e300, -1e300, 2 ^ 54, 1 / 0, -1 / 0 } do
      local expected = ('d[2]: %g, expected seconds since 1970 from -2^53 to 2^53'):format(number)
      fails(function() data.Frame({ d = torch.Tensor { 0, number } }):cast { d = 'date' } end, 'data.Frame:cast: ' .. expected)
      local frame = data.Frame({ d = torch.Tensor { 0, 1 }, x = { 1, 2 } }):cast { d = 'date' }
      frame.d[2] = number
      for _, method in ipairs { 'resample', 'truncate', 'groupByTime' } do
        fails(function() frame[method](frame, 'd', 'day') end, ('data.Frame:%s: %s'):format(method, expected))
      end
      fails(function() dates.year(number) end, ('data.dates.year: x: %g, expected seconds'):format(number))
      fails(function() dates.startOf(frame.d, 'week') end, ('data.dates.startOf: x[2]: %g, expected seconds'):format(number))
      fails(function() dates.range(number, nil, { count = 2 }) end, ('data.dates.range: x: %g, expected seconds'):format(number))
    end
    local far = data.Frame({ d = torch.Tensor { -2 ^ 53, 2 ^ 53 }, x = { 1, 2 } }):cast { d = 'date' }
    assert.equal(3, far:resample('d', '2000000 years'):sum().x:sum())
    fails(function() far:resample('d', 'second') end, 'data.Frame:resample: more than 67108864 periods')
  end)

  it('is compared with texts', function()
    local frame = data.Frame({ day = { '2024-05-01', '2024-04-30T23:59:59', null, '2024-06-01' }, word = { '2024-05-01', 'b', 'c', 'd' } })
      :cast { day = 'date' }
    assert.same({ '2024-05-01', 'd' }, frame:filter("day >= '2024-05-01'").word)
    assert.same({ 'b' }, frame:filter("'2024-05-01' > day").word)
    assert.same({ '2024-05-01' }, frame:filter('day == "2024-05-01" and word == "2024-05-01"').word)
    assert.same({ 'b', 'd' }, frame:filter("word ~= '2024-05-01' and day ~= '2024-05' and day == day").word)
    assert.same({ 3, 2, 7, 6 }, frame:assign({ w = 'dates.weekday(day)' }):fillMissing({ w = 7 }).w:totable())
    assert.same({ 1, 0 }, { frame:filter("dates.startOf(day, 'year') == dates.read '2024-01-01' and day > '2024-05-31'"):size(),
                            frame:filter("day == '2023-01-01'"):size() })
    assert.equal(1, frame:sort('day'):diff().day[2])
    fails(function() frame:filter "day > 'soon'" end, "day is compared with 'soon', expected a date such as 2024-05-31")
  end)

  it('is written and read', function()
    local name = paths.tmpname()
    data.jsonl.save(name, visits:head(2))
    local read = data.jsonl.frame(name, { types = { day = 'date', n = 'int' } })
    assert.same({ { 'date', 'torch.IntTensor' }, visits:head(2).day:totable() }, { { read.types.day, read.types.n }, read.day:totable() })
    data.csv.save(name, visits)
    assert.same(figures.visits.day, data.csv.load(name).day:totable())
    files.write(name, 'day,n\n31/05/2024 14:30,1\n,2\n')
    local other = data.csv.load(name, { types = { day = { date = '%d/%m/%Y %H:%M' } } })
    assert.equal(dates.read '2024-05-31T14:30', other.day[1])
    assert.same({ 0, 1 }, other:isMissing('day'):byte():totable())
    os.remove(name)
  end)
end)
