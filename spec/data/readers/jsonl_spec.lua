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
    if not pcall(require, 'cjson') then return pending 'lua-cjson is not installed' end
    local list = { { a = 1 }, { 1, 'x', false }, 'text', data.jsonl.null }
    data.jsonl.save(name, list)
    assert.equal('{"a":1}\n[1,"x",false]\n"text"\nnull\n', files.read(name))
    assert.same(list, data.jsonl.load(name))
    assert.error_matches(function() data.jsonl.save(name, { print }) end, 'data.jsonl.save: list%[1%]: ')
  end)
end)
