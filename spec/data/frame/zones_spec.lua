-- Time zones: offsets, local times and periods, as Python's zoneinfo and pandas have them (zones_figures.py); files, also damaged ones.
local torch = require 'torch'
local data = require 'data'
local zones = require 'data.frame.zones'
local files = require 'spec.support.files'
local figures = require 'spec.data.frame.zones_figures'

local dates, null = data.dates, data.jsonl.null
local hasZones = pcall(zones.open, 'spec', 'Europe/Berlin')

local function fails(f, text)
  local good, message = pcall(f)
  assert.is_false(good)
  assert.is_truthy(tostring(message):find(text, 1, true), ('%s, expected %s'):format(tostring(message), text))
end

local function listOf(x)
  local list = x:totable()
  for i, value in ipairs(list) do list[i] = value == value and value end
  return list
end

-- A test that needs the system's zones.
local function zoned(words, f)
  it(words, function()
    if not hasZones then return pending 'the system has no time zones (package tzdata)' end
    f()
  end)
end

describe('zones of the system', function()
  zoned('have the offsets and names of zoneinfo', function()
    for name, case in pairs(figures.offsets) do
      local seconds = torch.DoubleTensor(case[1])
      assert.same(case[2], dates.zoneOffset(seconds, name):totable(), name)
      assert.same((seconds + torch.DoubleTensor(case[2])):totable(), dates.toZone(seconds, name):totable())
      for i, x in ipairs(case[1]) do assert.equal(case[3][i], dates.text(x, '%Y-%m-%dT%H:%M:%S%z/%Z', name)) end
    end
  end)

  zoned('give local times back, as tz_localize', function()
    for name, case in pairs(figures.walls) do
      local walls = torch.DoubleTensor(case.walls)
      for _, way in ipairs { 'first', 'last', 'missing' } do
        local nonexistent = way == 'missing' and 'missing' or 'forward'
        assert.same(case[way], listOf(dates.fromZone(walls, name, { ambiguous = way, nonexistent = nonexistent })), name .. way)
      end
      local known = {}
      for i, x in ipairs(case.missing) do known[i] = x and x + dates.zoneOffset(x, name) end
      for i, x in ipairs(known) do assert.is_true(not x or x == case.walls[i]) end
    end
    local before = dates.fromZone('2024-03-31T02:30:00', 'Europe/Berlin', { nonexistent = 'backward' })
    assert.equal('2024-03-31T00:59:59.999999', dates.text(before))
    -- Clocks are put forward by half an hour at 15:30, and by a day at 10:00, where pandas 3.1 returns later times.
    local after = dates.fromZone('2019-10-06T02:15:00', 'Australia/Lord_Howe', { nonexistent = 'forward' })
    assert.equal('2019-10-05T15:30:00', dates.text(after))
    after = dates.fromZone('2011-12-30T17:00:00', 'Pacific/Apia', { nonexistent = 'forward' })
    assert.equal('2011-12-30T10:00:00', dates.text(after))
    fails(function() dates.fromZone('2024-03-31T02:30:00', 'Europe/Berlin') end,
      'data.dates.fromZone: x: 2024-03-31T02:30:00 does not exist in Europe/Berlin')
    fails(function() dates.fromZone('2024-10-27T02:30:00', 'Europe/Berlin') end,
      'data.dates.fromZone: x: 2024-10-27T02:30:00 comes twice in Europe/Berlin')
  end)

  zoned('have days, weeks and months, as resample', function()
    for name, case in pairs(figures.resampled) do
      local frame = data.Frame { day = torch.DoubleTensor(case.day), n = torch.DoubleTensor(case.n) }:cast { day = 'date' }
      for period, expected in pairs(case.periods) do
        local found = frame:resample('day', period, { zone = name }):sum()
        assert.same(expected, { found.day:totable(), found.n:totable() }, name .. period)
        local present = found:filter 'n > 0'
        local grouped = frame:groupByTime('day', period, { zone = name }):sum():filter 'n > 0'
        assert.same({ present.day:totable(), present.n:totable() }, { grouped.day:totable(), grouped.n:totable() })
        local truncated = frame:truncate('day', period, { zone = name })
        assert.same(grouped.day:totable(), truncated:groupBy('day'):sum():filter('n > 0').day:totable())
      end
    end
  end)

  zoned('repeat their rules after 400 years', function()
    for _, name in ipairs { 'Europe/Berlin', 'America/New_York' } do
      for i = 1, 50 do
        local x = 2208988800 + i * 7654321
        assert.equal(dates.zoneOffset(x, name), dates.zoneOffset(x + 400 * 365.2425 * 86400, name))
        assert.equal(dates.zoneOffset(x, name), dates.zoneOffset(x + 4000 * 365.2425 * 86400, name))
        local far = x + 4000 * 365.2425 * 86400
        assert.equal(far, dates.fromZone(dates.toZone(far, name), name, { ambiguous = 'first', nonexistent = 'forward' }))
      end
    end
  end)

  zoned('are in texts, also of columns', function()
    local frame = data.Frame({ t = { '2024-05-31T10:30:00', null, '2024-12-31T00:00:00+01:00' } }):cast { t = 'date' }
    assert.same({ '2024-05-31T12:30:00+02:00', '', '2024-12-31T00:00:00+01:00' }, dates.text(frame, nil, 'Europe/Berlin').t)
    assert.same({ '2024-05-31T10:30:00', '', '2024-12-30T23:00:00' }, dates.text(frame).t)
    assert.same({ '31.05.', '', '30.12.' }, dates.text(frame, '%d.%m.').t)
    assert.same({ '100% 1970%d', 'x6969' }, { dates.text(0, '100%% %Y%%d'), dates.text(-1, 'x%y%y') })
    for _, format in ipairs { '%', '%Y%', '%q', ('%Y'):rep(101) } do
      fails(function() dates.text(0, format) end, 'expected a format of %Y, %y, %m, %d, %H, %M, %S, %z, %Z')
    end
    local texts = dates.text(frame, nil, 'Europe/Berlin')
    assert.same(frame.t:narrow(1, 3, 1):totable(), texts:cast { t = 'date' }.t:narrow(1, 3, 1):totable())
    assert.is_true(dates.toZone(frame, 'Europe/Berlin'):isMissing('t')[2] ~= 0)
    assert.same({ 'torch.LongTensor', 7200 }, { dates.zoneOffset(frame, 'Europe/Berlin').types.t,
      dates.zoneOffset(frame, 'Europe/Berlin').t[1] })
    local early = dates.text('1850-01-01T00:00:00', nil, 'Europe/Berlin')
    assert.same({ '1850-01-01T00:53:28+00:53:28', dates.read '1850-01-01' }, { early, dates.read(early) })
    local read = files.folder() .. '/zones.csv'
    data.csv.save(read, frame, { zone = 'Europe/Berlin', missing = 'NA' })
    assert.equal('t\n2024-05-31T12:30:00+02:00\nNA\n2024-12-31T00:00:00+01:00\n', files.read(read))
    local again = data.csv.load(read)
    assert.same({ 'date', frame.t[1], frame.t[3] }, { again.types.t, again.t[1], again.t[3] })
    data.csv.save(read, frame, { zone = 'Europe/Berlin', dates = '%d.%m. %H:%M %Z' })
    assert.equal('t\n31.05. 12:30 CEST\n""\n31.12. 00:00 CET\n', files.read(read))
    fails(function() data.csv.save(read, frame, { zone = 'Europe' }) end, "data.csv.save: zone: 'Europe', expected the name of a time zone")
    files.write(read, 't,n\n2024-05-31T12:30:00+02:00,1\n2024-12-31T00:00:00-0500,2\n2024-12-31T00:00:00Z,3\n')
    local found = data.csv.load(read)
    assert.same({ 'date', dates.read '2024-05-31T10:30:00', dates.read '2024-12-31T05:00:00', dates.read '2024-12-31' },
      { found.types.t, found.t[1], found.t[2], found.t[3] })
  end)

  it('have errors for other names', function()
    assert.same({ 19800, 0, -3600 }, { dates.zoneOffset(0, '+05:30'), dates.zoneOffset(0, 'UTC'), dates.zoneOffset(0, '-0100') })
    assert.equal('1970-01-01T05:30:00+05:30', dates.text(0, nil, '+05:30'))
    for _, name in ipairs { '../Europe/Berlin', '/etc/passwd', '', 'Europe/\0', '+25:00', ('a'):rep(300) } do
      fails(function() dates.toZone(0, name) end, 'expected the name of a time zone such as Europe/Berlin, or an offset such as +02:00')
    end
    fails(function() dates.toZone(0, {}) end, 'data.dates.toZone: zone: a table, expected ')
    fails(function() dates.fromZone(0, 'UTC', { ambiguous = 'both' }) end, 'data.dates.fromZone: ambiguous: ')
    fails(function() dates.range(0, 86400):truncate('date', 'day', { place = 'UTC' }) end, 'data.Frame:truncate: ')
  end)
end)

