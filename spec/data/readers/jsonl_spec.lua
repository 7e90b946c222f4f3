-- JSON lines.
local paths = require 'paths'
local files = require 'spec.support.files'
local data = require 'data'

local name
before_each(function() name = paths.tmpname() end)
after_each(function() os.remove(name) end)

describe('data.jsonl', function()
  it('reads a value a line', function()
    files.write(name, '{"a": [1, 2.5, "x\\u00e9"], "b": null}\r\n\n[true]\n"last"')
    local list = data.jsonl.load(name)
    assert.same({ 1, 2.5, 'xé' }, list[1].a)
    assert.equal(data.jsonl.null, list[1].b)
    assert.same({ true }, list[2])
    assert.equal('last', list[3])
    assert.equal(1, #data.jsonl.load(name, { rows = 1 }))
    local numbers = {}
    for number in data.jsonl.lines(name) do numbers[#numbers + 1] = number end
    assert.same({ 1, 3, 4 }, numbers)
  end)

  it('reports an error with its position', function()
    files.write(name, '{"a": 1}\n{"a": }\n')
    assert.error_matches(function() data.jsonl.load(name) end,
      'data.jsonl.load: ' .. name:gsub('%p', '%%%0') .. ': at byte 16: expected a JSON value in line 2, read "}"')
    files.write(name, ('['):rep(1000))
    assert.error_matches(function() data.jsonl.load(name) end, 'expected a JSON value in line 1, read "%[')
    assert.error_matches(function() data.jsonl.load '/no/such' end, 'data.jsonl.load: cannot open /no/such: No such file or directory')
  end)

  it('writes what it reads', function()
    local list = { { a = 1 }, { 1, 'x', false }, 'text', data.jsonl.null }
    data.jsonl.save(name, list)
    assert.equal('{"a":1}\n[1,"x",false]\n"text"\nnull\n', files.read(name))
    assert.same(list, data.jsonl.load(name))
    list = { 0.1, 1 / 3, 2 ^ 53, 5e-324, -1.7976931348623157e308, { 1, data.jsonl.null, 3 }, { x = { [3] = 'y' }, ['ä"\n'] = {} } }
    data.jsonl.save(name, list)
    assert.equal('0.1\n0.33333333333333331\n9007199254740992\n', files.read(name):sub(1, 41))
    list[7].x = { data.jsonl.null, data.jsonl.null, 'y' }
    assert.same(list, data.jsonl.load(name))
    data.jsonl.save(name, { 9007199254740993LL, { [100] = 1, a = true } })
    assert.equal('9007199254740993\n{"100":1,"a":true}\n', files.read(name))
    local deep = {}
    deep.deep = deep
    for message, value in pairs {
      ['a function, expected a table, string, number or boolean'] = print, ['inf, which JSON lacks'] = math.huge,
      ['more than 100 tables in each other'] = deep, ['a key of the type boolean, expected strings and numbers'] = { [true] = 1 },
      ['a cdata, expected a table, string, number or boolean'] = 1i,
    } do
      local _, problem = pcall(data.jsonl.save, name, { 1, value })
      assert.truthy(problem:find('data.jsonl.save: list[2]: ' .. message, 1, true), problem)
    end
  end)
end)
