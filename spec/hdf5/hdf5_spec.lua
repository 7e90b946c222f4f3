-- HDF5 files: reads those of h5py, and compares written ones with the output of h5dump.
local torch = require 'torch'
local there, hdf5 = pcall(require, 'hdf5')
local files = require 'spec.support.files'
local assertClose = require('spec.support.close').within { sameType = true }

local function assertComplex(expected, actual)
  assert.equal(expected:type(), actual:type())
  assert.same(expected:totable(), actual:totable())
end

local function opens()
  return there and pcall(function() hdf5.open('spec/hdf5/h5py.h5', 'r'):close() end)
end

if not opens() then
  describe('hdf5', function() pending('needs libhdf5') end)
  return
end

local name
local opened = {}

local function open(...)
  local file = hdf5.open(...)
  opened[#opened + 1] = file
  return file
end

local function dump(options)
  local pipe = io.popen(('h5dump %s %s 2>&1'):format(options, name))
  local text = pipe:read '*a'
  pipe:close()
  return text
end

local hasDump = os.execute 'command -v h5dump >/dev/null' == 0

before_each(function()
  name = os.tmpname()
  opened = {}
end)

after_each(function()
  for _, file in ipairs(opened) do file:close() end
  os.remove(name)
end)

describe('a file of h5py', function()
  local file

  before_each(function() file = open('spec/hdf5/h5py.h5', 'r') end)

  local first = { u2 = -1, u4 = -1, u8 = -1, u1 = 1, i1 = 255 }
  for kind, class in pairs {
    u1 = 'Byte', i1 = 'Byte', i2 = 'Short', u2 = 'Short', i4 = 'Int', u4 = 'Int', i8 = 'Long', u8 = 'Long', f2 = 'Half', f4 = 'Float',
    f8 = 'Double', big_i4 = 'Int', big_f8 = 'Double',
  } do
    it('has numbers of the type ' .. kind, function()
      local expected = torch[class .. 'Tensor'] { { first[kind] or -1, 2, 3 }, { 4, 5, 100 } }
      assertClose(expected, file:read('numbers/' .. kind):all())
      assertClose(expected:narrow(2, 2, 2), file:read('numbers/' .. kind):partial({ 1, 2 }, { 2, 3 }))
      assertClose(expected:narrow(1, 2, 1):narrow(2, 3, 1), file:read('/numbers/' .. kind):partial(2, 3))
    end)
  end

  it('has unsigned and signed numbers with their values on request', function()
    assertClose(torch.IntTensor { { 65535, 2, 3 }, { 4, 5, 100 } }, file:read('numbers/u2'):all { widen = true })
    assertClose(torch.LongTensor { { 4294967295, 2, 3 }, { 4, 5, 100 } }, file:read('numbers/u4'):all { widen = true })
    assertClose(torch.DoubleTensor { { 2 ^ 64, 2, 3 }, { 4, 5, 100 } }, file:read('numbers/u8'):all { widen = true })
    assertClose(torch.CharTensor { { -1, 2, 3 }, { 4, 5, 100 } }, file:read('numbers/i1'):all { widen = true })
    for kind, class in pairs { u2 = 'UInt16', u4 = 'UInt32', u8 = 'UInt64' } do
      local x = file:read('numbers/' .. kind):all { widen = 'exact' }
      assert.equal('torch.' .. class .. 'Tensor', x:type())
      assert.same({ { 2, 3 }, { 5, 100 } }, x:narrow(2, 2, 2):totable())
      assert.is_true(x[1][1] == torch.iinfo(x).max)
    end
    assertClose(torch.CharTensor { { -1, 2, 3 }, { 4, 5, 100 } }, file:read('numbers/i1'):all { widen = 'exact' })
    for kind, class in pairs { u2 = 'UInt16', u4 = 'UInt32' } do
      local set, largest = file:read('numbers/' .. kind), 2 ^ (8 * tonumber(kind:sub(2))) - 1
      assertClose(torch[class .. 'Tensor'] { { largest, 2 } }, set:partial(1, { 1, 2 }, { widen = 'exact' }))
      assertClose(torch[kind == 'u2' and 'IntTensor' or 'LongTensor'] { { largest, 2 } }, set:partial(1, { 1, 2 }, { widen = true }))
    end
    assert.equal(42, file:read('single/int'):partial { widen = 'exact' })
    assert.error_matches(function() file:read('numbers/u2'):partial(1, 1, { widen = 'more' }) end,
      "HDF5DataSet:partial: widen: more, expected true, false or 'exact'")
    assert.error_matches(function() file:read('numbers/u2'):partial(1, {}) end,
      'HDF5DataSet:partial: range 2, first: nil, expected a whole number')
    assert.error_matches(function() file:read('numbers/u2'):partial(1, 1, { wide = true }) end,
      'HDF5DataSet:partial: options: wide, expected one of widen')
    assert.error_matches(function() file:read('numbers/u2'):all { widen = 'more' } end,
      "HDF5DataSet:all: widen: more, expected true, false or 'exact'")
    assert.error_matches(function() file:read('numbers/u2'):all { wide = true } end,
      'HDF5DataSet:all: options: wide, expected one of widen')
  end)

  it('has booleans, complex numbers and none at all', function()
    assertClose(torch.BoolTensor { { 1, 0 }, { 0, 1 } }, file:read('numbers/bool'):all())
    assertComplex(torch.ComplexDoubleTensor { 1 + 2i, 3 - 4i }, file:read('numbers/complex'):all())
    assertClose(torch.DoubleTensor():resize(0, 3), file:read('numbers/empty'):all())
    assert.same({ 0, 3 }, file:read('numbers/empty'):dataspaceSize())
  end)

  it('has single values', function()
    local single = file:read('single'):all()
    assert.equal(1 - 1i, single.complex)
    single.complex = nil
    assert.same({ int = 42, float = 1.5, bool = true, text = 'h\195\164llo', bytes = 'fixed' }, single)
    assert.equal(42, file:read('single/int'):partial())
    assert.same({}, file:read('single/int'):dataspaceSize())
  end)

  it('has strings', function()
    assert.same({ 'one', '', 'thr\195\169e' }, file:read('text/variable'):all())
    assert.same({ { 'a', 'bc' }, { '', 'def' } }, file:read('text/fixed'):all())
    assert.same({ '', 'thr\195\169e' }, file:read('text/variable'):partial { 2, 3 })
    assert.error_matches(function() file:read('text/fixed'):getTensorFactory() end, 'Reading data of class STRING%(3%) is unsupported')
  end)

  it('has chunks, compressed, and attributes', function()
    local packed = file:read 'packed'
    assertClose(torch.range(0, 199):view(20, 10), packed:all())
    assertClose(torch.range(0, 199):view(20, 10):sub(6, 15, 4, 6), packed:partial({ 6, 15 }, { 4, 6 }))
    assert.same({ 'm', 7, 0.5, 2 }, { packed:attribute 'unit', packed:attribute 'count', unpack(packed:attribute('scale'):totable()) })
    assert.is_nil(packed:attribute 'none')
    assert.same({ title = 'of h5py' }, file:attributes())
    local factory = packed:getTensorFactory()
    assert.equal('torch.DoubleTensor', torch.type(factory(3)))
    assert.same({ 'loop', 'numbers', 'odd', 'packed', 'single', 'text' }, file:names())
    assert.is_true(file:has 'text/fixed')
    assert.is_false(file:has 'text/none')
  end)

  for path, message in pairs {
    ['odd/type'] = 'Unsupported data type at /odd/type',
    ['none'] = "HDF5Group:read%(%) %- no such child 'none' for %[HDF5Group %d+ /%]",
    ['text/none/x'] = "no such child 'none' for %[HDF5Group %d+ /text%]",
    ['packed/x'] = '/packed%] is a dataset, which has no children',
    ['loop'] = 'is a link to a group around it',
  } do
    it('has no content at ' .. path, function()
      assert.error_matches(function() file:read(path):all() end, message)
    end)
  end

  it('refuses blocks that it has not', function()
    local packed = file:read 'packed'
    assert.error_matches(function() packed:partial(1) end, 'dimension mismatch%. Expected 2 but 1 were given%.')
    assert.error_matches(function() packed:partial({ 1, 21 }, 1) end,
      'failed reading data from .*range 1: 1 to 21, expected positions from 1 to 20')
    assert.error_matches(function() packed:partial({ 3, 2 }, 1) end,
      'HDF5DataSet:partial: range 1, last: 2, expected a whole number, 3 or more')
    assert.error_matches(function() packed:partial('x', 1) end, "range 1: 'x', expected a whole number")
    assert.error_matches(function() packed:partial(1, 0) end, 'HDF5DataSet:partial: range 2: 0, expected a whole number, 1 or more')
    assert.error_matches(function() packed:partial({ 0, 2 }, 1) end,
      'HDF5DataSet:partial: range 1, first: 0, expected a whole number, 1 or more')
  end)

  it('is not written when it was opened for reading', function()
    assert.error_matches(function() file:write('x', torch.ones(2)) end, 'Error writing data x to .*no write intent')
    assert.error_matches(function() file:setAttribute('x', 1) end, 'writing attribute x')
  end)
end)

describe('a written file', function()
  local values = {
    byte = torch.ByteTensor { 0, 200 }, char = torch.CharTensor { -5, 5 }, short = torch.ShortTensor { -300, 300 },
    int = torch.IntTensor { -70000, 7 },
    long = torch.LongTensor { -2 ^ 40, 7 }, float = torch.FloatTensor { 0.1, -2 }, double = torch.DoubleTensor { 0.1, -2 },
    half = torch.HalfTensor { 0.5, -2 }, bool = torch.BoolTensor { 1, 0 },
  }

  it('is loaded unchanged', function()
    local file = open(name, 'w')
    file:write('/', { values = values, deep = { deeper = { x = torch.ones(2, 3, 4) } } })
    file:write('transposed', torch.range(1, 6):view(2, 3):t())
    file:write('part', torch.range(1, 12):view(3, 4):narrow(2, 2, 2))
    file:write('text', 'line')
    file:write('texts', { 'a', '', 'ccc' })
    file:write('number', 0.1)
    file:write('yes', true)
    file:close()
    file = open(name, 'r')
    for key, x in pairs(values) do
      if key ~= 'char' then assertClose(x, file:read('values/' .. key):all()) end
    end
    assertClose(torch.ByteTensor { 251, 5 }, file:read('values/char'):all())
    assertClose(values.char, file:read('values/char'):all { widen = true })
    assertClose(torch.ones(2, 3, 4), file:all().deep.deeper.x)
    assertClose(torch.DoubleTensor { { 1, 4 }, { 2, 5 }, { 3, 6 } }, file:read('transposed'):all())
    assertClose(torch.DoubleTensor { { 2, 3 }, { 6, 7 }, { 10, 11 } }, file:read('part'):all())
    assert.same({ 'line', 0.1, true }, { file:read('text'):all(), file:read('number'):all(), file:read('yes'):all() })
    assert.same({ 'a', '', 'ccc' }, file:read('texts'):all())
  end)

  it('is readable by h5dump', function()
    if not hasDump then return pending 'needs h5dump' end
    local file = open(name, 'w')
    file:write('/', { values = values })
    file:write('text', 'line')
    file:setAttribute('unit', 'm')
    file:write('x', torch.range(1, 6):view(3, 2), hdf5.DataSetOptions():setChunked(2, 9):setDeflate(4):setShuffle())
    file:close()
    for key, words in pairs {
      byte = 'H5T_STD_U8LE.*0, 200', char = 'H5T_STD_I8LE.*%-5, 5', short = 'H5T_STD_I16LE.*%-300, 300', int = 'H5T_STD_I32LE.*%-70000, 7',
      long = 'H5T_STD_I64LE.*%-1099511627776, 7', float = 'H5T_IEEE_F32LE.*0%.1, %-2', double = 'H5T_IEEE_F64LE.*0%.1, %-2',
      half = '16.*0%.5, %-2',       -- "16-bit little-endian floating-point" before HDF5 1.14, and H5T_IEEE_F16LE since
      bool = 'H5T_ENUM.*TRUE, FALSE',
    } do
      assert.matches(words, dump('-d /values/' .. key))
    end
    assert.matches('H5T_VARIABLE.*H5T_CSET_UTF8.*"line"', dump '-d /text')
    assert.matches('"m"', dump '-a /unit')
    local x = dump '-p -d /x'
    assert.matches('SIMPLE { %( 3, 2 %) / %( H5S_UNLIMITED, 2 %) }', x)
    assert.matches('CHUNKED %( 2, 2 %)', x)
    assert.matches('PREPROCESSING SHUFFLE', x)
    assert.matches('COMPRESSION DEFLATE { LEVEL 4 }', x)
  end)

  it('grows by rows', function()
    local file, options = open(name), hdf5.DataSetOptions():setChunked(2, 3)
    file:write('x', torch.ones(2, 3), options)
    file:append('x', torch.FloatTensor(3, 3):fill(2))
    file:append('/', { x = torch.zeros(1, 3) })
    assertClose(torch.DoubleTensor { { 1, 1, 1 }, { 1, 1, 1 }, { 2, 2, 2 }, { 2, 2, 2 }, { 2, 2, 2 }, { 0, 0, 0 } }, file:read('x'):all())
    assert.error_matches(function() file:append('x', torch.ones(2, 4)) end,
      'Error extending data x to .*sizes: 2x4, expected all but the first')
    assert.error_matches(function() file:append('y', torch.ones(2, 4)) end, 'Error extending data y to .*no dataset of this name')
    file:write('fixed', torch.ones(2, 3))
    assert.error_matches(function() file:append('fixed', torch.ones(2, 3)) end, 'Error extending data fixed to ')
    assert.same({ 6, 3 }, file:read('x'):dataspaceSize())
    assert.same({ 2, 3 }, file:read('fixed'):dataspaceSize())
    assert.equal('[DataSetOptions: chunking=2x3]', tostring(options))
    assert.equal('[DataSetOptions: chunking=none]', tostring(hdf5.DataSetOptions()))
  end)

  it('keeps what is there, until it is removed', function()
    local file = open(name, 'w')
    file:write('x', torch.ones(2))
    assert.error_matches(function() file:write('x', torch.zeros(2)) end, 'Error writing data x to %[HDF5Group')
    assertClose(torch.ones(2), file:read('x'):all())
    file:remove 'x'
    file:write('x', torch.zeros(3))
    assertClose(torch.zeros(3), file:read('x'):all())
    assert.error_matches(function() file:remove 'y' end, "HDF5Group:remove%(%) %- no such child 'y'")
  end)

  it('has attributes that can be replaced and removed', function()
    local file = open(name, 'w')
    file:write('x', torch.ones(2))
    local x = file:read 'x'
    assert.equal(x, x:setAttribute('unit', 'm'):setAttribute('scale', torch.FloatTensor { 1, 2 }):setAttribute('names', { 'a', 'b' }))
    x:setAttribute('unit', 7)
    x:setAttribute('names', nil)
    file:close()
    x = open(name, 'r'):read 'x'
    assert.equal(7, x:attribute 'unit')
    assertClose(torch.FloatTensor { 1, 2 }, x:attribute 'scale')
    local names = {}
    for key in pairs(x:attributes()) do names[#names + 1] = key end
    table.sort(names)
    assert.same({ 'scale', 'unit' }, names)
  end)

  it('takes nothing that it has no form for, and stays as it was', function()
    local file = open(name, 'w')
    for _, case in ipairs {
      { '/', torch.ones(2), 'must provide a table when writing to the root location' },
      { 'x', nil, 'requires a tensor or table as its second parameter' },
      { 'x', print, 'requires a tensor or table as its second parameter' },
      { 'x', { a = print }, 'writing data of type function is not supported' },
      { 'x', { 1, 2 }, 'torch%-hdf5: key 1: expected a string without slashes' },
      { 'x', { ['a/b'] = 1 }, 'torch%-hdf5: key a/b: expected a string without slashes' },
      { 'x', torch.BFloat16Tensor(2), 'Cannot find hdf5 file type for torch.BFloat16Tensor' },
      { 'x', torch.DoubleStorage(2), 'writing non%-Tensor userdata is not supported' },
      { 'x', 'a\0b', 'string 1 holds a zero byte' },
    } do
      local path, data, message = case[1], case[2], case[3] or case[2]
      assert.error_matches(function() file:write(path, data) end, message)
    end
    local ring = {}
    ring.ring = ring
    assert.error_matches(function() file:write('x', ring) end, 'a table that holds itself')
    assert.error_matches(function() file:write('y', torch.ones(2), hdf5.DataSetOptions():setChunked(2, 2)) end,
      'Chunk size has 2 dimensions; data has 1')
    assert.error_matches(function() file:write('y', torch.ones(2), {}) end, 'options: table, expected hdf5.DataSetOptions')
    assert.is_false(file:has 'y')
  end)
end)

describe('hdf5.open', function()
  it('has modes', function()
    assert.error_matches(function() hdf5.open(name, 'x') end, "Unknown mode 'x' for hdf5.open%(%)")
    assert.error_matches(function() hdf5.open('/nowhere/x.h5', 'w') end, 'HDF5File.open: no such directory /nowhere')
    assert.error_matches(function() hdf5.open(name .. '.none', 'r') end, 'HDF5File: fileID %-1 is not valid')
    files.write(name, 'no HDF5 at all')
    assert.error_matches(function() hdf5.open(name, 'r') end, 'fileID %-1 is not valid: .*signature not found')
    assert.error_matches(function() hdf5.open(name, 'a') end, 'fileID %-1 is not valid')
    assert.equal('no HDF5 at all', files.read(name))
    local file = open(name, 'w')
    file:write('x', torch.ones(2))
    file:close()
    assert.error_matches(function() hdf5.open(name, 'w-') end, 'fileID %-1 is not valid')
    file = open(name, 'r+')
    file:write('y', torch.ones(2))
    file:close()
    file = open(name)
    assert.same({ 'x', 'y' }, file:names())
    file:close()
    os.remove(name)
    assert.error_matches(function() hdf5.open(name, 'r+') end, 'fileID %-1 is not valid')
    open(name, 'w-'):close()
  end)

  it('gives files that say what they are, and that are of no use when closed', function()
    local file = hdf5.open(name, 'w')
    file:write('a/x', torch.ones(2))
    local x, group = file:read 'a/x', file:read 'a'
    assert.matches('^%[HDF5File: %(%d+ / FILE%) ', tostring(file))
    assert.equal(name, file:filename())
    file:flush()
    file:close()
    file:close()
    for _, use in ipairs {
      function() file:read 'a' end, function() file:all() end, function() x:all() end, function() group:all() end,
      function() x:partial(1) end,
      function() file:write('b', torch.ones(1)) end, function() file:attribute 'a' end,
    } do
      assert.error_matches(use, 'it is closed')
    end
  end)

  it('gives files whose copies read the same file', function()
    local file = open(name, 'w')
    file:write('x', torch.range(1, 3))
    file:flush()
    local copy = torch.deserialize(torch.serialize(file))
    opened[#opened + 1] = copy
    assertClose(torch.range(1, 3), copy:read('x'):all())
  end)

  it('keeps no handles of what is collected', function()
    local function descriptors()
      collectgarbage()
      collectgarbage()
      local pipe = io.popen 'ls /proc/$PPID/fd | wc -l'
      local count = tonumber(pipe:read '*a')
      pipe:close()
      return count
    end
    open(name, 'w'):write('x', torch.ones(2))
    opened[1]:close()
    local before = descriptors()
    for _ = 1, 20 do hdf5.open(name, 'r'):read('x'):all() end
    assert.is_true(descriptors() < before + 10)         -- and not 20 more
  end)

  it('takes groups as they are', function()
    local root = open(name, 'w'):read '/'
    local child = root:createChild 'a'
    assert.equal(child, root:getOrCreateChild 'a')
    child:write({ 'b', 'x' }, torch.ones(2))
    assertClose(torch.ones(2), root:read({ 'a', 'b', 'x' }):all())
    assert.equal(root, root:read {})
    assert.error_matches(function() root:read 'a' end, 'HDF5Group:read%(%) expects table as first parameter')
    assert.error_matches(function() root:createChild 'a' end, 'Error creating group /a')
    root:append({}, {})
    assert.same({ 'b' }, child:names())
  end)
end)
