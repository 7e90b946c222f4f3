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
end)
