-- Files of SciPy and h5py (figures.py), our own read back, and messages about damaged files.
local torch = require 'torch'
local matio = require 'matio'
local paths = require 'paths'
local files = require 'spec.support.files'
local assertClose = require('spec.support.close').within { sameType = true }

local folder = 'spec/matio/data/'
local inf = math.huge

local hasHdf5 = pcall(function() require('hdf5.library').open() end)

-- The arrays of numbers of figures.py, and their tensors here.
local numbers = {
  double = torch.DoubleTensor { { 1.5, -2, 3 }, { 4, 5, inf } }, single = torch.FloatTensor { { 0.5 }, { 1e30 } },
  cube = torch.range(0, 23):view(2, 3, 4), logical = torch.BoolTensor { { 1, 0, 1 } }, empty = torch.DoubleTensor(0, 3),
  scalar = torch.DoubleTensor { { 7 } }, int8 = torch.CharTensor { { -128, 127 } }, uint8 = torch.ByteTensor { { 0, 255 } },
  int16 = torch.ShortTensor { { -32768, 32767 } }, uint16 = torch.UInt16Tensor { { 0, 65535 } },
  int32 = torch.IntTensor { { -2 ^ 31, 2 ^ 31 - 1 } }, uint32 = torch.UInt32Tensor { { 0, 2 ^ 32 - 1 } },
}

local function assertNumbers(loaded)
  for name, x in pairs(numbers) do
    assert.equal(x:type(), loaded[name]:type(), name)
    assert.is_true(loaded[name]:isContiguous())
    assertClose(x, loaded[name])
  end
  assert.same({ '-9223372036854775808LL', '9223372036854775807LL' }, { tostring(loaded.int64[1][1]), tostring(loaded.int64[1][2]) })
  assert.equal('torch.UInt64Tensor', loaded.uint64:type())
  assert.equal('18446744073709551615ULL', tostring(loaded.uint64[1][2]))
  assert.equal('torch.ComplexDoubleTensor', loaded.complex:type())
  assert.equal('torch.ComplexFloatTensor', loaded.complexSingle:type())
  for _, name in ipairs { 'complex', 'complexSingle' } do
    assert.same({ 1, 0 }, torch.real(loaded[name])[1]:double():totable())
    assert.same({ 2, -3 }, torch.imag(loaded[name])[1]:double():totable())
  end
end

local sparseFigure = torch.DoubleTensor { { 0, 0, 5 }, { 6, 7, 0 } }

