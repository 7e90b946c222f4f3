-- Lua values as text.
local pprint, torch = require 'pprint', require 'torch'

describe('pprint', function()
  it('is also the global, and prints', function()
    assert.equal(pprint, rawget(_G, 'pprint'))
    local printed, kept = nil, print
    rawset(_G, 'print', function(text) printed = text end)
    local done, message = pcall(pprint, { 1, 2 })
    rawset(_G, 'print', kept)
    assert(done, message)
    assert.equal('{ 1, 2 }', printed)
  end)

  it('writes lists on one line and names on lines of their own, sorted', function()
    assert.equal('{ 1, 2 }', pprint.pretty_string { 1, 2 })
    assert.equal('{}', pprint.pretty_string {})
    assert.equal('{\n  a = "x",\n  b = {\n    c = true\n  }\n}', pprint.pretty_string { b = { c = true }, a = 'x' })
    assert.equal('{ 1, 2,\n  name = "n"\n}', pprint.pretty_string { 1, 2, name = 'n' })
    assert.equal('{\n  [3] = 1,\n  [false] = 2,\n  ["two words"] = 3\n}', pprint.pretty_string { [3] = 1, [false] = 2, ['two words'] = 3 })
  end)

  it('writes one line where that is wanted', function()
    assert.equal('{ 1, a = "x", b = { c = true } }', pprint.string { 1, b = { c = true }, a = 'x' })
    assert.equal('{ 1, a = "x" }', pprint.pretty_string({ 1, a = 'x' }, 4, true))
  end)

  it('stops at a depth, 4 unless said, and at tables inside themselves', function()
    assert.equal('{ { { { {...} } } } }', pprint.string { { { { { 1 } } } } })
    assert.equal('{ {...} }', pprint.string({ { 1 } }, 1))
    assert.equal('{ {} }', pprint.string({ {} }, 1))
    local t = { 1 }
    t.self = t
    assert.equal('{ 1, self = <cycle> }', pprint.string(t))
    local shared = { 1 }
    assert.equal('{ { 1 }, { 1 } }', pprint.string { shared, shared })
  end)

  it('quotes strings', function()
    assert.equal('"a"', pprint.string 'a')
    assert.equal([['say "hi"']], pprint.string 'say "hi"')
    assert.equal([["it's \"so\""]], pprint.string [[it's "so"]])
    assert.equal([["a\nb\t\\\001"]], pprint.string 'a\nb\t\\\1')
  end)

  it('names functions and shows metatables', function()
    assert.equal('{ <function>, <thread> }', pprint.string { print, coroutine.create(print) })
    assert.equal('{ 1, <metatable> = { __index = <function> } }', pprint.string(setmetatable({ 1 }, { __index = rawget })))
    assert.equal('nil', pprint.string(nil))
    assert.equal('0.5', pprint.string(0.5))
  end)

  it('shows up to 20 elements of tensors and storages, and sizes of others', function()
    assert.truthy(pprint.pretty_string(torch.range(1, 20)):find '20\n%[torch.DoubleTensor of size 20%]$')
    assert.equal('[torch.DoubleTensor of dimension 5x6]', pprint.pretty_string(torch.ones(5, 6)))
    assert.equal('[torch.FloatStorage of size 30]', pprint.string(torch.FloatStorage(30)))
    assert.equal('{ x = [torch.IntTensor of dimension 21] }', pprint.string { x = torch.IntTensor(21) })
    assert.is_nil(pprint.string(torch.ones(2, 2)):find '\n')
  end)

  it('tells sizes and a summary', function()
    assert.equal('2x3', pprint.dims(torch.ones(2, 3)))
    assert.equal('[2x3, min: 0, mean: 2.5, max: 5, type: "torch.FloatTensor"]', pprint.info(torch.range(0, 5):float():view(2, 3)))
    assert.equal('[3, min: 1, mean: 2, max: 3, type: "table"]', pprint.info { 1, 2, 3 })
    assert.equal('[empty, type: "torch.DoubleTensor"]', pprint.info(torch.Tensor()))
    assert.error_matches(function() pprint.info 'x' end, 'pprint.info: x: a string')
    assert.error_matches(function() pprint.dims {} end, 'pprint.dims: tensor: a table')
    assert.error_matches(function() pprint.string({}, 'x') end, 'pprint.string: depth: a string')
  end)

  it('makes printers', function()
    local format = pprint.printer(1)
    assert.equal('x 3 { {...} } nil', format('x', 3, { { 1 } }, nil))
  end)
end)
