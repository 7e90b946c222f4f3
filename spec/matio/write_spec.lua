-- The bytes of MAT-files of version 5 that save writes, as made by hand (bytes.lua), the layout of version 7.3, and what both refuse.
local torch = require 'torch'
local matio = require 'matio'
local files = require 'spec.support.files'
local bytes = require 'spec.matio.bytes'
local assertClose = require('spec.support.close').within { sameType = true }

local m = bytes.of(false)
local hasHdf5 = pcall(function() require('hdf5.library').open() end)

local name
before_each(function() name = os.tmpname() end)
after_each(function() os.remove(name) end)

-- What follows the 128 bytes of the start.
local function written(values, options)
  matio.save(name, values, options)
  return files.read(name):sub(129)
end

local function withoutPlace(message) return (tostring(message):gsub('^[^ ]*:%d+: ', '')) end

local kinds = {
  { 'Double', 6, 9, m:doubles(1, 2) }, { 'Float', 7, 7, m:all(4, 0x3f800000, 0x40000000) }, { 'Char', 8, 1, '\1\2' }, { 'Byte', 9, 2,
    '\1\2' },
  { 'Short', 10, 3, m:all(2, 1, 2) }, { 'UInt16', 11, 4, m:all(2, 1, 2) }, { 'Int', 12, 5, m:all(4, 1, 2) }, { 'UInt32', 13, 6, m:all(4, 1,
    2) },
  { 'Long', 14, 12, m:all(8, 1, 2) }, { 'UInt64', 15, 13, m:all(8, 1, 2) }, { 'Half', 7, 7, m:all(4, 0x3f800000, 0x40000000) },
  { 'BFloat16', 7, 7, m:all(4, 0x3f800000, 0x40000000) },
}