describe('matio.load', function()
  it('reads each class of numbers', function()
    assertNumbers(matio.load(folder .. 'numbers.mat'))
    assertNumbers(matio.load(folder .. 'compressed.mat'))
  end)

  it('reads cells, structs, characters and sparse matrices', function()
    local x = matio.load(folder .. 'tables.mat', nil, { strings = true })
    assertClose(torch.DoubleTensor { { 1, 2 } }, x.cell[1])
    assert.equal('two', x.cell[2])
    assertClose(torch.ShortTensor { { 3 } }, x.cell[3])
    assert.same({ { 'a', 'b' }, { 'c', 'd' } }, x.grid)
    assert.equal(1.5, x.struct.x[1][1])
    assert.equal('z', x.struct.deep.y)
    assert.same({ 'Ada', 36, 'Emmy', 53 }, { x.people[1].name, x.people[1].age[1][1], x.people[2].name, x.people[2].age[1][1] })
    assert.equal('gr\195\188\195\159e \227\129\153', x.text)
    assert.same({ 'one  ', 'three' }, x.rows)
    assert.same({}, x.none)
    assertClose(sparseFigure, x.sparse:dense())
    assert.equal(2, torch.imag(x.sparseComplex:values())[1])
    assert.same({ 2, 3 }, { x.sparseNothing:size(1), x.sparseNothing:size(2) })
    assert.equal(0, x.sparseNothing:values():nElement())
  end)

  it('returns characters as bytes, or as strings by the switch of Torch7', function()
    local rows = matio.load(folder .. 'tables.mat', 'rows')
    assertClose(torch.CharTensor { { 111, 110, 101, 32, 32 }, { 116, 104, 114, 101, 101 } }, rows)
    assert.equal(7 + 2 + 2, matio.load(folder .. 'tables.mat', 'text'):size(2))
    matio.use_lua_strings = true
    local text = matio.load(folder .. 'tables.mat', 'rows')
    matio.use_lua_strings = false
    assert.same({ 'one  ', 'three' }, text)
  end)

  it('reads version 4', function()
    local x = matio.load(folder .. 'version4.mat', nil, { strings = true })
    assertClose(numbers.double, x.x)
    assertClose(torch.ShortTensor { { 1, -2 } }, x.i)
    assert.equal('hello', x.text)
    assert.equal(-3, torch.imag(x.z)[1][2])
    assertClose(sparseFigure, x.sparse:dense())
  end)

  it('reads version 7.3', function()
    if not hasHdf5 then return pending 'needs libhdf5' end
    local x, others = matio.load(folder .. 'version73.mat', nil, { strings = true })
    assertNumbers(x)
    assert.same({ 'two', 2 }, { x.cell[2], x.cell[1][1][2] })
    assert.same({ 1.5, 'gr\195\188\195\159e \240\159\152\128' }, { x.struct.x[1][1], x.text })
    assert.same({ 'Ada', 36, 'Emmy', 53 }, { x.people[1].name, x.people[1].age[1][1], x.people[2].name, x.people[2].age[1][1] })
    assertClose(sparseFigure, x.sparse:dense())
    assert.is_nil(x.handle)
    assert.equal('expected numbers, characters, cells or structs, read a function handle', others.handle)
  end)

  it('reads files of the other byte order', function()
    -- A matrix 1 x 2 of int16, as the format's description has it: "MI" as bytes, then tags of big-endian numbers.
    local function word(value) return string.char(0, 0, math.floor(value / 256), value % 256) end
    local array = word(6) .. word(8) .. word(10) .. word(0) .. word(5) .. word(8) .. word(1) .. word(2) .. '\0\1\0\1x\0\0\0' ..
      '\0\4\0\3\1\2\255\254'
    local name = os.tmpname()
    files.write(name, ('MATLAB 5.0 MAT-file'):gsub('$', (' '):rep(97) .. ('\0'):rep(8) .. '\1\0MI') .. word(14) .. word(#array) .. array)
    assertClose(torch.ShortTensor { { 258, -2 } }, matio.load(name, 'x'))
    os.remove(name)
  end)

  it('reads chosen variables', function()
    assertClose(numbers.double, matio.load(folder .. 'compressed.mat', 'double'))
    local two = matio.load(folder .. 'compressed.mat', { 'cube', 'scalar' })
    assertClose(numbers.cube, two.cube)
    assert.is_nil(two.double)
    assert.same({ 'x', 'z', 'text', 'i', 'sparse' }, matio.names(folder .. 'version4.mat'))
    assert.equal(16, #matio.names(folder .. 'compressed.mat'))
    assert.has_error(function() matio.load(folder .. 'version4.mat', 'y') end,
      'matio.load: spec/matio/data/version4.mat: variable y: the file has no such variable, but x, z, text, i, sparse')
    assert.has_error(function() matio.load(folder .. 'version4.mat', { 1, {} }) end, 'matio.load: variable 2: a table, expected a string')
    assert.has_error(function() matio.load(folder .. 'version4.mat', nil, { text = true }) end,
      'matio.load: options: text, expected one of strings')
  end)

  it('says what is wrong with a file', function()
    local name = os.tmpname()
    local whole = files.read(folder .. 'numbers.mat')
    local function message(bytes)
      files.write(name, bytes)
      local good, problem = pcall(matio.load, name)
      assert.is_false(good)
      return (tostring(problem):gsub('^.*: ' .. name:gsub('%p', '%%%0') .. ': ', ''))
    end
    assert.equal('at byte 133: expected a variable of 104 bytes, read 64 bytes to the end', message(whole:sub(1, 200)))
    local foreign = message '\137PNG\r\n\26\n'
    assert.matches('^at byte 1: expected the start of a MAT%-file of version 4, 5 or 7%.3, read ', foreign)
    assert.matches('; this is a PNG picture, which image%.load reads$', foreign)
    assert.equal('at byte 129: expected an array (14), read 13', message(whole:sub(1, 128) .. '\13' .. whole:sub(130)))
    local packed = files.read(folder .. 'compressed.mat')
    assert.matches('^at byte 129: expected a compressed variable', message(packed:sub(1, 160) .. 'x' .. packed:sub(162)))
    assert.has_error(function() matio.load '/nowhere/x.mat' end,
      'matio.load: /nowhere/x.mat: No such file or directory, expected a file that can be mapped')
    os.remove(name)
  end)
end)

describe('matio.save', function()
  local name
  before_each(function() name = os.tmpname() end)
  after_each(function() os.remove(name) end)

  local values = {
    x = torch.randn(2, 3, 4), vector = torch.FloatTensor { 1, 2, 3 }, half = torch.HalfTensor { { 0.5 } }, flag = true, number = 2.5,
    text = 'a\195\188\240\159\152\128', nothing = '', list = { 1, 'two', { torch.ones(2) } }, struct = { a = { b = 'c' } },
    i64 = torch.LongTensor { { 2 ^ 53, -1 } }, u64 = torch.UInt64Tensor { { 9 } }, z = torch.complex(torch.ones(1, 2), torch.zeros(1, 2)),
    logical = torch.BoolTensor { { true, false } }, none = {}, hollow = torch.Tensor(), noRows = torch.IntTensor(0, 2),
    noLongs = torch.LongTensor(0, 3),
    s = torch.sparse.coo(torch.LongTensor { { 1, 2, 2 }, { 3, 1, 2 } }, torch.Tensor { 5, 6, 7 }, { 2, 3 }),
    yes = torch.sparse.coo(torch.LongTensor { { 1 }, { 2 } }, torch.BoolTensor { true }, { 2, 2 }),
  }

  local function assertSaved(options)
    matio.save(name, values, options)
    local y = matio.load(name, nil, { strings = true })
    assertClose(values.x, y.x)
    assertClose(torch.FloatTensor { { 1 }, { 2 }, { 3 } }, y.vector)
    assertClose(torch.FloatTensor { { 0.5 } }, y.half)
    assertClose(torch.BoolTensor { { true } }, y.flag)
    assertClose(torch.DoubleTensor { { 2.5 } }, y.number)
    assert.same({ values.text, '' }, { y.text, y.nothing })
    assert.same({ 1, 'two', 1 }, { y.list[1][1][1], y.list[2], y.list[3][1][2][1] })
    assert.same({ a = { b = 'c' } }, y.struct)
    for _, key in ipairs { 'i64', 'u64', 'logical', 'noRows', 'noLongs' } do assertClose(values[key], y[key]) end
    assert.is_true(y.z:isComplex())
    assert.equal(1, torch.real(y.z)[1][2])
    assert.same({}, y.none)
    assert.same({ 0, 0 }, y.hollow:size():totable())
    assertClose(sparseFigure, y.s:dense())
    assert.equal('torch.BoolTensor', y.yes:values():type())
  end

  it('writes what load reads', function()
    assertSaved()
    assertSaved { compressed = true }
  end)

  it('writes version 7.3', function()
    if not hasHdf5 then return pending 'needs libhdf5' end
    assertSaved { version = '7.3' }
    assertSaved { version = '7.3', compressed = true }
    assert.equal('MATLAB 7.3 MAT-file', files.read(name):sub(1, 19))
    assert.equal('\0\2IM', files.read(name):sub(125, 128))
    matio.save(name, { x = torch.ones(2), s = { a = 1, b = { 1, 'two' } } }, { version = '7.3' })
    require('hdf5').open(name, 'w'):close()      -- libhdf5 empties no file that is open
  end)

  it('writes one tensor as x, and rows', function()
    matio.save(name, torch.ones(3), { row = true })
    assertClose(torch.ones(1, 3), matio.load(name, 'x'))
    matio.save(name, torch.range(1, 6):view(2, 3):t())
    assertClose(torch.range(1, 6):view(2, 3):t():clone(), matio.load(name).x)
  end)

  it('writes complex numbers and integers of 64 bits as arrays of one element', function()
    for _, version in ipairs { '5', hasHdf5 and '7.3' or nil } do
      matio.save(name, { z = 3 - 4i, n = 9007199254740993LL, u = 18446744073709551615ULL }, { version = version })
      local all = matio.load(name)
      assert.same({ 'torch.ComplexDoubleTensor', 'torch.LongTensor', 'torch.UInt64Tensor' }, { all.z:type(), all.n:type(), all.u:type() })
      assert.equal(3 - 4i, all.z[1][1])
      assert.equal('9007199254740993LL', tostring(all.n[1][1]))
      assert.equal('18446744073709551615ULL', tostring(all.u[1][1]))
    end
  end)

  it('writes the bytes of the format', function()
    matio.save(name, { x = torch.ShortTensor { { 258, -2 } } })
    local bytes = files.read(name)
    assert.equal('\0\1IM', bytes:sub(125, 128))
    local function word(value) return string.char(value % 256, math.floor(value / 256), 0, 0) end
    assert.equal(word(14) .. word(64) .. word(6) .. word(8) .. word(10) .. word(0) .. word(5) .. word(8) .. word(1) .. word(2) ..
      word(1) .. word(1) .. 'x\0\0\0\0\0\0\0' .. word(3) .. word(4) .. '\2\1\254\255\0\0\0\0', bytes:sub(129))
  end)

  it('refuses what files cannot hold, and writes nothing', function()
    files.write(name, 'before')
    local function refused(message, ...)
      local good, problem = pcall(matio.save, name, ...)
      assert.is_false(good)
      assert.equal(message, (tostring(problem):gsub('^[^ ]*:%d+: ', '')))
      assert.equal('before', files.read(name))
    end
    refused("matio.save: values: the name '1x', expected a letter, then letters, digits and _, at most 63", { ['1x'] = 1 })
    refused("matio.save: a.b: the name 2, expected a letter, then letters, digits and _, at most 63", { a = { b = { x = 1, [2] = 2 } } })
    refused('matio.save: a{2}: a function, expected a tensor, number, boolean, string, sparse matrix or table of such values',
      { a = { 1, print } })
    local loop = {}
    loop.loop = loop
    refused('matio.save: ' .. 'a' .. ('.loop'):rep(100) .. ': more than 100 tables in each other', { a = loop })
    refused("matio.save: version: '6', expected one of '5', '7.3'", {}, { version = '6' })
    refused('matio.save: values: 3, expected a table', 3)
    local _, problem = pcall(matio.save, '/nowhere/x.mat', { a = 1 })
    assert.matches('^[^ ]*matio_spec%.lua:%d+: matio%.save: /nowhere/x%.mat: No such file or directory$', problem)
    if hasHdf5 then
      _, problem = pcall(matio.save, '/nowhere/x.mat', { a = 1 }, { version = '7.3' })
      assert.matches('matio%.save: /nowhere/x%.mat: No such file or directory$', problem)
      refused('matio.save: a{2}: a function, expected a tensor, number, boolean, string, sparse matrix or table of such values',
        { a = { 1, print } }, { version = '7.3' })
      for base in paths.files(paths.dirname(name)) do assert.is_nil(base:find(paths.basename(name) .. '.torch-save', 1, true)) end
    end
  end)
end)
