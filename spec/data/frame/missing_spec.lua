-- Missing values of data frames: masks of integers, booleans and texts, which keep their types, in operations and files.
local torch = require 'torch'
local data = require 'data'
local paths = require 'paths'
local files = require 'spec.support.files'

local nan, null = 0 / 0, data.jsonl.null

local function fails(f, text)
  local good, message = pcall(f)
  assert.is_false(good)
  assert.is_truthy(tostring(message):find(text, 1, true), ('%s, expected %s'):format(tostring(message), text))
end

local function example()
  local columns = {
    n = torch.LongTensor { 3, -99, 1, -99, 4 }, flag = { true, null, false, true, null }, word = { 'b', '', null, 'NA', 'a' },
    x = { 0.5, nan, 1.5, 2, null }, day = { '2024-03-01', '2024-02-01', null, '2024-05-09', '2024-04-01' },
    kind = { 'u', null, 'v', 'u', 'w' },
  }
  local frame = data.Frame(columns, { 'n', 'flag', 'word', 'x', 'day', 'kind' }):cast { day = 'date', kind = 'category', n = 'int' }
  return frame:setMissing('n', frame.n:eq(-99))
end

local function masks(frame)
  local list = {}
  for _, name in ipairs(frame.names) do list[name] = table.concat(frame:isMissing(name):byte():totable()) end
  return list
end

local all = { n = '01010', flag = '01001', word = '00100', x = '01001', day = '00100', kind = '01000' }
local types = { n = 'torch.IntTensor', flag = 'torch.BoolTensor', word = 'text', x = 'torch.DoubleTensor', day = 'date', kind = 'category' }

