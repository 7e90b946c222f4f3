-- MAT-files of version 7.3, made by the package hdf5 with MATLAB's attributes: classes, cells, structs, sparse matrices, and damage.
local torch = require 'torch'
local matio = require 'matio'
local assertClose = require('spec.support.close').within { sameType = true }

local hasHdf5 = pcall(function() require('hdf5.library').open() end)

describe('matio.load of version 7.3', function()
  if not hasHdf5 then return it('needs libhdf5', function() pending 'needs libhdf5' end) end
  local hdf5 = require 'hdf5'
  local name
  before_each(function() name = os.tmpname() end)
  after_each(function() os.remove(name) end)

  -- A file of values by path, and attributes by path: without MATLAB's bytes, which HDF5's start may follow or replace.
  local function make(values, attributes)
    local file = hdf5.open(name, 'w')
    for path, value in pairs(values) do file:write(path, value) end
    for path, list in pairs(attributes or {}) do
      for key, value in pairs(list) do file:read(path):setAttribute(key, value) end
    end
    file:close()
  end

  local function loaded(...)
    make(...)
    return matio.load(name, nil, { strings = true })
  end

  local function class(title, more)
    more = more or {}
    more.MATLAB_class = title
    return more
  end

  local function messageOf(...)
    make(...)
    local good, problem = pcall(matio.load, name, nil, { strings = true })
    assert.is_false(good)
    return (tostring(problem):gsub('^.*matio%.load: ' .. name:gsub('%p', '%%%0') .. ': ', ''))
  end

  it('reads numbers of each class, with sizes in the other order', function()
    local kinds = { double = 'Double', single = 'Float', int8 = 'Char', uint8 = 'Byte', int16 = 'Short', uint16 = 'UInt16', int32 = 'Int',
                    uint32 = 'UInt32', int64 = 'Long', uint64 = 'UInt64' }
    local values, attributes = {}, {}
    for title, kind in pairs(kinds) do
      values[title] = torch.range(1, 6):type(('torch.%sTensor'):format(kind)):view(3, 2)
      attributes[title] = class(title)
      values['one' .. title], attributes['one' .. title] = torch[kind .. 'Tensor'] { 5, 6 }, class(title)
    end
    values.flag, attributes.flag = torch.ByteTensor { { 2, 0 } }, class('logical', { MATLAB_int_decode = 1 })
    values.number, attributes.number = 2.5, class 'double'
    values.yes, attributes.yes = true, class 'logical'
    values.no, attributes.no = false, class 'logical'
    values.other, attributes.other = torch.ShortTensor { { 1, 2 } }, class 'double'      -- stored as a smaller type
    local x = loaded(values, attributes)
    for title, kind in pairs(kinds) do
      assertClose(torch[kind .. 'Tensor'] { { 1, 3, 5 }, { 2, 4, 6 } }, x[title])
      assertClose(torch[kind .. 'Tensor'] { { 5 }, { 6 } }, x['one' .. title])
    end
    assertClose(torch.BoolTensor { { 1 }, { 0 } }, x.flag)
    assertClose(torch.DoubleTensor { { 2.5 } }, x.number)
    assertClose(torch.BoolTensor { { 1 } }, x.yes)
    assertClose(torch.BoolTensor { { 0 } }, x.no)
    assertClose(torch.DoubleTensor { { 1 }, { 2 } }, x.other)
  end)

  it('reads empty arrays, whose elements are their sizes', function()
    local function sizes(...) return torch.LongTensor { ... } end
    local empty = { MATLAB_empty = 1 }
    local function with(title) return class(title, { MATLAB_empty = 1 }) end
    local x = loaded({ a = sizes(0, 3), b = sizes(2, 0, 5), text = sizes(0, 0), cell = sizes(0, 1), struct = sizes(0, 1), flag = sizes(1,
      0),
                       full = sizes(4, 5) },
      { a = with 'double', b = with 'int16', text = with 'char', cell = with 'cell', struct = with 'struct', flag = with 'logical',
        full = class('int64', { MATLAB_empty = 0 }) })
    assert.same({ 'torch.DoubleTensor', { 0, 3 } }, { x.a:type(), x.a:size():totable() })
    assert.same({ 'torch.ShortTensor', { 2, 0, 5 } }, { x.b:type(), x.b:size():totable() })
    assert.same({ '', {}, {}, 'torch.BoolTensor', { { 4 }, { 5 } } }, { x.text, x.cell, x.struct, x.flag:type(), x.full:totable() })
    assert.equal(1, empty.MATLAB_empty)
    local function message(value) return messageOf({ a = value }, { a = with 'double' }) end
    local short = 'variable a: the sizes of an empty array, expected two or more, and a 0 among them'
    for _, value in ipairs { sizes(0), sizes(2, 3), torch.zeros(33), 'text' } do assert.equal(short, message(value)) end
    assert.equal(32, loaded({ a = torch.zeros(32) }, { a = with 'double' }).a:dim())
    assert.equal('variable a: size 1 of an empty array: -1', message(sizes(-1, 0)))
    assert.equal('variable a: size 2 of an empty array: 1.5', message(torch.Tensor { 0, 1.5 }))
    assert.equal('variable a: size 2 of an empty array: 2147483648', message(sizes(0, 2 ^ 31)))
    assert.same({ 0, 2 ^ 31 - 1 }, loaded({ a = sizes(0, 2 ^ 31 - 1) }, { a = with 'double' }).a:size():totable())
  end)

  it('reads characters', function()
    local char = class('char', { MATLAB_int_decode = 2 })
    local x = loaded({ a = torch.UInt16Tensor { { 97 }, { 0x20ac } }, rows = torch.UInt16Tensor { { 97, 120 }, { 98, 121 } },
                       pair = torch.UInt16Tensor { { 0xd83d }, { 0xde00 } }, wide = torch.IntTensor { { 0x10ffff } } },
      { a = char, rows = char, pair = char, wide = char })
    assert.same({ 'a\226\130\172', { 'ab', 'xy' }, '\240\159\152\128', '\244\143\191\191' }, { x.a, x.rows, x.pair, x.wide })
    assertClose(torch.CharTensor { { 97, 98 }, { 120, 121 } }, (matio.load(name, 'rows')))
    for value, text in pairs { [-1] = '-1', [1.5] = '1.5', [0x110000] = '1114112' } do
      assert.equal('variable a: character 2: ' .. text, messageOf({ a = torch.Tensor { { 97 }, { value } } }, { a = char }))
    end
    assert.equal('expected numbers, characters, cells or structs, read other elements',
      (select(2, matio.load((make({ a = { 'text' } }, { a = char })) or name)).a))
  end)

  it('reads cells of several dimensions', function()
    local char = class 'char'
    local values, attributes, paths = {}, {}, {}
    for i = 1, 6 do
      local path = ('#refs#/v%d'):format(i)
      values[path], attributes[path], paths[i] = torch.UInt16Tensor { { 96 + i } }, char, '/' .. path
    end
    local cell = class 'cell'
    values.row, attributes.row = { paths[1], paths[2] }, cell
    values.again, attributes.again = { '/row', paths[3] }, cell
    local x = loaded(values, attributes)
    assert.same({ 'a', 'b' }, x.row)
    assert.same({ { 'a', 'b' }, 'c' }, x.again)
    assert.same({ 'again', 'row' }, matio.names(name))
    -- Of two and three dimensions, as h5py writes them (figures.py).
    local y = matio.load('spec/matio/data/nested73.mat', nil, { strings = true })
    assert.same({ { 'a', 'b', 'c' }, { 'd', 'e', 'f' } }, y.grid)
    assert.same({ { { 'a', 'd' }, { 'b', 'e' }, { 'c', 'f' } }, { { 'd', 'a' }, { 'e', 'b' }, { 'f', 'c' } } }, y.cube)
    assert.same({ { { field = 'a', other = 'c' }, { field = 'b', other = 'b' }, { field = 'c', other = 'a' } },
                  { { field = 'd', other = 'f' }, { field = 'e', other = 'e' }, { field = 'f', other = 'd' } } }, y.structs)
    assert.equal('variable c: cell 2 refers to nothing', messageOf({ c = { '/d', '' }, d = 1 }, { c = cell, d = class 'double' }))
    assert.equal('variable c: cell 1 refers to nothing', messageOf({ c = torch.ones(2) }, { c = cell }))
    assert.equal('variable c: more than 100 values in each other', messageOf({ c = { '/c' } }, { c = cell }))
  end)

  it('reads a hundred values in each other', function()
    local values, attributes, cell = { ['#refs#/c100'] = 7 }, { ['#refs#/c100'] = class 'double' }, class 'cell'
    for i = 2, 99 do values['#refs#/c' .. i], attributes['#refs#/c' .. i] = { '/#refs#/c' .. i + 1 }, cell end
    values.c, attributes.c = { '/#refs#/c2' }, cell
    local x = loaded(values, attributes).c
    for _ = 1, 98 do x = x[1] end
    assert.equal(7, x[1][1][1])
    values.d, attributes.d = { '/c' }, cell
    assert.equal('variable d: more than 100 values in each other', messageOf(values, attributes))
  end)

  it('reads structs, and arrays of them', function()
    local double, values, attributes = class 'double', {}, {}
    for i = 1, 8 do
      local path = ('#refs#/v%d'):format(i)
      values[path], attributes[path] = i, double
    end
    local function refs(...)
      local list = { ... }
      for i, n in ipairs(list) do list[i] = ('/#refs#/v%d'):format(n) end
      return list
    end
    values['one/a'], attributes['one/a'] = 5, double
    values['one/deep/b'], attributes['one/deep/b'] = 6, double
    attributes.one = class 'struct'
    values['row/a'], values['row/b'], attributes.row = refs(1, 2), refs(3, 4), class 'struct'
    values['plain/x'], attributes['plain/x'] = 8, double
    local x = loaded(values, attributes)
    local function number(t) return t[1][1] end
    assert.same({ 5, 6, 8 }, { number(x.one.a), number(x.one.deep.b), number(x.plain.x) })
    assert.same({ 1, 3, 2, 4 }, { number(x.row[1].a), number(x.row[1].b), number(x.row[2].a), number(x.row[2].b) })
    assert.equal(2, #x.row)
    values['row/b'] = refs(3)
    assert.equal('variable row: field b of 1 x 1 structs, expected 2 x 1', messageOf(values, attributes))
    values['row/b'] = refs(3, 4, 5)
    assert.equal('variable row: field b of 3 x 1 structs, expected 2 x 1', messageOf(values, attributes))
    values['row/b'] = refs(3, 4)
    values['row/0'], attributes['row/0'] = 7, double      -- before the others
    assert.equal('variable row: a field that is no array among those of an array of structs', messageOf(values, attributes))
    values['row/0'], attributes['row/0'] = nil, nil
    values['row/b'], attributes['row/b'] = 7, double
    assert.equal('variable row: a field that is no array among those of an array of structs', messageOf(values, attributes))
  end)

  it('reads sparse matrices', function()
    local function sparse(rows, data, ir, jc, more)
      local attributes = { s = class(more or 'double', { MATLAB_sparse = rows }) }
      return { ['s/data'] = data, ['s/ir'] = ir, ['s/jc'] = jc }, attributes
    end
    local function long(...) return torch.LongTensor { ... } end
    local s = loaded(sparse(3, torch.Tensor { 5, 6, 7 }, long(0, 2, 1), long(0, 2, 3))).s
    assertClose(torch.DoubleTensor { { 5, 0 }, { 0, 7 }, { 6, 0 } }, s:dense())
    s = loaded(sparse(2, torch.ByteTensor { 1 }, long(1), long(0, 1), 'logical')).s
    assertClose(torch.BoolTensor { { 0 }, { 1 } }, s:dense())
    s = loaded(sparse(2, nil, nil, long(0, 0, 0))).s
    assert.same({ 2, 2, 0 }, { s:size(1), s:size(2), s:values():nElement() })
    assert.equal('variable s: a sparse array with row 4 of 3', messageOf(sparse(3, torch.Tensor { 5 }, long(3), long(0, 1))))
    assert.equal('variable s: a sparse array with 1 rows and 1 values for 2 entries', messageOf(sparse(3, torch.Tensor { 5 }, long(0),
      long(0, 2))))
    assert.equal('variable s: a sparse array without columns', messageOf({ ['s/data'] = 1 }, { s = class('double',
      { MATLAB_sparse = 3 }) }))
  end)

  it('names what it cannot represent, and reads what is not MATLAB\'s', function()
    make({ f = 1, ['g/x'] = 1, ['h/x'] = 1, o = 1, c = 1, plain = torch.range(1, 6):view(3, 2), word = 'text', number = 3, words = { 'a',
      'b' } },
      { f = class 'function_handle', g = class 'function_handle', h = class 'containers.Map', o = class('point',
        { MATLAB_object_decode = 3 }), c = class 'odd' })
    local x, others = matio.load(name)
    local start = 'expected numbers, characters, cells or structs, read '
    assert.same({ f = start .. 'a function handle', g = start .. 'a function handle', h = start .. 'an object of the class containers.Map',
                  o = start .. 'an object of the class point', c = start .. 'the class odd' }, others)
    assertClose(torch.DoubleTensor { { 1, 3, 5 }, { 2, 4, 6 } }, x.plain)
    assert.same({ 'text', 3, { 'a', 'b' } }, { x.word, x.number, x.words })
    hdf5.open(name, 'w'):close()      -- the file isn't open any more
  end)
end)