describe('matio.save of version 5', function()
  it('begins with a text and the byte order', function()
    matio.save(name, {})
    local text = files.read(name)
    assert.equal(128, #text)
    assert.matches('^MATLAB 5%.0 MAT%-file, written by Moontorch %d[%w%p]* *\0\0\0\0\0\0\0\0\0\1IM$', (text:gsub('%z', '\0')))
    assert.equal(('\0'):rep(8) .. '\0\1IM', text:sub(117))
  end)

  it('writes each type', function()
    for _, row in ipairs(kinds) do
      local kind, class, type, data = unpack(row)
      local x = torch[kind .. 'Tensor'] { 1, 2 }
      assert.equal(m:array(class, 0, { 2, 1 }, 'x', m:element(type, data)), written { x = x }, kind)
      assert.equal(m:array(class, 0, { 1, 2 }, 'x', m:element(type, data)), written({ x = x }, { row = true }), kind)
      assert.equal(m:array(class, 0, { 1, 2 }, 'x', m:element(type, data)), written({ x = x:view(1, 2) }), kind)
    end
    assert.equal(m:array(9, 0x200, { 3, 1 }, 'x', m:element(2, '\1\0\1')), written { x = torch.BoolTensor { 1, 0, 1 } })
    local re, im = torch.Tensor { 1, 2 }, torch.Tensor { 3, 4 }
    assert.equal(m:array(6, 0x800, { 2, 1 }, 'x', m:element(9, m:doubles(1, 2)), m:element(9, m:doubles(3, 4))),
      written { x = torch.complex(re, im) })
    assert.equal(m:array(7, 0x800, { 1, 1 }, 'x', m:element(7, m:all(4, 0x3f800000)), m:element(7, m:all(4, 0x40000000))),
      written { x = torch.complex(torch.FloatTensor { 1 }, torch.FloatTensor { 2 }) })
    assert.equal(m:array(6, 0, { 1, 1 }, 'x', m:element(9, m:doubles(2.5))), written { x = 2.5 })
    assert.equal(m:array(9, 0x200, { 1, 1 }, 'x', m:element(2, '\1')), written { x = true })
    assert.equal(m:array(9, 0x200, { 1, 1 }, 'x', m:element(2, '\0')), written { x = false })
  end)

  it('writes sizes in order, elements in columns', function()
    local x = torch.range(1, 12):byte():view(2, 3, 2)
    assert.equal(m:array(9, 0, { 2, 3, 2 }, 'x', m:element(2, '\1\7\3\9\5\11\2\8\4\10\6\12')), written { x = x })
    assert.equal(m:array(9, 0, { 0, 0 }, 'x', m:element(2, '')), written { x = torch.ByteTensor() })
    assert.equal(m:array(9, 0, { 0, 3 }, 'x', m:element(2, '')), written { x = torch.ByteTensor(0, 3) })
    assert.equal(m:array(9, 0, { 2, 0, 3 }, 'x', m:element(2, '')), written { x = torch.ByteTensor(2, 0, 3) })
    assert.equal(m:array(9, 0, { 2, 1 }, 'long_name1', m:element(2, '\1\2')), written { long_name1 = torch.ByteTensor { 1, 2 } })
    local sizes = {}
    for i = 1, 32 do sizes[i] = 1 end
    matio.save(name, torch.ByteTensor { 7 }:view(torch.LongStorage(sizes)))
    assert.equal(32, matio.load(name, 'x'):dim())
  end)

  it('writes texts', function()
    assert.equal(m:array(4, 0, { 1, 2 }, 'x', m:element(16, 'ab')), written { x = 'ab' })
    assert.equal(m:array(4, 0, { 1, 2 }, 'x', m:element(16, 'a\226\130\172')), written { x = 'a\226\130\172' })
    assert.equal(m:array(4, 0, { 0, 0 }, 'x', m:element(16, '')), written { x = '' })
    -- Beyond the basic plane: pairs of UTF-16; bytes that are not UTF-8: themselves.
    assert.equal(m:array(4, 0, { 1, 3 }, 'x', m:element(4, m:all(2, 97, 0xd83d, 0xde00))), written { x = 'a\240\159\152\128' })
    assert.equal(m:array(4, 0, { 1, 4 }, 'x', m:element(4, m:all(2, 0xd800, 0xdc00, 0xdbff, 0xdfff))),
      written { x = '\240\144\128\128\244\143\191\191' })
    assert.equal(m:array(4, 0, { 1, 1 }, 'x', m:element(16, '\239\191\191')), written { x = '\239\191\191' })
    assert.equal(m:array(4, 0, { 1, 2 }, 'x', m:element(4, m:all(2, 255, 98))), written { x = '\255b' })
  end)

  it('writes cells and structs', function()
    local function text(value) return m:array(4, 0, { 1, #value }, '', m:element(16, value)) end
    assert.equal(m:array(1, 0, { 1, 2 }, 'x', text 'a', text 'b'), written { x = { 'a', 'b' } })
    assert.equal(m:array(1, 0, { 0, 0 }, 'x'), written { x = {} })
    assert.equal(m:array(1, 0, { 1, 1 }, 'x', m:array(1, 0, { 1, 1 }, '', text 'a')), written { x = { { 'a' } } })
    local function fields(length, ...)
      local names = { ... }
      for i, field in ipairs(names) do names[i] = field .. ('\0'):rep(length - #field) end
      return m:small(5, m:all(4, length)) .. m:element(1, table.concat(names))
    end
    assert.equal(m:array(2, 0, { 1, 1 }, 'x', fields(32, 'a', 'bc'), text 'y', text 'z'), written { x = { bc = 'z', a = 'y' } })
    local long = ('n'):rep(31)
    assert.equal(m:array(2, 0, { 1, 1 }, 'x', fields(32, long), text 'y'), written { x = { [long] = 'y' } })
    assert.equal(m:array(2, 0, { 1, 1 }, 'x', fields(64, long .. 'n', 'z'), text 'y', text 'w'), written { x = { [long .. 'n'] = 'y',
      z = 'w' } })
    local longest = ('n'):rep(63)
    assert.equal(m:array(2, 0, { 1, 1 }, longest, fields(64, longest), text 'y'), written { [longest] = { [longest] = 'y' } })
    assert.equal(m:array(6, 0, { 1, 1 }, 'a', m:element(9, m:doubles(1))) .. m:array(6, 0, { 1, 1 }, 'b', m:element(9, m:doubles(2))),
      written { b = 2, a = 1 })
  end)

  it('writes sparse matrices', function()
    local function sparse(flags, room, sizes, rows, starts, ...)
      return m:element(14, m:element(6, m:all(4, 5 + flags, room)) .. m:element(5, m:all(4, unpack(sizes))) .. m:element(1, 'x') ..
        m:element(5, m:all(4, unpack(rows))) .. m:element(5, m:all(4, unpack(starts))) .. table.concat { ... })
    end
    local places = torch.LongTensor { { 1, 2, 2 }, { 3, 1, 2 } }
    local function s(values) return torch.sparse.coo(places, values, { 2, 3 }) end
    assert.equal(sparse(0, 3, { 2, 3 }, { 1, 1, 0 }, { 0, 1, 2, 3 }, m:element(9, m:doubles(6, 7, 5))), written { x = s(torch.Tensor { 5,
      6, 7 }) })
    assert.equal(sparse(0, 3, { 2, 3 }, { 1, 1, 0 }, { 0, 1, 2, 3 }, m:element(9, m:doubles(6, 7, 5))),
      written { x = s(torch.IntTensor { 5, 6, 7 }) })
    assert.equal(sparse(0x200, 3, { 2, 3 }, { 1, 1, 0 }, { 0, 1, 2, 3 }, m:element(2, '\1\1\1')), written { x = s(torch.BoolTensor { 1, 1,
      1 }) })
    local z = torch.complex(torch.FloatTensor { 5, 6, 7 }, torch.FloatTensor { 1, 2, 3 })
    assert.equal(sparse(0x800, 3, { 2, 3 }, { 1, 1, 0 }, { 0, 1, 2, 3 }, m:element(9, m:doubles(6, 7, 5)), m:element(9, m:doubles(2, 3,
      1))), written { x = s(z) })
    assert.equal(sparse(0, 1, { 2, 3 }, {}, { 0, 0, 0, 0 }, m:element(9, '')),
      written { x = torch.sparse.coo(torch.LongTensor(2, 0), torch.Tensor(0), { 2, 3 }) })
    local one = torch.sparse.coo(torch.LongTensor { { 1 }, { 1 } }, torch.Tensor { 1 }, { 1, 1 })
    assert.equal(one:size(1), matio.load((matio.save(name, one)) or name, 'x'):size(1))
  end)

  it('compresses each variable', function()
    local text = written({ x = torch.zeros(1000), y = 'abc' }, { compressed = true })
    assert.is_true(#text < 400)
    assert.equal(m:all(4, 15), text:sub(1, 4))
    local expected = m:array(6, 0, { 1000, 1 }, 'x', m:element(9, ('\0'):rep(8000)))
    local packed = m:compressed(expected)
    assert.equal(packed, text:sub(1, #packed))
    assert.equal(m:compressed(m:array(4, 0, { 1, 3 }, 'y', m:element(16, 'abc'))), text:sub(#packed + 1))
  end)
end)

describe('matio.save', function()
  local function refused(expected, ...)
    local good, problem = pcall(matio.save, name, ...)
    assert.is_false(good)
    assert.equal('matio.save: ' .. expected, withoutPlace(problem))
  end

  it('refuses options, names and values', function()
    refused('options: pack, expected one of compressed, version, row', {}, { pack = true })
    refused('compressed: 1, expected true or false', {}, { compressed = 1 })
    refused('row: 1, expected true or false', {}, { row = 1 })
    local form = ', expected a letter, then letters, digits and _, at most 63'
    local long = ('n'):rep(64)
    refused(("values: the name '%s'"):format(long) .. form, { [long] = 1 })
    refused("values: the name '_x'" .. form, { _x = 1 })
    refused("values: the name 'a-b'" .. form, { ['a-b'] = 1 })
    refused("values: the name ''" .. form, { [''] = 1 })
    refused('values: the name 1' .. form, { 1 })
    refused("a{2}.b: the name 'x y'" .. form, { a = { 1, { b = { ['x y'] = 1 } } } })
    local cube = torch.sparse.coo(torch.LongTensor { { 1 }, { 1 }, { 1 } }, torch.Tensor { 1 }, { 2, 2, 2 })
    refused('a: 3 dimensions, expected a sparse matrix', { a = cube })
    local other = ', expected a tensor, number, boolean, string, sparse matrix or table of such values'
    refused('a: a torch.FloatStorage' .. other, { a = torch.FloatStorage(3) })
    refused('a.b: a function' .. other, { a = { b = print } })
    refused('a: the name 1' .. form, { a = { 1, 2, n = print } })      -- a table with names is a struct
    refused('a: the name 3' .. form, { a = { [3] = 1 } })
    files.write(name, 'before')
    pcall(matio.save, name, { a = print })
    assert.equal('before', files.read(name))
    assert.has_error(function() matio.save(3, {}) end, 'matio.save: name: number, expected a string')
  end)

  it('writes a hundred tables in each other, but not one more', function()
    for _, version in ipairs { '5', hasHdf5 and '7.3' or '5' } do
      local value = 7
      for _ = 1, 99 do value = { a = value } end
      matio.save(name, { x = value }, { version = version })
      local found = matio.load(name, 'x')
      for _ = 1, 99 do found = found.a end
      assert.equal(7, found[1][1])
      refused('x' .. ('.a'):rep(100) .. ': more than 100 tables in each other', { x = { a = value } }, { version = version })
    end
  end)

  it('accepts one sparse matrix as x', function()
    local s = torch.sparse.coo(torch.LongTensor { { 1, 2 }, { 2, 1 } }, torch.Tensor { 3, 4 }, { 2, 2 })
    matio.save(name, s)
    assertClose(torch.DoubleTensor { { 0, 3 }, { 4, 0 } }, matio.load(name).x:dense())
  end)
end)

describe('matio.save of version 7.3', function()
  if not hasHdf5 then return it('needs libhdf5', function() pending 'needs libhdf5' end) end
  local hdf5 = require 'hdf5'
  local file

  local function opened(values, options)
    options = options or {}
    options.version = '7.3'
    matio.save(name, values, options)
    file = hdf5.open(name, 'r')
    return file
  end

  after_each(function()
    if file then file:close() end
    file = nil
  end)

  it('begins with a text and the byte order, before 512 bytes', function()
    opened {}
    local text = files.read(name)
    assert.matches('^MATLAB 7%.3 MAT%-file, written by Moontorch %d[%w%p]* HDF5 schema 1%.00 %. *$', text:sub(1, 116))
    assert.equal(('\0'):rep(8) .. '\0\2IM' .. ('\0'):rep(384) .. '\137HDF\r\n\26\n', text:sub(117, 520))
    assert.same({}, file:names())
  end)

  it('gives each value the class and layout of MATLAB', function()
    local sizes = { Double = 'double', Float = 'single', Char = 'int8', Byte = 'uint8', Short = 'int16', UInt16 = 'uint16', Int = 'int32',
                    UInt32 = 'uint32', Long = 'int64', UInt64 = 'uint64' }
    local values = { yes = true, text = 'ab\240\159\152\128', empty = torch.ShortTensor(2, 0), noText = '', noCell = {},
      noFlag = torch.BoolTensor(0, 1) }
    for kind in pairs(sizes) do values[kind] = torch[kind .. 'Tensor'] { { 1, 2, 3 }, { 4, 5, 6 } } end
    values.z, values.row = torch.complex(torch.FloatTensor { 1, 2 }, torch.FloatTensor { 3, 4 }), torch.ones(2)
    opened(values, { row = true })
    for kind, class in pairs(sizes) do
      local set = file:read(kind)
      assert.equal(class, set:attribute 'MATLAB_class')
      assert.same({ 3, 2 }, set:dataspaceSize())
      assert.is_nil(set:attribute 'MATLAB_int_decode')
      assertClose(values[kind]:t():clone(), set:all { widen = 'exact' })
    end
    assert.same({ 2, 1 }, file:read('row'):dataspaceSize())
    local function about(key)
      local set = file:read(key)
      return { set:attribute 'MATLAB_class', set:attribute 'MATLAB_int_decode', set:attribute 'MATLAB_empty' }
    end
    assert.same({ { 'logical', 1 }, { 'char', 2 } }, { about 'yes', about 'text' })
    assert.same({ { 'int16', nil, 1 }, { 'char', 2, 1 }, { 'cell', nil, 1 }, { 'logical', 1, 1 } },
      { about 'empty', about 'noText', about 'noCell', about 'noFlag' })
    assert.same({ 97, 98, 0xd83d, 0xde00 }, file:read('text'):all({ widen = 'exact' }):double():view(-1):totable())
    assert.same({ { 2, 0 }, { 0, 0 }, { 0, 0 }, { 0, 1 } }, { file:read('empty'):all():double():totable(),
      file:read('noText'):all():double():totable(),
      file:read('noCell'):all():double():totable(), file:read('noFlag'):all():double():totable() })
    assert.same({ 'real', 'imag' }, file:read('z'):fields())
  end)

  it('writes sparse matrices, cells and structs', function()
    local places = torch.LongTensor { { 1, 2, 2 }, { 3, 1, 2 } }
    opened { s = torch.sparse.coo(places, torch.IntTensor { 5, 6, 7 }, { 2, 3 }), b = torch.sparse.coo(places, torch.BoolTensor { 1, 1,
      1 }, { 2, 3 }),
             none = torch.sparse.coo(torch.LongTensor(2, 0), torch.Tensor(0), { 4, 3 }), list = { 1, { 'x', 2 } }, struct = { a = 1 } }
    local s = file:read 's'
    assert.same({ 'double', 2, nil }, { s:attribute 'MATLAB_class', tonumber(s:attribute 'MATLAB_sparse'),
      s:attribute 'MATLAB_int_decode' })
    local function part(group, key) return group:read({ key }):all({ widen = 'exact' }) end
    assertClose(torch.DoubleTensor { 6, 7, 5 }, part(s, 'data'))
    assert.same({ { 1, 1, 0 }, { 0, 1, 2, 3 } }, { part(s, 'ir'):double():totable(), part(s, 'jc'):double():totable() })
    local b = file:read 'b'
    assert.same({ 'logical', 1 }, { b:attribute 'MATLAB_class', b:attribute 'MATLAB_int_decode' })
    assertClose(torch.ByteTensor { 1, 1, 1 }, part(b, 'data'))
    local none = file:read 'none'
    assert.same({ false, false, 4 }, { none:has { 'data' } or false, none:has { 'ir' } or false, tonumber(none:attribute 'MATLAB_sparse') })
    assert.equal(4, part(none, 'jc'):nElement())
    assert.same({ 2, 1 }, file:read('list'):dataspaceSize())
    assert.equal('cell', file:read('list'):attribute 'MATLAB_class')
    assert.equal('struct', file:read('struct'):attribute 'MATLAB_class')
    assert.equal(4, #file:read('#refs#'):names())
    local x = matio.load(name, nil, { strings = true })
    assert.same({ 1, 'x', 2 }, { x.list[1][1][1], x.list[2][1], x.list[2][2][1][1] })
    assert.same({ 4, 3, 0 }, { x.none:size(1), x.none:size(2), x.none:values():nElement() })
    assert.equal('torch.BoolTensor', x.b:values():type())
    assert.same({ 'b', 'list', 'none', 's', 'struct' }, matio.names(name))
  end)
end)
