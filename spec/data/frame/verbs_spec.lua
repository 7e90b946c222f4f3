-- Data frames: functions of texts, ranks, classes, groups by row, replaced values; their edge cases and errors.
local torch = require 'torch'
local data = require 'data'

local null, texts = data.jsonl.null, data.texts

local function fails(f, text)
  local good, message = pcall(f)
  assert.is_false(good)
  assert.is_truthy(tostring(message):find(text, 1, true), ('%s, expected %s'):format(tostring(message), text))
end

local nan = 0 / 0

-- The numbers of a tensor; false where they are missing.
local function known(x)
  local list = x:totable()
  for i, value in ipairs(list) do list[i] = value == value and value end
  return list
end

local function example()
  local columns = { word = { 'Ash', null, 'elm tree', 'Ash' }, n = torch.LongTensor { 3, 1, 2, 3 }, x = { 1, 0 / 0, 3, 4 } }
  return data.Frame(columns, { 'word', 'n', 'x' })
end

-- The functions of texts by patterns of Lua, which are slow.
local function cased(name)
  return function(text)
    if not require('torch.file.utf8').isValid(text) then return string[name](text) end
    return require('text.unicode')[name](text)
  end
end
local function lengthOf(text) return select(2, text:gsub('[^\128-\191]', '')) end
local function charactersOf(text)
  local list = {}
  for each in text:gmatch '[^\128-\191][\128-\191]*' do list[#list + 1] = each end
  return list
end
local slow = {
  lower = cased 'lower', upper = cased 'upper', length = lengthOf,
  strip = function(text) return text:match '^%s*(.-)%s*$' end,
  contains = function(text, part) return cased 'lower'(text):find(cased 'lower'(part), 1, true) ~= nil end,
  replace = function(text, part, by) return (text:gsub('%' .. part, by)) end,
  sub = function(text, first, last)
    local list, n = charactersOf(text), lengthOf(text)
    return table.concat(list, '', math.max(first < 0 and n + 1 + first or first, 1), math.min(last < 0 and n + 1 + last or last, n))
  end,
  pad = function(text, width) return ('é'):rep(width - lengthOf(text)) .. text end,
  split = function(text, separator, i)
    local list = {}
    for part in (text .. separator):gmatch('(.-)%' .. separator) do list[#list + 1] = part end
    return list[i > 0 and i or #list + 1 + i]
  end,
}

describe('data.texts', function()
  it('does what patterns do, with any bytes', function()
    local pieces = { 'a', 'B', 'z', ' ', '\t', '.', '-', 'é', 'É', 'ß', 'İ', 'Ω', '語', '🙂', 'ΐ', '\0' }
    local list, hostile = {}, {}
    for i = 1, 3000 do
      local words = {}
      for j = 1, torch.random(0, 12) do words[j] = pieces[torch.random(1, #pieces)] end
      list[i] = table.concat(words)
      hostile[i] = list[i]:sub(1, #list[i] - 1) .. string.char(torch.random(0, 255)) .. 'Q'
    end
    list[1], hostile[1] = ('É.a'):rep(3000), ('\200A'):rep(3000)
    local calls = {
      lower = {}, upper = {}, length = {}, strip = {}, contains = { 'Éz', { ignoreCase = true } }, replace = { '.', '<.>' },
      sub = { 2, -2 }, pad = { 9, { character = 'é' } }, split = { '.', -2 },
    }
    for name, arguments in pairs(calls) do
      for kind, texts_ in pairs { valid = list, hostile = (name ~= 'sub' and name ~= 'pad') and hostile or nil } do
        local frame = data.Frame { w = texts_ }
        local found = texts[name](frame, unpack(arguments))
        local c = found:_record 'w'
        for i = 1, #texts_ do
          local expected, actual = slow[name](texts_[i], unpack(arguments)), require('data.frame.column').value(c, i)
          if actual ~= expected then error(('%s %s %q: %q, expected %q'):format(name, kind, texts_[i]:sub(1, 100), actual, expected)) end
        end
        assert.equal(slow[name](texts_[2], unpack(arguments)), texts[name](texts_[2], unpack(arguments)))
      end
    end
    local frame = data.Frame { w = { 'a', 'b' } }
    frame.columns.w[2] = 5
    fails(function() texts.length(frame) end, 'data.texts.length: w[2]: 5, expected a text')
    local none = data.Frame({ w = { null, null } }):cast { w = 'text' }
    assert.same({ 'torch.BoolTensor', 'torch.DoubleTensor', 'text', 2 }, { texts.contains(none, 'a').types.w, texts.length(none).types.w,
      texts.lower(none).types.w, texts.contains(none, 'a'):isMissing('w'):sum() })
    assert.same({ 0, 'text' }, { texts.lower(frame:head(0)):size(), texts.lower(frame:head(0)).types.w })
  end)

  it('changes texts and columns', function()
    local frame = data.Frame({ w = { 'Ash', null, 'ÉLAN, b', '' } }):cast { w = 'text' }
    local function of(name, ...)
      local found = texts[name](frame:select 'w', ...)
      assert.same({ 'w' }, found.names)
      local list = {}
      for i = 1, 4 do list[i] = require('data.frame.column').value(found:_record 'w', i) end
      return list
    end
    assert.same({ 'ash', nil, 'élan, b', '' }, of 'lower')
    assert.same({ 'ASH', nil, 'ÉLAN, B', '' }, of 'upper')
    assert.same({ 3, nil, 7, 0 }, of 'length')
    assert.same({ true, nil, false, false }, of('contains', 'sh'))
    assert.same({ false, nil, true, false }, of('contains', 'éL', { ignoreCase = true }))
    assert.same({ true, nil, false, false }, of('contains', '^A%l+$', { pattern = true }))
    assert.same({ true, nil, false, false }, of('startsWith', 'As'))
    assert.same({ false, nil, true, false }, of('endsWith', ', b'))
    assert.same({ 'sh', nil, 'b' }, of('match', '%l+'))
    assert.same({ 'A.h', nil, 'ÉLAN, b', '' }, of('replace', 's', '.'))
    assert.same({ 'A[s]', nil, 'ÉLAN, [b]', '' }, of('replace', '(%l)h?$', '[%1]', { pattern = true }))
    assert.same({ 'Ash', nil, 'ÉLAN', '' }, of('split', ', ', 1))
    assert.same({ 'Ash', nil, 'b', '' }, of('split', ', ', -1))
    assert.same({ nil, nil, 'b' }, of('split', ', ', 2))
    assert.same({ 'sh', nil, 'LAN, b', '' }, of('sub', 2))
    assert.same({ 'A', nil, 'É', '' }, of('sub', 1, 1))
    assert.same({ 'h', nil, 'b', '' }, of('sub', -1))
    assert.same({ '..Ash', nil, 'ÉLAN, b', '.....' }, of('pad', 5, { character = '.' }))
    assert.same({ 'Ash  ', nil, 'ÉLAN, b', '     ' }, of('pad', 5, { side = 'right' }))
    assert.same({ 'sh', nil, 'ÉLAN, b', '' }, of('strip', 'A'))
    assert.equal('a b', texts.strip ' \t a b\n')
    assert.equal('b]-', texts.strip('^]-b]-^', '^') :sub(3))
    assert.equal('50% off', texts.replace('half off', 'half', '50%'))
    assert.same({ 'b', '', 'xbbx', 'aa', '%1%1', '..' }, { texts.replace('aaa', 'aaa', 'b'), texts.replace('aa', 'a', ''),
      texts.replace('xaax', 'a', 'b'), texts.replace('aa', 'aaa', 'b'), texts.replace('..', '.', '%1'), texts.replace('aaaa', 'aa', '.') })
    local long = ('ab\0%'):rep(300000)
    assert.equal(('ab%1'):rep(300000), texts.replace(long, '\0%', '%1'))
    assert.equal((' '):rep(12000) .. 'c', texts.replace(('ab'):rep(6000) .. 'c', 'ab', '  '))
    assert.equal('\255a', texts.lower '\255A')
    assert.same({ 'elm', 'elm', null }, (function()
      local typed = data.Frame({ w = { 'ELM', 'Elm', null } }):cast { w = 'category' }
      local found = texts.lower(typed)
      return { found.w[1], found.w[2], found:isMissing('w')[3] ~= 0 and null }
    end)())
    assert.equal(1, texts.length(data.Frame({ w = { null } }):cast { w = 'text' }):isMissing('w'):sum())
    fails(function() texts.lower(3) end, 'data.texts.lower: x: 3, expected a text or a frame of one column')
    fails(function() texts.lower(example()) end, 'data.texts.lower: x: a frame of 3 columns, expected one of a single column')
    fails(function() texts.lower(example():select 'n') end, "n: a column of torch.LongTensor, expected texts; cast { n = 'text' }")
    fails(function() texts.match('a', '(') end, 'data.texts.match: pattern: "(", expected a pattern of Lua')
    fails(function() texts.split('a', '', 1) end, 'data.texts.split: separator: an empty text')
    fails(function() texts.split('a', ',', 0) end, 'data.texts.split: i: 0, expected a number from 1')
    fails(function() texts.pad('a', 3, { character = 'ab' }) end, 'character: "ab", expected one character')
    fails(function() texts.replace('a', '', 'b') end, 'data.texts.replace: part: an empty text')
  end)

  it('are in expressions', function()
    local frame = example()
    assert.same({ 'Ash', 'Ash' }, frame:filter("texts.contains(word, 'SH', { ignoreCase = true })").word)
    assert.same({ 'Ash', 'elm tree', 'Ash' }, frame:filter("isIn(word, 'Ash', 'elm tree')").word)
    local made = frame:assign { low = 'texts.lower(word)', first = data.texts.split(frame:select 'word', ' ', 1) }
    assert.same({ 'ash', '', 'elm tree', 'ash' }, made.low)
    assert.equal(1, made:isMissing('low'):sum())
    assert.same({ 'Ash', '', 'elm', 'Ash' }, made.first)
  end)
end)

describe('data.Frame', function()
  it('sums up', function()
    local frame = example()
    assert.equal(2, frame:nunique 'word')
    assert.same({ 2, 3, 3 }, { frame:nunique().word[1], frame:nunique().n[1], frame:nunique().x[1] })
    assert.equal(2.5, frame:quantile(0.5, 'n'))
    assert.same({ 'quantile', 'n', 'x' }, frame:quantile({ 0.5 }).names)
    local all = frame:aggregate { n = { 'sum', 'mean' }, word = 'nunique' }
    assert.same({ { 'word', 'n_sum', 'n_mean' }, 9, 2.25, 2 }, { all.names, all.n_sum[1], all.n_mean[1], all.word[1] })
    assert.equal(3, frame:aggregate('max').n[1])
    assert.equal(0, frame:head(0):aggregate({ n = 'count' }).n[1])
    assert.same({ 1, 2 }, { frame:crosstab('word', 'n')['3'] and 1, frame:crosstab('word', 'n'):size() })
    local info = frame:info()
    assert.same({ { 'word', 'n', 'x' }, { 'text', 'long', 'double' }, { 3, 4, 3 }, { 1, 0, 1 }, { 2, 3, 3 } },
      { info.name, info.type, info.values:totable(), info.missing:totable(), info.distinct:totable() })
    assert.equal(0, data.Frame({}):info():size())
    fails(function() frame:ewm {} end, 'data.Frame:ewm: options: expected one of alpha, span, halflife, com')
    fails(function() frame:ewm { span = -3 } end, 'data.Frame:ewm: span: -3, for which alpha is -1, expected one above 0 up to 1')
    fails(function() frame:rolling '7 days' end, "data.Frame:rolling: on: expected the column of dates of a window such as '7 days'")
    fails(function() frame:rolling('1 month', { on = 'n' }) end, "window: '1 month', expected seconds, minutes, hours, days or weeks")
    fails(function() frame:rolling('7 days', { on = 'n' }) end, 'data.Frame:rolling: on: n: a column of torch.LongTensor, expected dates')
    local days = data.Frame { day = torch.Tensor { 5, 3 } }:cast { day = 'date' }
    fails(function() days:rolling('7 days', { on = 'day' }) end, 'on: day[2]: an earlier date, expected dates in ascending order')
    fails(function() frame:quantile(2, 'n') end, 'data.Frame:quantile: shares: 2')
    fails(function() frame:corr { 'word' } end, 'data.Frame:corr: word: a column of text, expected numbers')
    fails(function() frame:crosstab 'word' end, 'data.Frame:crosstab: index, which: expected the names of two columns')
    fails(function() frame:rank 'wrod' end, 'column: wrod, expected one of word, n, x; the nearest name is word')
    fails(function() frame:filter 'nn > 1' end, 'nn, expected one of the columns word, n, x; the nearest name is n')
  end)

  it('has classes of numbers', function()
    local frame = data.Frame { x = { 1, 2, 3, 4, 0 / 0, 9 } }
    local cut = frame:cut('x', { 0, 2, 4 }, { labels = { 'low', 'high' } })
    assert.same({ 1, 1, 2, 2, 0, 0 }, cut.x:totable())
    assert.is_true(cut.ordered.x)
    assert.same({ 1, 1, 2, 2, 0, 2 }, frame:cut('x', torch.Tensor { -math.huge, 2, math.huge }).x:totable())
    assert.same({ 'low', 'high' }, cut.categories.x)
    assert.same({ '(-inf, 2]', '(2, inf]' }, frame:cut('x', { -math.huge, 2, math.huge }).categories.x)
    assert.same({ '(0.12341, 0.12342]', '(0.12342, 0.12343]' },
      data.Frame({ x = { 1 } }):cut('x', { 0.12341, 0.12342, 0.12343 }).categories.x)
    assert.same({ 1, 2 }, data.Frame({ x = { 5, 5.001 } }):cut('x', 2).x:totable())
    fails(function() frame:cut('x', { 2, 1 }) end, 'data.Frame:cut: bins[2]: 1, expected a larger number than the one before')
    fails(function() frame:cut('x', { 1 }) end, 'data.Frame:cut: bins: expected at least two edges')
    fails(function() frame:cut('x', { 0, 1 }, { labels = {} }) end, 'data.Frame:cut: labels: 0, expected one for each of 1 classes')
    fails(function() data.Frame({ x = { 1, 1, 1, 2 } }):qcut('x', 4) end, 'data.Frame:qcut: q: 1 is the edge of two classes')
    fails(function() example():cut('word', 2) end, 'data.Frame:cut: word: a column of text, expected numbers')
  end)

  it('has rows of groups', function()
    local frame = example()
    local words = frame:groupBy 'word'
    local function join(list) return table.concat(list, '+') end
    local moved = words:transform { n = 'sum', most = { 'x', 'max' }, joined = { 'word', join } }
    assert.same({ 'word', 'n', 'x', 'joined', 'most' }, moved.names)
    assert.same({ { 6, 0, 2, 6 }, 'torch.LongTensor', '0100' }, { moved.n:totable(), moved.types.n,
                                                                   table.concat(moved:isMissing('n'):byte():totable()) })
    assert.same({ 'Ash+Ash', '', 'elm tree', 'Ash+Ash' }, moved.joined)
    assert.same({ 1, 0, 2, 1 }, words:transform({ g = { 'n', function(n) return n:nElement() == 1 and 2 or 1 end } })
      :fillMissing({ g = 0 }).g:totable())
    assert.equal(1, words:filter(function(rows, key) return key == 'elm tree' and rows:size() == 1 end):size())
    local found = words:apply(function(rows, key) return key == 'Ash' and { total = rows.n:sum() } or nil end)
    assert.same({ { 'word', 'total' }, 'Ash', 6 }, { found.names, found.word[1], found.total[1] })
    assert.equal(0, words:apply(function() return nil end):size())
    assert.same({ 3, 2 }, words:head(1).n:totable())
    fails(function() words:transform { n = 'most' } end, "data.Groups:aggregate: n: 'most', expected 'mean'")
    fails(function() words:transform { n = function() return { 1, 2, 3 } end } end, 'n: 3 values of a group of 2 rows, expected one')
    fails(function() words:transform { c = { 'word', 'cumsum' } } end, 'c: a column of text, expected numbers for cumsum')
    fails(function() words:apply(function() return 3 end) end, 'data.Groups:apply: a result of f: 3, expected a frame, a table or nil')
  end)

  it('has columns that are set', function()
    local frame = example()
    local other = frame:select { 'word', 'n' }
    frame.z = frame.n * 2
    frame.twice = 'z + x'
    frame.n = { 1, null, 3, 4 }
    frame.x = nil
    assert.same({ 'word', 'n', 'z', 'twice' }, frame.names)
    assert.same({ 6, 2, 4, 6 }, frame.z:totable())
    assert.same({ 7, 7, 10 }, { frame.twice[1], frame.twice[3], frame.twice[4] })
    assert.is_true(frame.twice[2] ~= frame.twice[2])
    assert.equal(1, frame:isMissing('n'):sum())
    assert.same({ { 'word', 'n' }, 3 }, { other.names, other.n[1] })
    assert.is_nil(frame.x)
    frame.kind = frame:cast({ word = 'category' }):select 'word'
    assert.same({ 'Ash', 'elm tree' }, frame.categories.kind)
    assert.same({ 'word', 'n', 'z', 'twice', 'kind' }, torch.deserialize(torch.serialize(frame)).names)
    local empty = data.Frame {}
    empty.a = { 1, 2 }
    assert.equal(2, empty:size())
    fails(function() frame.z = { 1 } end, 'data.Frame: z: 1 values, expected 4')
    fails(function() frame.rank = { 1 } end, 'data.Frame: rank: the name of a method; assign { rank = ... } makes a column of this name')
    fails(function() frame.z = 'nothing + 1' end, 'nothing, expected one of the columns word')
  end)

  it('refuses what are no frames and columns', function()
    local frame = example()
    fails(function() frame:filter 'word > 1' end, 'filter: "word > 1": row 1: attempt to compare number with string (word is text)')
    fails(function() frame:join({}, 'word') end, 'data.Frame:join: other: a table, expected a data.Frame')
    fails(function() frame:joinAsof(3, 'n') end, 'data.Frame:joinAsof: other: 3, expected a data.Frame')
    fails(function() frame:beside {} end, 'data.Frame:beside: other: a table, expected a data.Frame')
    fails(function() frame:select { 'n', 'n' } end, 'data.Frame: n, which two columns would have')
    fails(function() frame:crosstab({}, 'n') end, 'data.Frame:crosstab: index: no column, expected the name of one')
    local complex = data.Frame { z = torch.ComplexDoubleTensor(2):fill(1), n = { 1, 2 } }
    assert.same({ 'z', 'n' }, complex:select({ 'z', 'n' }):filter('n > 1').names)
    assert.same({ 'n' }, complex:describe().names)
    assert.equal('complexdouble', complex:info().type[2])
    fails(function() complex:sort 'z' end, 'a column of the type torch.ComplexDoubleTensor, expected real numbers')
    fails(function() complex:numbers 'z' end, 'a column of the type torch.ComplexDoubleTensor, expected real numbers')
    local days = frame:cast { n = 'date' }
    fails(function() days:replace('n', { [3] = 'a', [1] = 'b', [2] = 'c' }) end, 'data.Frame:replace: n: texts or booleans, expected')
    assert.equal(7, frame:concat(data.TensorDataset(torch.ones(3))):size())
    for _ = 1, 66000 do torch.isatty(io.stdout) end      -- more than LuaJIT has room for declarations
  end)

  it('has extreme values of windows', function()
    for _ = 1, 100 do
      local n, window = torch.random(1, 20), torch.random(1, 25)
      local x, center, minimum = torch.randn(n):double(), torch.uniform() < 0.5, torch.random(0, window)
      for i = 1, n do
        if torch.uniform() < 0.3 then x[i] = 0 / 0 elseif torch.uniform() < 0.1 then x[i] = math.huge end
      end
      local windows, ahead = data.Frame({ x = x }):rolling(window, { minimum = minimum, center = center }), 0
      local highest, lowest = windows:max().x, windows:min().x
      if center then ahead = math.floor((window - 1) / 2) end
      for i = 1, n do
        local count, high, low = 0, -math.huge, math.huge
        for j = math.max(1, i + ahead - window + 1), math.min(n, i + ahead) do
          if x[j] - x[j] == 0 then count, high, low = count + 1, math.max(high, x[j]), math.min(low, x[j]) end
        end
        if count < math.max(minimum, 1) then
          assert.is_true(highest[i] ~= highest[i] and lowest[i] ~= lowest[i])
        else
          assert.same({ high, low }, { highest[i], lowest[i] })
        end
      end
    end
  end)

  it('replaces values, and joins columns', function()
    local frame = example()
    assert.same({ 'oak', '', 'elm tree', 'oak' }, frame:replace('word', { Ash = 'oak' }).word)
    local typed = frame:cast({ word = 'category' }):replace('word', { Ash = null })
    assert.same({ 'category', 3 }, { typed.types.word, typed:isMissing('word'):sum() })
    local numbers = frame:replace('n', { [3] = 30 })
    assert.same({ 'torch.LongTensor', 30 }, { numbers.types.n, numbers.n[1] })
    assert.same({ 'torch.DoubleTensor', 0.5 }, { frame:replace('n', { [3] = 0.5 }).types.n, frame:replace('n', { [3] = 0.5 }).n[1] })
    local wide = frame:beside(data.Frame { z = { 1, 2, 3, 4 } })
    assert.same({ 'word', 'n', 'x', 'z' }, wide.names)
    fails(function() frame:beside(data.Frame { z = { 1 } }) end, 'data.Frame:beside: other: 1 rows, expected 4')
    fails(function() frame:beside(frame) end, 'data.Frame:beside: word, which two columns would have')
    assert.equal(2, frame:sample(nil, { fraction = 0.5, seed = 1 }):size())
    fails(function() frame:sample(2, { fraction = 0.5 }) end, 'data.Frame:sample: count: expected nil with the option fraction')
    fails(function() frame:duplicated(nil, { keep = 'no' }) end, "data.Frame:duplicated: keep: 'no', expected one of 'first', 'last'")
    fails(function() frame:join(frame, { on = 'n', how = 'cross' }) end, "data.Frame:join: on: expected no key with how = 'cross'")
    fails(function() frame:joinAsof(frame, 'word') end, 'data.Frame:joinAsof: word: a column of text, expected numbers or dates')
    assert.equal(16, frame:join(frame, { how = 'cross' }):size())
  end)
end)

describe('A data.Frame', function()
  it('has numbers within bounds, and rounded', function()
    local columns = { x = { -1.5, 0.5, 2.5, nan, 1e300, 0.125 }, n = { 15, 25, null, -35, 0, 7 }, w = { 'a', 'b', 'c', 'd', 'e', 'f' } }
    local frame = data.Frame(columns):cast { n = 'int' }
    local clipped = frame:clip(-1, 20)
    assert.same({ -1, 0.5, 2.5, false, 20, 0.125 }, known(clipped.x))
    assert.equal('torch.IntTensor', clipped.types.n)
    assert.same({ 15, 20, -1, 0, 7 }, { clipped.n[1], clipped.n[2], clipped.n[4], clipped.n[5], clipped.n[6] })
    assert.equal(1, clipped:isMissing('n'):sum())
    assert.same({ -1.5, 0.5, 2, false, 2, 0.125 }, known(frame:clip(nil, 2, 'x').x))
    assert.equal(25, frame:clip(nil, 2, 'x').n[2])
    assert.same({ -2, 0, 2, false, 1e300, 0 }, known(frame:round().x))
    assert.same({ -1.5, 0.5, 2.5, false, 1e300, 0.12 }, known(frame:round(2).x))
    assert.same({ 20, 20, -40, 0, 10 }, (function()
      local n = frame:round(-1).n
      return { n[1], n[2], n[4], n[5], n[6] }
    end)())
    assert.same({ 'torch.FloatTensor', 2.5 }, { frame:cast({ x = 'float' }):head(3):round(1).types.x, frame:head(3):round(300).x[3] })
    assert.equal(0, frame:head(0):clip(0, 1):round(1):size())
    fails(function() frame:clip(0.5, 1) end, 'data.Frame:clip: n[4]: 0.5, expected a whole number')
    fails(function() frame:clip() end, 'data.Frame:clip: low: nil, expected a bound')
    fails(function() frame:clip(2, 1) end, 'data.Frame:clip: low: 2, expected at most high, 1')
    fails(function() frame:clip(0, 1, 'w') end, 'data.Frame:clip: w: a column of text, expected numbers')
    fails(function() frame:round(0.5) end, 'data.Frame:round: digits: ')
    local wide = data.Frame { n = torch.LongTensor { 1 } }
    wide.n[1] = 2LL ^ 60
    fails(function() wide:clip(0, 1) end, 'data.Frame:clip: n: integers beyond 2^53')
  end)

  it('has rows of parts of texts', function()
    local frame = data.Frame({ w = { 'a|b|', null, '', 'c' }, n = torch.LongTensor { 1, 2, 3, 4 } }, { 'w', 'n' })
    local found = frame:explode('w', '|')
    assert.same({ { 'a', 'b', '', '', '', 'c' }, { 1, 1, 1, 2, 3, 4 } }, { found.w, found.n:totable() })
    assert.same({ 0, 0, 0, 1, 0, 0 }, found:isMissing('w'):byte():totable())
    assert.same({ 'a', 'b', '' }, frame:head(1):cast({ w = 'category' }):explode('w', '|').w)
    assert.equal(0, frame:head(0):explode('w', '|'):size())
    fails(function() frame:explode('n', '|') end, 'data.Frame:explode: n: a column of torch.LongTensor, expected texts')
    fails(function() frame:explode('w', '') end, 'data.Frame:explode: separator: an empty text')
    assert.equal(0, frame:head(0):expanding():mean():size())
  end)
end)
