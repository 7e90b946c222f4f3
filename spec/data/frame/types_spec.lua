-- Data frames: types of columns and their conversions, missing values, expressions, large keys, empty frames, and errors.
local torch = require 'torch'
local data = require 'data'
local column = require 'data.frame.column'
local dates = require 'data.frame.dates'
local keys = require 'data.frame.keys'

local nan, null = 0 / 0, data.jsonl.null

local function fails(f, text)
  local good, message = pcall(f)
  assert.is_false(good)
  assert.is_truthy(tostring(message):find(text, 1, true), ('%s, expected %s'):format(tostring(message), text))
end

local function example()
  return data.Frame({
    word = { 'b', null, 'a', 'b' }, n = torch.LongTensor { 3, 1, 2, 3 }, x = { 0.5, nan, 1.5, 2 }, flag = { true, false, true, true },
  }, { 'word', 'n', 'x', 'flag' })
end

describe('data.Frame', function()
  it('is made of rows', function()
    local frame = data.Frame.fromRows({ { a = 1, b = 'x' }, { a = 2, c = true }, {} }, { 'b', 'a' })
    assert.same({ 'b', 'a' }, frame.names)
    assert.same({ 'x', '', '' }, frame.b)
    assert.same({ 1, 2 }, { frame.a[1], frame.a[2] })
    assert.is_true(frame.a[3] ~= frame.a[3])
    frame = data.Frame.fromRows { { 1, 'x', true }, { 2, 'y', false } }
    assert.same({ 'var_1', 'var_2', 'var_3' }, frame.names)
    assert.equal('torch.BoolTensor', frame.types.var_3)
    assert.same({ 'p', 'q' }, data.Frame.fromRows({ { 1, 2 } }, { 'p', 'q' }).names)
    frame = data.Frame.fromRows(torch.Tensor { { 1, 2 }, { 3, 4 } }, { 'p', 'q' })
    assert.same({ 2, 4 }, frame.q:totable())
    fails(function() data.Frame.fromRows { { a = 1 }, { a = 'x' } } end, 'fromRows: a[2]: a string after values of the type number')
    fails(function() data.Frame.fromRows { 1 } end, 'data.Frame.fromRows: rows[1]: 1, expected a table')
    fails(function() data.Frame.fromRows(torch.ones(2, 2), { 'a' }) end, 'fromRows: names: 1, expected one for each of 2 columns')
  end)

  it('has missing values of every type', function()
    local gaps = example():take({ 1, 2 }):concat(data.Frame { other = { 1 } })
    assert.same({ 'text', 'torch.LongTensor', 'torch.DoubleTensor', 'torch.BoolTensor', 'torch.DoubleTensor' },
      { gaps.types.word, gaps.types.n, gaps.types.x, gaps.types.flag, gaps.types.other })
    assert.same({ 0, 1, 1 }, gaps:isNull('word'):byte():totable())
    assert.same({ 0, 0, 1 }, gaps:isNull('flag'):byte():totable())
    local cast = example():cast { word = 'category' }:shift(1)
    assert.same({ 0, 1, 0, 2 }, cast.word:totable())
    assert.same({ 1, 0, 1, 0 }, cast:isNull('word'):byte():totable())
    local filled = cast:fillNull { word = 'new', n = 0 }
    assert.same({ 3, 1, 3, 2 }, filled.word:totable())
    assert.same({ 'b', 'a', 'new' }, filled.categories.word)
    assert.same({ 'b', 'a' }, cast.categories.word)
    assert.same({ 0, 3, 1, 2 }, filled.n:totable())
    assert.equal(7, example():fillNull(7).x[2])
    assert.equal('', example():fillNull(7).word[2])
    fails(function() example():fillNull { x = 'a' } end, "data.Frame:fillMissing: x: 'a', expected a number")
    fails(function() example():fillNull { y = 1 } end, 'column: y, expected one of word, n, x, flag')
    fails(function() example():fillNull() end, 'data.Frame:fillMissing: value: nil, expected a number, a text, a boolean or a table')
    fails(function() example():fillNull(nil, { method = 'up' }) end, "method: 'up', expected one of 'forward', 'backward', 'mean'")
    fails(function() example():cast({ word = { 'a', 'b' } }):fillNull { word = 'c' } end, 'expected one of the categories a, b')
  end)

  it('sorts categories by their present names', function()
    local frame = data.Frame { c = { 'b', 'a', 'c' } }:cast { c = 'category' }
    assert.same({ 2, 1, 3 }, frame:sort('c').c:totable())
    frame.categories.c[1] = 'z'
    assert.same({ 2, 3, 1 }, frame:sort('c').c:totable())
  end)

  it('is cast', function()
    local frame = data.Frame { t = { '1', '2.5', null }, d = { '2024-02-29', '2024-03-01T12:00:00', 'NA' }, b = { 'true', '0', 'FALSE' } }
    local cast = frame:cast { t = 'float', d = 'date', b = 'bool' }
    assert.same({ 'torch.FloatTensor', 'date', 'torch.BoolTensor' }, { cast.types.t, cast.types.d, cast.types.b })
    assert.same({ 1, 0, 0 }, cast.b:byte():totable())
    assert.equal(os.time { year = 2024, month = 3, day = 1, hour = 12 } - os.time { year = 2024, month = 2, day = 29, hour = 0 },
      cast.d[2] - cast.d[1])
    assert.same({ '2024-02-29', '2024-03-01T12:00:00', '' }, cast:cast({ d = 'text' }).d)
    assert.same({ '1', '2.5', '' }, cast:cast({ t = 'text' }).t)
    assert.same({ 'true', 'false', 'false' }, cast:cast({ b = 'text' }).b)
    local sizes = data.Frame { s = { 'small', 'large', 'small' } }:cast { s = { 'small', 'medium', 'large' } }
    assert.same({ 1, 3, 1 }, sizes.s:totable())
    assert.same({ 1, 1, 3 }, sizes:sort('s').s:totable())
    assert.same({ 'small', 'large', 'small' }, sizes:cast({ s = 'text' }).s)
    local day = data.Frame { d = { '3.4.21 7:05' } }:cast { d = { date = '%d.%m.%y %H:%M' } }
    assert.equal('2021-04-03T07:05:00', dates.text(day.d[1]))
    assert.equal('2021-04-03', dates.text(dates.reader '%b %d, %Y' 'April 3, 2021'))
    local whole = data.Frame({ t = { '1', '', null } }):cast { t = 'int' }
    assert.same({ 'torch.IntTensor', 1, 0 }, { whole.types.t, whole.t[1], whole.t[2] })
    assert.same({ 0, 1, 1 }, whole:isMissing('t'):byte():totable())
    fails(function() frame:head(2):cast { t = 'int' } end, 'data.Frame:cast: t[2]: 2.5, expected a whole number')
    fails(function() frame:cast { d = 'double' } end, "data.Frame:cast: d[1]: \"2024-02-29\", expected a number")
    fails(function() frame:cast { d = { date = '%d.%m.%Y' } } end, 'd[1]: "2024-02-29", expected a date such as %d.%m.%Y')
    fails(function() frame:cast { d = { date = '%d %Q' } } end, 'format: "%d %Q" has %Q')
    fails(function() data.Frame({ d = { '2023-02-29' } }):cast { d = 'date' } end, 'd[1]: "2023-02-29", expected a date')
    fails(function() data.Frame({ n = { 300 } }):cast { n = 'byte' } end, 'n: 300, expected numbers from 0 to 255 for a torch.ByteTensor')
    fails(function() frame:cast { t = 'nothing' } end, "t: 'nothing', expected a type of tensors")
    fails(function() frame:cast { t = { '1' } } end, 't[2]: "2.5", expected one of the categories 1')
  end)

  it('knows the calendar', function()
    for days = -800000, 800000, 997 do assert.equal(days, dates.daysOf(dates.dateOf(days))) end
    assert.same({ 2000, 2, 29 }, { dates.dateOf(11016) })
    assert.same({ 1969, 12, 31 }, { dates.dateOf(-1) })
    assert.equal('1969-12-31T23:59:59.5', dates.text(-0.5))
    for _, each in ipairs { { 'week', '2024-02-26' }, { 'month', '2024-02-01' }, { 'quarter', '2024-01-01' }, { 'year', '2024-01-01' },
                            { 'day', '2024-02-29' }, { 'hour', '2024-02-29T13:00:00' }, { 'minute', '2024-02-29T13:45:00' } } do
      assert.equal(each[2], dates.text(dates.starts[each[1]](dates.reader '%Y-%m-%d %H:%M:%S' '2024-02-29 13:45:07')))
    end
  end)

  it('changes columns', function()
    local frame = example()
    local more = frame:assign({ z = 'n * 2 + x', one = 1, yes = true, w = torch.ones(4), f = function(row) return row.word .. row.n end,
                                c = frame:cast({ word = 'category' }):select 'word' }, { 'z', 'one', 'yes', 'w', 'f', 'c' })
    assert.same({ 'word', 'n', 'x', 'flag', 'z', 'one', 'yes', 'w', 'f', 'c' }, more.names)
    assert.equal(6.5, more.z[1])
    assert.is_true(more.z[2] ~= more.z[2])
    assert.same({ 'b3', '1', 'a2', 'b3' }, more.f)
    assert.same({ 'b', 'a' }, more.categories.c)
    assert.same({ 4, 4 }, { more.one:sum(), more.yes:sum() })
    assert.same({ 'word', 'n', 'x', 'flag' }, frame:assign({ x = 'x' }).names)
    assert.same({ 'text', 'n', 'x', 'flag' }, frame:rename({ word = 'text' }).names)
    assert.same({ 'x' }, frame:drop({ 'word', 'n', 'flag' }).names)
    assert.same({ 3, 0 / 0 ~= 0 / 0 and 1 or 0, 2, 3 }, frame:apply(function(row) return row.n end):totable())
    assert.same({ 'b3', '1', 'a2', 'b3' }, frame:apply(function(row) return row.word .. row.n end))
    fails(function() frame:assign { z = 'n + nothing' } end, 'assign: z: "n + nothing": nothing, expected one of the columns word')
    fails(function() frame:assign { z = 'n +' } end, 'data.Frame:assign: z: "n +", expected an expression of Lua')
    fails(function() frame:assign { z = 'word + 1' } end, 'data.Frame:assign: z: "word + 1": row 1:')
    fails(function() frame:assign { z = { 1 } } end, 'data.Frame:assign: z: 1 values, expected 4')
    fails(function() frame:rename { word = 'n' } end, 'data.Frame:rename: n, which two columns would have')
    fails(function() frame:drop 'nothing' end, 'column: nothing, expected one of word, n, x, flag')
  end)

  it('is filtered by expressions', function()
    local frame = example()
    assert.same({ 3, 2, 3 }, frame:filter('flag').n:totable())
    assert.same({ 3, 3 }, frame:filter("word == 'b' and n > 2").n:totable())
    assert.same({ 1 }, frame:filter('x ~= x').n:totable())
    assert.same({ 1 }, frame:cast({ word = 'category' }):filter("word == ''").n:totable())
    assert.same({ 2 }, frame:filter('floor(x) == 1').n:totable())
    assert.equal(0, frame:filter('false'):size())
    fails(function() frame:filter 'os.exit()' end, 'os, expected one of the columns')
    fails(function() frame:filter(3) end, 'data.Frame:filter: accept')
  end)

  it('draws rows', function()
    local frame = example()
    assert.same(frame:sample(4, { seed = 3 }).n:totable(), frame:sample(4, { seed = 3 }).n:totable())
    local drawn = frame:sample(4, { seed = 5 }).n:totable()
    table.sort(drawn)
    assert.same({ 1, 2, 3, 3 }, drawn)
    assert.equal(20, frame:sample(20, { replacement = true }):size())
    fails(function() frame:sample(5) end, 'data.Frame:sample: count: 5, expected')
  end)

  it('is empty', function()
    local empty = example():head(0)
    for _, f in ipairs { 'sum', 'mean', 'min', 'median', 'std', 'count' } do
      assert.equal(0, empty:groupBy('word'):aggregate(f):size())
    end
    for _, how in ipairs { 'inner', 'left', 'right', 'outer' } do
      local expected = (how == 'right' or how == 'outer') and 4 or 0
      assert.equal(expected, empty:join(example(), { on = 'n', how = how }):size())
      assert.equal(4 - expected + ((how == 'outer') and 4 or 0) - (how == 'inner' and 4 or 0),
        example():join(empty, { on = 'n', how = how }):size())
    end
    assert.equal(0, empty:sort({ 'word', 'x' }):size())
    assert.equal(0, empty:dropDuplicates():size())
    assert.equal(0, empty:valueCounts('word'):size())
    assert.equal(0, empty:unique('x'):size())
    assert.equal(0, empty:melt({ id = 'word', values = { 'n', 'x' } }):size())
    assert.equal(0, empty:rolling(3):mean():size())
    assert.equal(0, empty:rolling(3):min():size())
    assert.equal(0, empty:shift(1):cumsum():diff():size())
    assert.equal(0, empty:fillNull(1):dropNull():isNull():size())
    assert.equal(4, empty:concat(example()):size())
    assert.equal(0, empty:cast({ word = 'category', n = 'int', x = 'bool', flag = 'text' }):size())
    assert.equal(0, empty:pivotTable({ index = 'word', columns = 'n', values = 'x' }):size())
    assert.matches('0 rows, 4 columns', tostring(empty))
    assert.equal(8, empty:describe():size())
    assert.equal(0, data.Frame({}):dropDuplicates():size())
  end)

  it('names what is wrong', function()
    local frame = example()
    fails(function() frame:join(frame) end, 'data.Frame:join: on: no key')
    fails(function() frame:join(3, 'n') end, 'data.Frame:join: other: 3, expected')
    fails(function() frame:join(frame, 'z') end, 'column: z, expected one of word, n, x, flag')
    fails(function() frame:join(frame, { on = 'n', how = 'sideways' }) end, "data.Frame:join: how: 'sideways', expected one of 'inner'")
    fails(function() frame:join(frame, { leftOn = { 'n', 'x' }, rightOn = 'n' }) end, '2 and 1 columns')
    fails(function() frame:join(frame, { leftOn = 'n', rightOn = 'word' }) end, 'data.Frame:join: n and word: a column of torch.LongTensor')
    fails(function() frame:join(frame, { on = 'n', suffixes = { '', '' } }) end, 'suffixes: word, which two columns would have')
    fails(function() frame:groupBy('n'):aggregate { word = 'mean' } end, 'aggregate: word has texts, expected numbers for mean')
    fails(function() frame:groupBy('n'):aggregate { z = 'mean' } end, 'column: z, expected one of word')
    fails(function() frame:groupBy('n'):aggregate { x = { quantile = 2 } } end, 'quantile: 2, expected a number from 0 to 1')
    fails(function() frame:groupByTime('n', 'day') end, 'data.Frame:groupByTime: n: a column of torch.LongTensor, expected dates')
    fails(function() frame:sort('n', { descending = { 'x' } }) end, 'data.Frame:sort: descending: x, expected one of the keys n')
    fails(function() frame:pivot { index = 'word', columns = 'n', values = 'x' } end, 'rows 1 and 4 have the same index and columns')
    fails(function() frame:pivot { index = 'word', columns = {}, values = 'x' } end, 'data.Frame:pivot: columns: no column, expected')
    fails(function() frame:pivot { index = 'word' } end, 'data.Frame:pivot: columns: nil, expected the name of a column')
    fails(function() frame:rolling(0) end, 'data.Frame:rolling: window: 0, expected')
    fails(function() frame:rolling(2, { minimum = 3 }) end, 'minimum: 3, expected')
    fails(function() frame:concat(data.Frame { word = { 1 } }) end, 'concat: word: a column of text and one of torch.DoubleTensor')
  end)

  it('fits the width', function()
    local columns, names = {}, {}
    for j = 1, 30 do
      names[j] = 'column' .. j
      columns[names[j]] = { j, j * 1000 }
    end
    local text = data.Frame(columns, names):text { width = 41 }
    for line in text:gsub('%[.*', ''):gmatch '[^\n]+' do assert.is_true(#line <= 41, line) end
    assert.matches('column1  column2  %.%.%.  column29  column30', text)
    assert.matches('%[data.Frame of 2 rows, 30 columns%]', text)
    local wide = data.Frame { ['größe'] = { 'ä', 'bb' } }
    assert.equal('größe\n    ä\n   bb\n[data.Frame of 2 rows, 1 columns]', tostring(wide))
    assert.matches('the first 1 shown', data.Frame({ a = { 1, 2 } }):text { rows = 1 })
    assert.matches('ä+%.%.%.', tostring(data.Frame { a = { ('ä'):rep(40) } }))
    assert.matches('<th>%.%.%.</th>', data.Frame(columns, names):__mime()['text/html'])
  end)
end)

describe('The codes of keys', function()
  -- The codes that comparisons give.
  local function check(list, c)
    local codes, most = keys.of(c, true)
    local distinct, seen = {}, {}
    for _, value in ipairs(list) do
      if value == value and not seen[value] then
        seen[value] = true
        distinct[#distinct + 1] = value
      end
    end
    table.sort(distinct)
    assert.equal(#distinct, most)
    local places = {}
    for place, value in ipairs(distinct) do places[value] = place end
    for i, value in ipairs(list) do assert.equal(value == value and places[value] or 0, codes[i]) end
  end

  it('follow the order of values', function()
    for round = 1, 20 do
      local list, n = {}, 1 + torch.random(300)
      for i = 1, n do
        local kind = round % 4
        local value = kind == 0 and torch.random(50) - 25 or kind == 1 and torch.normal() or kind == 2 and torch.random(9) * 1e12
          or torch.random(40) / 8
        list[i] = torch.random(10) == 1 and nan or value
      end
      check(list, { type = 'torch.DoubleTensor', values = torch.DoubleTensor(list) })
    end
    check({ 0, -0, 1, math.huge, -math.huge, nan }, { type = 'torch.DoubleTensor',
                                                     values = torch.DoubleTensor { 0, -0, 1, math.huge, -math.huge, nan } })
  end)

  it('tell integers beyond 2^53 apart', function()
    local large = torch.LongTensor { 1, 2, 3 }:mul(2 ^ 62)
    large[1], large[2], large[3] = 9007199254740993LL, 9007199254740992LL, 9007199254740993LL
    local codes, most = keys.of({ type = 'torch.LongTensor', values = large }, true)
    assert.same({ 2, 1, 2 }, codes:totable())
    assert.equal(2, most)
    assert.equal(2, data.Frame({ k = large, v = torch.ones(3) }):groupBy('k'):size())
  end)

  it('spread over the table', function()
    local n = 20000
    for _, step in ipairs { 1e6, 2 ^ -20, 4096 } do
      local x = torch.range(1, n):double():mul(step)
      local codes, most = keys.of({ type = 'torch.DoubleTensor', values = x }, true)
      assert.equal(n, most)
      assert.same({ 1, 2, n }, { codes[1], codes[2], codes[n] })
    end
  end)

  it('ignore NaNs of other bits', function()
    local x = torch.LongTensor { 1, 2 }
    x[1], x[2] = 0x7ff8dead00000001LL, 0x3ff0000000000000LL
    local doubles = torch.DoubleTensor(torch.DoubleStorage(2))
    require('ffi').copy(doubles:data(), x:data(), 16)
    local frame = data.Frame { x = doubles }
    assert.same({ 1, 0 }, column.missing(frame:_record 'x'):byte():totable())
    assert.equal(1, frame:groupBy('x'):size())
    assert.equal(1, frame:filter('x == 1'):size())
    assert.equal(1, frame:rolling(2, { minimum = 1 }):sum().x[2])
  end)
end)