-- The bytes of a file with times, numbers of kinds, and kinds of an offset and a name.
local function fileOf(times, numbers, kinds, rule)
  local function word(value)
    local list = {}
    for i = 4, 1, -1 do list[i], value = string.char(value % 256), math.floor(value / 256) end
    return table.concat(list)
  end
  local function big(value, size) return (size == 8 and word(math.floor(value / 2 ^ 32)) or '') .. word(value) end
  local names, parts = {}, {}
  for i, kind in ipairs(kinds) do
    parts[i] = big(kind[1], 4) .. '\0' .. string.char(#table.concat(names))
    names[i] = kind[2] .. '\0'
  end
  names = table.concat(names)
  local function block(size)
    local list = { 'TZif2' .. ('\0'):rep(15) .. big(0, 4):rep(3) .. big(#times, 4) .. big(#kinds, 4) .. big(#names, 4) }
    for _, time in ipairs(times) do list[#list + 1] = big(time, size) end
    for _, number in ipairs(numbers) do list[#list + 1] = string.char(number) end
    return table.concat(list) .. table.concat(parts) .. names
  end
  return block(4) .. block(8) .. '\n' .. rule .. '\n'
end

describe('files of zones', function()
  it('have offsets, and rules for the time after them', function()
    local zone = zones.parse(fileOf({ -1000, 5000 }, { 1, 0 }, { { 3600, 'AAA' }, { -7200, 'BBB' } }, 'AAA-1'))
    assert.same({ 3600, -7200, -7200, 3600 }, { (zones.offset(zone, -1001)), (zones.offset(zone, -1000)), (zones.offset(zone, 4999)),
      (zones.offset(zone, 5000)) })
    assert.same({ 'BBB', 'AAA' }, { select(2, zones.offset(zone, 0)), select(2, zones.offset(zone, 1e15)) })
    -- In the Julian days of a rule, 29 February is not counted, and in the other days it is.
    local rules = zones.parse(fileOf({ 0 }, { 0 }, { { 0, 'AAA' } }, '<-01>1<+00>,J60/0,300/-1:30'))
    local function first(text) return (zones.offset(rules, dates.read(text))) end
    for _, year in ipairs { 2023, 2024, 2100, 12023 % 10000 } do
      assert.same({ -3600, 0 }, { first(year .. '-03-01T00:59:59'), first(year .. '-03-01T01:00:00') })
    end
    assert.same({ 0, -3600 }, { first '2023-10-27T22:29:59', first '2023-10-27T22:30:00' })
    assert.same({ 0, -3600 }, { first '2024-10-26T22:29:59', first '2024-10-26T22:30:00' })
  end)

  it('give one error if they are damaged', function()
    local good = fileOf({ -1000, 5000 }, { 1, 0 }, { { 3600, 'AAA' }, { -7200, 'BBB' } }, 'AAA-1BBB,M3.5.0,M10.5.0/3')
    assert.is_table(zones.parse(good))
    for count = 0, #good - 1 do
      local ok, found = pcall(zones.parse, good:sub(1, count))
      assert.is_true(not ok and type(found) == 'table' and type(found.damage) == 'string')
    end
    for at = 1, #good do
      for _, byte in ipairs { 0, 1, 47, 127, 128, 255 } do
        local ok, found = pcall(zones.parse, good:sub(1, at - 1) .. string.char(byte) .. good:sub(at + 1))
        assert.is_true(type(found) == 'table' and (ok or type(found.damage) == 'string'), tostring(found))
        if ok then zones.offset(found, 1e9) zones.times(found, 1e9) end
      end
    end
    for _, rule in ipairs { 'A', 'AAA', 'AAA25', 'AAA1BBB', 'AAA1BBB,M3.5.0', 'AAA1BBB,M13.1.0,M1.1.0', 'AAA1BBB,366,1', 'AAA1BBB,1/168,2',
                            'AAA1BBB,1,2,3', '<A' } do
      local ok, found = pcall(zones.parse, fileOf({}, {}, { { 0, 'AAA' } }, rule))
      assert.is_true(not ok and type(found.damage) == 'string', rule)
    end
  end)
end)
