-- Data frames in files of CSV and JSON lines.
local torch = require 'torch'
local data = require 'data'
local paths = require 'paths'
local files = require 'spec.support.files'

local nan = 0 / 0
local name

local function example()
  local columns = { day = { 951782400, nan }, word = { 'a;b', data.jsonl.null }, x = { 1.5, nan }, flag = { true, false },
                    n = torch.LongTensor { 3, 4 } }
  return data.Frame(columns, { 'day', 'word', 'x', 'flag', 'n' }):cast { day = 'date' }
end

describe('A data.Frame', function()
  before_each(function() name = paths.tmpname() end)
  after_each(function() os.remove(name) end)

  it('is written as CSV by the conventions of a country', function()
    data.csv.save(name, example(), { separator = ';', decimal = ',', missing = 'NA', dates = '%d.%m.%Y' })
    assert.equal('day;word;x;flag;n\n29.02.2000;"a;b";1,5;true;3\nNA;NA;NA;false;4\n', files.read(name))
    local read = data.csv.load(name, { separator = ';', decimal = ',', types = { day = { date = '%d.%m.%Y' }, flag = 'bool' } })
    assert.same(example().types, read.types)
    assert.equal(951782400, read.day[1])
    assert.same({ 0, 1 }, read:isNull('day'):byte():totable())
    assert.equal(1.5, read.x[1])
    for part in data.csv.open(name, { separator = ';', decimal = ',', types = { [1] = { date = '%d.%m.%Y' } } }):chunks(1) do
      assert.equal('date', part.types.day)
    end
    data.csv.save(name, example())
    assert.equal('day,word,x,flag,n\n2000-02-29,a;b,1.5,true,3\n"","","",false,4\n', files.read(name))
    assert.error_matches(function() data.csv.save(name, example(), { decimal = 'x' }) end, "data.csv.save: decimal: 'x', expected one of")
    assert.error_matches(function() data.csv.save(name, example(), { dates = '%Q' }) end, 'data.csv.save: dates: "%%Q", expected a format')
    files.write(name, 'd\n2024-01-01\n1.1.2024\n')
    assert.error_matches(function() data.csv.load(name, { types = { d = { date = '%d.%m.%Y' } } }) end,
      'd%[1%]: "2024%-01%-01", expected a date such as %%d.%%m.%%Y')
  end)

  it('is written and read as lines of JSON', function()
    data.jsonl.save(name, example():cast { word = 'category' })
    assert.equal('{"day":"2000-02-29","word":"a;b","x":1.5,"flag":true,"n":3}\n{"day":null,"word":null,"x":null,"flag":false,"n":4}\n',
      files.read(name))
    local read = data.jsonl.frame(name, { columns = { 'n', 'x', 'word', 'flag', 'day' } })
    assert.same({ 'n', 'x', 'word', 'flag', 'day' }, read.names)
    assert.same({ 'torch.DoubleTensor', 'torch.DoubleTensor', 'text', 'torch.BoolTensor', 'text' },
      { read.types.n, read.types.x, read.types.word, read.types.flag, read.types.day })
    assert.same({ 0, 1 }, read:isNull('x'):byte():totable())
    assert.same({ 'a;b', '' }, read.word)
    assert.equal(951782400, read:cast({ day = 'date' }).day[1])
    assert.equal(1, data.jsonl.frame(name, { rows = 1 }):size())
    files.write(name, '{"a":1}\n{"a":"x"}\n')
    assert.error_matches(function() data.jsonl.frame(name) end, 'a%[2%]: a string after values of the type number')
    assert.error_matches(function() data.jsonl.save(name, data.Frame { a = { math.huge } }) end, 'data.jsonl.save: a%[1%]: ')
  end)

  it('writes integers beyond 2^53 and complex numbers whole, or not at all', function()
    local frame = data.Frame { n = torch.LongTensor { 9007199254740993LL, 1 } }
    data.csv.save(name, frame)
    assert.equal('n\n9007199254740993\n1\n', files.read(name))
    data.jsonl.save(name, frame)
    assert.equal('{"n":9007199254740993}\n{"n":1}\n', files.read(name))
    frame = data.Frame { z = torch.complex(torch.ones(1), torch.ones(1)) }
    assert.error_matches(function() data.jsonl.save(name, frame) end, 'data.jsonl.save: z%[1%]: a cdata, expected a table, string')
  end)

  it('writes the dates of a column in one form', function()
    local frame = data.Frame({ a = { '2024-01-01', '2024-01-02' }, b = { '2024-01-01', '2024-01-01T10:30' },
                               c = { '2024-01-01T00:00:00.5', '2024-01-01T00:00:01.125' },
                               d = { '2024-01-01T00:00:00.25', data.jsonl.null } })
      :cast { a = 'date', b = 'date', c = 'date', d = 'date' }
    data.csv.save(name, frame)
    assert.equal('a,b,c,d\n2024-01-01,2024-01-01T00:00:00,2024-01-01T00:00:00.500,2024-01-01T00:00:00.25\n'
      .. '2024-01-02,2024-01-01T10:30:00,2024-01-01T00:00:01.125,""\n', files.read(name))
    data.csv.save(name, frame:select { 'a', 'b' }, { dates = '%d.%m.%Y' })
    assert.equal('a,b\n01.01.2024,01.01.2024\n02.01.2024,01.01.2024\n', files.read(name))
    data.jsonl.save(name, frame:select { 'b' })
    assert.equal('{"b":"2024-01-01T00:00:00"}\n{"b":"2024-01-01T10:30:00"}\n', files.read(name))
    assert.same({ '2024-01-01T00:00:00', '2024-01-01T10:30:00' }, { frame:rows()[1][2], frame:rows()[2][2] })
  end)

  it('has errors of its functions at the line of the program', function()
    local frame = data.Frame { x = { 1, 2, 3 }, w = { 'a', 'b', 'c' } }
    for message, f in pairs {
      ['data.csv.save: name: nil, expected a string'] = function() data.csv.save() end,
      ['data.csv.save: /nowhere/x: No such file or directory'] = function() data.csv.save('/nowhere/x', frame) end,
      ['data.jsonl.save: /nowhere/x: No such file or directory'] = function() data.jsonl.save('/nowhere/x', { 1 }) end,
      ["data.Frame:take: indices[1]: 'x', expected the number of a row"] = function() frame:take { 'x' } end,
      ['data.Frame:take: indices: a torch.BoolTensor, expected numbers of rows; filter takes a mask'] = function()
        frame:take(torch.BoolTensor(3):fill(1))
      end,
      ['data.Frame:take: indices: expected whole numbers'] = function() frame:take { 1.5 } end,
      ['data.Frame:getBatch: indices: 5, expected numbers from 1 to 3'] = function() frame:getBatch(torch.LongTensor { 5 }) end,
      ["data.Frame:matrix: type: 'x', expected a type of tensors"] = function() frame:matrix(nil, 'x') end,
      ['data.Frame: column: a torch.DoubleTensor, expected one of w, x'] = function() frame:column(torch.zeros(100000)) end,
      ['data.Frame: column: a data.Frame, expected one of w, x'] = function() frame:column(frame) end,
      [('data.Frame: column: %s..., expected one of w, x'):format(('z'):rep(60))] = function() frame:column(('z'):rep(1000)) end,
    } do
      local _, found = pcall(f)
      assert.equal(message, (found:gsub('^[^:]*files_spec%.lua:%d+: ', '')))
    end
    assert.equal(6, frame:getBatch(torch.randperm(3)).x:sum())
    assert.same({ 2, 1 }, frame:take(torch.Tensor { 2, 1 }).x:totable())
    assert.equal('torch.FloatTensor', frame:matrix('x', 'float'):type())
    assert.same({ false, true, false, true }, { data.texts.startsWith('', 5), data.texts.startsWith('51', 5), data.texts.endsWith('', 5),
                                                data.texts.endsWith('15', 5) })
  end)
end)