describe('A data.Frame with missing values', function()
  it('keeps the types of its columns', function()
    local frame = example()
    assert.same(types, frame.types)
    assert.same(all, masks(frame))
    assert.same({ 3, 0, 1, 0, 4 }, frame.n:totable())
    assert.same({ 'b', '', '', 'NA', 'a' }, frame.word)
    assert.same({ 'var_1', 'var_2' }, frame:select(1):isMissing() and data.Frame.fromRows({ { 1, 2 } }).names)
    local row = frame:get(2)
    assert.is_true(row.n ~= row.n and row.x ~= row.x)
    assert.same({ nil, '', 0 }, { row.flag, row.word, row.kind })
    assert.same({ 1, 0, 1, 0, 1 }, frame:numbers('n'):eq(frame:numbers('n')):byte():totable())
    assert.same({ 3, 1, 4 }, frame:dropMissing('n').n:totable())
    local matrix = frame:matrix { 'n', 'flag' }
    assert.is_true(matrix[2][1] ~= matrix[2][1] and matrix[5][2] ~= matrix[5][2])
    assert.same(example():isMissing().n:byte():totable(), example():isNull 'n':byte():totable())
    assert.same({ 0, 1 }, example():take({ 1, 2 }):isMissing('n'):byte():totable())
  end)

  it('keeps them through operations', function()
    local frame = example()
    assert.same(types, frame:shift(1).types)
    assert.same({ n = '10101', flag = '10100', word = '10010', x = '10100', day = '10010', kind = '10100' }, masks(frame:shift(1)))
    assert.same(types, frame:concat(frame:select { 'n', 'x' }).types)
    assert.same('0010011111', masks(frame:concat(frame:select { 'n', 'x' })).word)
    assert.same('0101001010', masks(frame:concat(frame:select { 'n', 'x' })).n)
    local other = data.Frame { kind = { 'u', null }, more = torch.LongTensor { 7, 8 } }:cast { kind = 'category' }
    local joined = frame:join(other, { on = 'kind', how = 'left' })
    assert.equal('torch.LongTensor', joined.types.more)
    assert.same({ 7, 8, 0, 7, 0 }, joined.more:totable())
    assert.equal('00101', masks(joined).more)
    assert.same({ 1, 3, 4, 0, 0 }, frame:sort('n').n:totable())
    assert.same({ 4, 3, 1, 0, 0 }, frame:sort('n', { descending = true }).n:totable())
    assert.same({ '', 'NA', 'a', 'b', '' }, frame:sort('word').word)
    assert.same({ 0, 1, 1 }, { frame:sort('flag').flag[1], frame:sort('flag').flag[2], frame:sort('flag').flag[3] })
    assert.same({ 3, 0, 4, 0, 8 }, frame:select('n'):cumsum().n:totable())
    assert.equal('01010', masks(frame:cumsum()).n)
    assert.equal(4, frame:dropDuplicates('n'):size())
    assert.equal(3, frame:filter('n == n'):size())
    assert.equal(2, frame:filter('flag'):size())
    assert.same({ 'torch.IntTensor', 'text', '01010' }, (function()
      local cast = frame:cast { n = 'text' }
      return { cast:cast({ n = 'int' }).types.n, cast.types.n, masks(cast).n }
    end)())
    assert.same({ '01010', '01010' }, { masks(frame:cast { n = 'double' }).n, masks(frame:cast({ n = 'float' }):cast { n = 'byte' }).n })
    assert.equal('01001', masks(frame:cast { flag = 'byte' }).flag)
    assert.equal('00100', masks(frame:cast { word = 'category' }).word)
    assert.same({ 'b', '', 'NA', 'a' }, frame:cast({ word = 'category' }).categories.word)
    local copy = torch.deserialize(torch.serialize(frame))
    assert.same(all, masks(copy))
  end)

  it('is summed up without them', function()
    local frame = example()
    local groups = frame:groupBy 'kind'
    local sums = groups:aggregate { n = { 'count', 'sum', 'min', 'max', 'first', 'nunique' }, flag = { 'sum' }, word = { 'count', 'last' } }
    assert.same({ 'u', 'v', 'w' }, sums:cast({ kind = 'text' }).kind)
    assert.same({ 1, 1, 1 }, sums.n_count:totable())
    assert.same({ 'torch.LongTensor', 'torch.IntTensor' }, { sums.types.n_sum, sums.types.n_max })
    assert.same({ 3, 1, 4 }, sums.n_min:totable())
    assert.same({ 'NA', '', 'a' }, sums.word_last)
    assert.equal('010', masks(sums).word_last)
    local kept = frame:groupBy('kind', { missing = true })
    assert.equal(4, kept:size())
    local keys = {}
    for key, rows in kept:each() do keys[#keys + 1] = { key, rows:size() } end
    assert.same({ { 'u', 2 }, { 'v', 1 }, { 'w', 1 }, { null, 1 } }, keys)
    assert.equal('0001', masks(kept:count()).kind)
    assert.equal('0001', masks(kept:aggregate { n = 'max' }).n)
    assert.same({ 3, 8 / 3, 1, 4 }, (function()
      local n = frame:describe().n
      return { n[1], n[2], n[4], n[8] }
    end)())
    assert.same({ 2, 1 }, { frame:valueCounts('flag').count[1], frame:valueCounts('flag').count[2] })
    fails(function() frame:groupBy('kind', { mising = true }) end, 'data.Frame:groupBy: options: mising, expected one of missing')
    local big = data.Frame { id = torch.LongTensor { 0, 0, 5 } }
    big.id:data()[0], big.id:data()[1] = 9007199254740993LL, 9007199254740992LL
    big = big:setMissing('id', { false, false, true })
    assert.is_true(big:sort('id').id:data()[0] == 9007199254740992LL)
    assert.equal(2, big:groupBy('id'):size())
  end)

  it('drops and fills them', function()
    local frame = example()
    assert.equal(1, frame:dropMissing():size())
    assert.equal(5, frame:dropMissing(nil, { how = 'all' }):size())
    assert.equal(4, frame:dropMissing({ 'n', 'x' }, { how = 'all' }):size())
    assert.equal(2, frame:dropMissing(nil, { least = 5 }):size())
    local filled = frame:fillMissing { n = -1, flag = false, word = 'none', day = '2000-02-29', kind = 'v' }
    assert.same(types, filled.types)
    assert.same({ 3, -1, 1, -1, 4 }, filled.n:totable())
    assert.same({ 1, 0, 0, 1, 0 }, filled.flag:byte():totable())
    assert.same({ 'b', '', 'none', 'NA', 'a' }, filled.word)
    assert.equal(951782400, filled.day[3])
    assert.same({ 3, 0.5, 1, 0.5, 4 }, frame:fillMissing({ n = 0.5 }).n:totable())
    assert.same({ 3, 3, 1, 1, 4 }, frame:fillMissing(nil, { method = 'forward' }).n:totable())
    assert.same({ 3, 1, 1, 4, 4 }, frame:fillMissing(nil, { method = 'backward' }).n:totable())
    assert.same({ 3, 2, 1, 2.5, 4 }, frame:fillMissing(nil, { method = 'interpolate' }).n:totable())
    assert.same({ 0.5, 1, 1.5, 2, 2 }, frame:fillMissing(nil, { method = 'interpolate' }).x:totable())
    assert.same({ 0.5, 1.5, 1.5, 2, 1.5 }, frame:fillMissing(nil, { method = 'median', columns = 'x' }).x:totable())
    assert.equal('01010', masks(frame:fillMissing(nil, { method = 'median', columns = 'x' })).n)
    assert.equal(8 / 3, frame:fillMissing(nil, { method = 'mean' }).n[2])
    local run = data.Frame { a = { 1, nan, nan, nan, 5 } }
    assert.equal('00110', masks(run:fillMissing(nil, { method = 'forward', limit = 1 })).a)
    assert.equal('01100', masks(run:fillMissing(nil, { method = 'backward', limit = 1 })).a)
    assert.equal('00000', masks(frame:fillMissing(true)).flag)
    fails(function() frame:fillMissing { flag = 1 } end, 'data.Frame:fillMissing: flag: 1, expected a boolean')
    fails(function() frame:fillMissing { day = 'soon' } end, 'data.Frame:fillMissing: day: "soon", expected a date such as 2024-05-31')
    fails(function() frame:fillMissing(1, { method = 'mean' }) end, 'data.Frame:fillMissing: value: expected nil with the option method')
    fails(function() frame:setMissing('n', { true }) end, 'data.Frame:setMissing: mask: 1 elements, expected 5')
    fails(function() frame:setMissing('n', 3) end, 'data.Frame:setMissing: mask: 3, expected a BoolTensor or a list of booleans')
    fails(function() frame:numbers 'word' end, 'data.Frame:numbers: word: a column of texts, expected numbers')
  end)

  it('is written and read with them, and shown', function()
    local name = paths.tmpname()
    local frame = example()
    data.csv.save(name, frame)
    assert.equal('n,flag,word,x,day,kind\n3,true,b,0.5,2024-03-01,u\n"","","","",2024-02-01,""\n1,false,"",1.5,"",v\n'
      .. '"",true,NA,2,2024-05-09,u\n4,"",a,"",2024-04-01,w\n', files.read(name))
    local read = data.csv.load(name, { types = { kind = 'category', n = 'int' } })
    assert.same(types, read.types)
    assert.same({ n = '01010', flag = '01001', word = '01110', x = '01001', day = '00100', kind = '01000' }, masks(read))
    data.jsonl.save(name, frame:select { 'n', 'flag', 'word' })
    assert.equal('{"n":3,"flag":true,"word":"b"}\n{"n":null,"flag":null,"word":""}\n{"n":1,"flag":false,"word":null}\n'
      .. '{"n":null,"flag":true,"word":"NA"}\n{"n":4,"flag":null,"word":"a"}\n', files.read(name))
    local lines = data.jsonl.frame(name)
    assert.same({ n = '01010', flag = '01001', word = '00100' }, masks(lines))
    os.remove(name)
    assert.equal('   n  flag\n   3  true\n<NA>  <NA>\n[data.Frame of 2 rows, 2 columns]',
      frame:select({ 'n', 'flag' }):head(2):text())
    assert.is_truthy(require('notebook.mime').bundle(frame)['text/html']:find('<td>&lt;NA&gt;</td>', 1, true))
  end)

  it('has as many categories as rows in time', function()
    local names, n = {}, 100000
    for i = 1, n do names[i] = 'name' .. i end
    local start = os.clock()
    local frame = data.Frame({ k = names }):cast { k = 'category' }
    assert.is_true(os.clock() - start < 5)      -- seconds; 30 if each name takes time for those before it
    assert.equal(n, frame.k[n])
    local filled = frame:setMissing('k', frame.k:eq(1)):fillMissing { k = 'none' }
    assert.same({ n + 1, 'none' }, { filled.k[1], filled.categories.k[n + 1] })
    local message = select(2, pcall(frame.cast, frame:head(1), { k = { 'a' } }))
    assert.is_truthy(message:find('"name1", expected one of the categories a', 1, true))
  end)
end)
