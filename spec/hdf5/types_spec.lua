-- Every type of dataset that h5py and PyTables write (files of types_figures.py): records, enumerations, lists of any length, arrays,
-- times, references and others; and the types that can be written.
local torch = require 'torch'
local hdf5 = require 'hdf5'
local data = require 'data'
local paths = require 'paths'
local files = require 'spec.support.files'
local assertClose = require('spec.support.close').within { sameType = true }

local function assertComplex(expected, actual)
  assert.equal(expected:type(), actual:type())
  assert.same(expected:totable(), actual:totable())
end

describe('types of h5py', function()
  local file
  setup(function() file = hdf5.open('spec/hdf5/h5py_types.h5', 'r') end)
  teardown(function() file:close() end)
  local function all(path) return file:read(path):all() end

  it('are records: a table of their members', function()
    local x = all 'compound'
    assertClose(torch.IntTensor { -1, 0, 1 }, x.id)
    assertClose(torch.DoubleTensor { 0, 0.25, 0.5 }, x.weight)
    assert.same({ 'ab0', 'ab1', 'ab2' }, x.name)
    assertClose(torch.BoolTensor { 0, 1, 0 }, x.wild)
    assertClose(torch.FloatTensor { { { 0, 1, 2 }, { 3, 4, 5 } }, { { 1, 2, 3 }, { 4, 5, 6 } }, { { 2, 3, 4 }, { 5, 6, 7 } } }, x.place)
    assertClose(torch.ByteTensor { 0, 1, 2 }, x.point.x)
    assertClose(torch.ShortTensor { 0, -1, -2 }, x.point.y)
    assert.same({ 'id', 'weight', 'name', 'wild', 'place', 'point' }, file:read('compound'):fields())
    assert.is_nil(file:read('array'):fields())
    local grid = all 'compound_grid'
    assertClose(torch.ShortTensor { { 0, -1, -2 }, { -2, -1, 0 } }, grid.y)
    assert.same({ word = { 'h\195\164', '' } }, { word = all('compound_text').word })
    assertClose(torch.LongTensor { 1, 2 }, all('compound_text').n)
  end)

  it('are a single record, a part of some, and none', function()
    local one = all 'compound_one'
    assert.same({ 0, 0.25, 'ab1', true, 1, -1 }, { one.id, one.weight, one.name, one.wild, one.point.x, one.point.y })
    assertClose(torch.FloatTensor { { 1, 2, 3 }, { 4, 5, 6 } }, one.place)
    local part = file:read('compound'):partial { 2, 3 }
    assert.same({ 'ab1', 'ab2' }, part.name)
    assertClose(torch.ShortTensor { -1, -2 }, part.point.y)
    assertClose(torch.IntTensor():resize(0), all('empty_compound').a)
    assert.same({}, all('empty_compound').b)
  end)

  it('are enumerations: integers, whose names are told', function()
    assertClose(torch.ShortTensor { { 0, 2 }, { 1, 0 } }, all 'enum')
    assert.same({ RED = 0, GREEN = 1, BLUE = 2 }, file:read('enum'):enumeration())
    assertClose(torch.IntTensor { 300, -1 }, all 'enum_big')
    assert.same({ MANY = 300, NONE = -1 }, file:read('enum_big'):enumeration())
    assert.is_nil(file:read('array'):enumeration())
  end)

  it('are lists of any length', function()
    local ragged = all 'ragged'
    assert.equal(3, #ragged)
    assertClose(torch.FloatTensor { 1, 2.5 }, ragged[1])
    assertClose(torch.FloatTensor():resize(0), ragged[2])
    assertClose(torch.FloatTensor { 7 }, file:read('ragged'):partial(3)[1])
    assertClose(torch.LongTensor { 5, 6 }, all('ragged_grid')[1][2])
    assertClose(torch.DoubleTensor { 0.5, 1.5 }, all('ragged_records')[1].b)
  end)

  it('are arrays, bytes, and floats and integers of other sizes', function()
    assertClose(torch.IntTensor { { { 0, 1 }, { 2, 3 } }, { { 4, 5 }, { 6, 7 } } }, all 'array')
    assertClose(torch.IntTensor { { { 4, 5 }, { 6, 7 } } }, file:read('array'):partial(2))
    assert.same({ { 'one', 'a' } }, all 'array_text')
    assert.same({ '\1\0\2', 'ab\255' }, all 'void')
    assert.same({ '\2I\0\0\0\0\0\0' }, all 'date')      -- days since 1970, in eight bytes that h5py tags
    assertClose(torch.DoubleTensor { 0.1, 1e300 }, all 'long_double')
    assertComplex(torch.ComplexFloatTensor { { 1 + 2i, 3 - 1i } }, all 'complex64')
    assertComplex(torch.ComplexDoubleTensor { 1.5 - 2i }, all 'complex256')
    assertClose(torch.ShortTensor { 3, 500 }, all 'bits')
    assertClose(torch.IntTensor { -5, 70000 }, all 'int24')
    local x = all 'bfloat16'      -- 8 bits of precision
    assert.equal('torch.FloatTensor', torch.type(x))
    assert.equal(1.5, x[1])
    assert.is_true(math.abs(x[2] - 1e30) <= 1e30 * 2 ^ -8)
  end)

  it('keep sizes of 0', function()
    assertClose(torch.IntTensor():resize(2, 0, 3), all 'empty_grid')
    assertClose(torch.FloatTensor():resize(0), all 'null')
    assert.equal('', all 'null_text')
    assert.same({}, all 'empty_text')
  end)

  it('are packed by filters: one that is missing is named', function()
    for path, filter in pairs { h5py_types = { 'packed_lzf', 'lzf %(32000%)' }, pytables = { 'packed_blosc', 'blosc %(32001%)' } } do
      local other = hdf5.open(('spec/hdf5/%s.h5'):format(path), 'r')
      local good, x = pcall(function() return other:read(filter[1]):all() end)
      if good then      -- the plug-in is installed
        assert.equal(1000, x:nElement())
      else
        assert.matches(filter[2] .. ', which this libhdf5 lacks: "h5repack %-f GZIP=4 OLD NEW"', x)
      end
      other:close()
    end
  end)

  it('are references: the paths of what they mean', function()
    assert.same({ '/here/there', '/array' }, all 'references')
    assert.same({ '' }, all 'no_reference')
    assert.same({ '/array' }, all 'region')
  end)

  it('are those of attributes, too', function()
    assertClose(torch.ByteTensor { 0, 1 }, file:attribute('compound').x)
    assertClose(torch.FloatTensor { 1, 2.5 }, file:attribute 'ragged')
    assertClose(torch.ShortTensor { { 1, 2 }, { 3, 4 } }, file:attribute 'three')
    assert.same({ '', '/here' }, { file:attribute 'null', file:attribute 'where' })
  end)

  it('are no tensors to be made beforehand', function()
    assert.error_matches(function() file:read('compound'):getTensorFactory() end, 'the elements are no numbers: use all%(%)')
  end)

  it('stay valid while the collector runs', function()
    local pause, factor = collectgarbage('setpause', 1), collectgarbage('setstepmul', 10000)
    local good, message = pcall(function()
      for _ = 1, 200 do
        file:read('compound'):all()
        file:read('array'):all()
        file:read('array'):getTensorFactory()(2)
        assert.equal(6, #file:read('compound'):fields())
      end
    end)
    collectgarbage('setpause', pause)
    collectgarbage('setstepmul', factor)
    assert.is_true(good, message)
  end)
end)

describe('types of PyTables', function()
  local file
  setup(function() file = hdf5.open('spec/hdf5/pytables.h5', 'r') end)
  teardown(function() file:close() end)
  local function all(path) return file:read(path):all() end

  it('are tables', function()
    local x = all 'table'
    assert.same({ 'ab0', 'ab1', 'ab2' }, x.name)
    assertClose(torch.ByteTensor { 0, 1, 0 }, x.wild)
    assertClose(torch.IntTensor { 10, 11, 12 }, x.seconds)
    assertClose(torch.DoubleTensor { 0.5, 1.5, 2.5 }, x.time)
    assertComplex(torch.ComplexFloatTensor { 1, 1 + 2i, 1 + 4i }, x.wave)
    assertClose(torch.FloatTensor(3, 2, 3):copy(torch.range(0, 2):view(3, 1, 1):expand(3, 2, 3)), x.grid)
    assertClose(torch.ByteTensor { 0, 1, 1 }, x.colour)
    assertClose(torch.HalfTensor { 0, 0.5, 1 }, x.half)
    assertClose(torch.LongTensor { 0, 1, 2 }, x.count)
    assertClose(torch.CharTensor { 0, -1, -2 }, file:read('table'):all({ widen = true }).inner.x)
  end)

  it('are arrays of every kind of number', function()
    for kind, class in pairs { bool = 'Byte', i1 = 'Byte', i2 = 'Short', i4 = 'Int', i8 = 'Long', u1 = 'Byte', u2 = 'Short', u4 = 'Int',
                               u8 = 'Long', f2 = 'Half', f4 = 'Float', f8 = 'Double', g = 'Double' } do
      assertClose(torch[class .. 'Tensor'] { { 0, 1 }, { 1, 1 } }, all('array_' .. kind))
    end
    assertComplex(torch.ComplexFloatTensor { { 0, 1 }, { 1, 1 } }, all 'array_c8')
    assertComplex(torch.ComplexDoubleTensor { { 0, 1 }, { 1, 1 } }, all 'array_c16')
    assert.same({ { '0', '1' }, { '1', '1' } }, all 'array_S3')
    assert.same({ 2.5, 'bytes' }, { all 'one', all 'text' })
    assertClose(torch.LongTensor { 1, 2, 3 }, all 'list')
    assertClose(torch.range(0, 11):long():view(3, 4), all 'chunked')
    assertClose(torch.DoubleTensor { 1.25, 2.5 }, all 'times')
    assertClose(torch.DoubleTensor():resize(0, 3), all 'nothing')
    assertClose(torch.ShortTensor { 1, 0 }, all 'colours')
    assert.same({ red = 0, green = 1 }, file:read('colours'):enumeration())
  end)

  it('are lists of any length', function()
    local ragged = all 'ragged'
    assertClose(torch.IntTensor { 1, 2, 3 }, ragged[1])
    assertClose(torch.IntTensor():resize(0), ragged[2])
    assertClose(torch.IntTensor { 4 }, ragged[3])
    assertClose(torch.FloatTensor { { 1, 2 }, { 3, 4 } }, all('pairs')[1])
    assert.same({ { 'a', 'bc' } }, all 'strings')
    assertClose(torch.ByteTensor { 120, 121 }, all('vlbytes')[1])
    assertClose(torch.IntTensor { 104, 233 }, all('vlunicode')[1])
    assertClose(torch.ByteTensor { 128, 5, 75, 7, 46 }, all('vlobject')[1])      -- a pickle, which is not run
  end)
end)

describe('what is written', function()
  local name = paths.tmpname()
  teardown(function() os.remove(name) end)
  local function comesBack(value)
    local file = hdf5.open(name, 'w')
    local good, message = pcall(file.write, file, 'x', value)
    file:close()
    if not good then error(message, 0) end
    file = hdf5.open(name, 'r')
    local x = file:read('x'):all()
    file:close()
    return x
  end

  it('has the types of the format', function()
    -- "HDF5 File Format Specification", datatype messages: size, offset and precision in bits, for floats the places and sizes of exponent
    -- and mantissa, and the bias.
    local function little(value, size) return value == 0 and ('\0'):rep(size) or string.char(value % 256) .. ('\0'):rep(size - 1) end
    local function integer(bytes) return little(bytes, 4) .. '\0\0' .. little(8 * bytes, 2) end
    local function float(exponent, mantissa, bias)
      local bits = 1 + exponent + mantissa
      return little(bits / 8, 4) .. '\0\0' .. little(bits, 2) .. string.char(mantissa, exponent, 0, mantissa, bias % 256,
        math.floor(bias / 256)) .. '\0\0'
    end
    -- Class and version, then whether there is a sign (8) in integers, or the place of the sign and an implied bit in floats.
    local forms = {
      Byte = '\16\0\0\0' .. integer(1), Char = '\16\8\0\0' .. integer(1), Short = '\16\8\0\0' .. integer(2),
      UInt16 = '\16\0\0\0' .. integer(2), Int = '\16\8\0\0' .. integer(4), UInt32 = '\16\0\0\0' .. integer(4),
      Long = '\16\8\0\0' .. integer(8), UInt64 = '\16\0\0\0' .. integer(8), Float = '\17\32\31\0' .. float(8, 23, 127),
      Double = '\17\32\63\0' .. float(11, 52, 1023), Half = '\17\32\15\0' .. float(5, 10, 15),
      Float8E4m3 = '\17\32\7\0' .. float(4, 3, 7), Float8E5m2 = '\17\32\7\0' .. float(5, 2, 15),
    }
    for kind, form in pairs(forms) do
      local x = torch.DoubleTensor { { 1, 2 }, { 3, 0.5 } }:type(('torch.%sTensor'):format(kind))
      local back = comesBack(x)
      local third = string.char(form:byte() + 32) .. form:sub(2)      -- version 3 of the message, as newer libraries write it
      local text = files.read(name)
      assert.is_truthy(text:find(form, 1, true) or text:find(third, 1, true), kind)
      assert.same(x:double():totable(), back:type(x:type()):double():totable(), kind)
      if kind:find '^Float8' or kind == 'Half' then assert.equal(x:type(), back:type()) end
    end
    assert.error_matches(function() comesBack(torch.BFloat16Tensor { 1 }) end, 'Cannot find hdf5 file type for torch%.BFloat16Tensor')
  end)

  it('keeps sizes of 0', function()
    assertClose(torch.DoubleTensor():resize(0, 3), comesBack(torch.zeros(0, 3)))
    assertClose(torch.FloatTensor():resize(4, 0, 2), comesBack(torch.FloatTensor():resize(4, 0, 2)))
  end)

  it('is a list of vectors of different lengths', function()
    local x = comesBack { torch.FloatTensor { 1, 2 }, torch.FloatTensor(), torch.FloatTensor { 3 } }
    assertClose(torch.FloatTensor { 1, 2 }, x[1])
    assertClose(torch.FloatTensor():resize(0), x[2])
    assertClose(torch.FloatTensor { 3 }, x[3])
    assert.error_matches(function() comesBack { torch.FloatTensor { 1 }, torch.DoubleTensor { 1 } } end,
      'expected a string without slashes')
  end)

  it('is a frame, as records', function()
    local frame = data.Frame({ n = torch.LongTensor { 1, 2 }, x = torch.DoubleTensor { 0.5, -1 }, word = { 'a', 'b\195\164' },
                               wild = { true, false } }, { 'word', 'n', 'x', 'wild' })
    local x = comesBack(frame)
    assert.same({ 'a', 'b\195\164' }, x.word)
    assertClose(torch.LongTensor { 1, 2 }, x.n)
    assertClose(torch.DoubleTensor { 0.5, -1 }, x.x)
    assertClose(torch.BoolTensor { 1, 0 }, x.wild)
    local file = hdf5.open(name, 'r')
    assert.same({ 'word', 'n', 'x', 'wild' }, file:read('x'):fields())
    file:close()
  end)
end)

describe('a file of another format', function()
  it('is called by its name', function()
    assert.error_matches(function() hdf5.open('spec/torch/exchange/plain.npz', 'r') end,
      'this is an archive of NumPy %(%.npz%), which torch%.npz%.load reads')
  end)
end)
