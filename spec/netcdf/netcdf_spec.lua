-- Files of SciPy and Unidata's library (figures.py), our own read back, known bytes, and messages about damaged files.
local torch = require 'torch'
local netcdf = require 'netcdf'
local files = require 'spec.support.files'
local assertClose = require('spec.support.close').within { sameType = true }

local folder = 'spec/netcdf/data/'
local hasHdf5 = pcall(function() require('hdf5.library').open() end)
local t = torch.ShortTensor { { 1, 2, 3 }, { -4, 5, 6 } }

local function withoutPlace(message) return (tostring(message):gsub('^[^ ]*:%d+: ', '')) end

describe('netcdf.open', function()
  for version = 1, 2 do
    it('describes and reads version ' .. version, function()
      local file = netcdf.open(folder .. 'version' .. version .. '.nc')
      assert.same({ { name = 'time', size = 2, isUnlimited = true }, { name = 'x', size = 3, isUnlimited = false },
                    { name = 'letters', size = 5, isUnlimited = false } }, file.dimensions)
      assert.same({ title = 'figures' }, file.attributes)
      local names = file:names()
      table.sort(names)
      assert.same({ 'b', 'f', 'name', 't', 'x' }, names)
      assert.same({ type = 'Short', dimensions = { 'time', 'x' }, sizes = { 2, 3 },
                    attributes = { units = 'K', scale_factor = 0.5, add_offset = 100 } }, file:variable 't')
      assertClose(t, file:read 't')
      assertClose(torch.CharTensor { -1, 2 }, file:read 'b')
      assertClose(torch.DoubleTensor { 0.5, 1, 1.5 }, file:read 'x')
      assertClose(torch.range(0, 29):float():view(2, 3, 5), file:read 'f')
      assert.same({ 'one', 'three', '' }, file:read 'name')
      file:close()
      assert.equal(('netcdf.File:read: %sversion%d.nc: the file is closed'):format(folder, version),
        withoutPlace(select(2, pcall(file.read, file, 't'))))
    end)
  end

  it('reads rows, and unpacks', function()
    local file = netcdf.open(folder .. 'version1.nc')
    assertClose(t:narrow(1, 2, 1), file:read('t', { first = 2 }))
    assertClose(torch.range(15, 29):float():view(1, 3, 5), file:read('f', { first = 2, count = 1 }))
    assertClose(torch.DoubleTensor { 1, 1.5 }, file:read('x', { first = 2 }))
    assert.same({ 'three' }, file:read('name', { first = 2, count = 1 }))
    assertClose(t:double() * 0.5 + 100, file:read('t', { unpack = true }))
    assert.same({ 0, 3 }, file:read('t', { first = 3 }):size():totable())
    assert.equal('netcdf.File:read: count: 2, expected a whole number from 0 to 1',
      withoutPlace(select(2, pcall(file.read, file, 't', { first = 2, count = 2 }))))
  end)

  it('reads version 5', function()
    local x = netcdf.load(folder .. 'version5.nc')
    assertClose(torch.ByteTensor { 1, 255 }, x.u1)
    assertClose(torch.UInt16Tensor { 1, 65535 }, x.u2)
    assertClose(torch.UInt32Tensor { 1, 2 ^ 32 - 1 }, x.u4)
    assertClose(torch.LongTensor { -1, 2 ^ 62 }, x.i8)
    assert.equal('18446744073709551615ULL', tostring(x.u8[2]))
  end)

  it('reads netCDF 4', function()
    if not hasHdf5 then return pending 'needs libhdf5' end
    local file = netcdf.open(folder .. 'version4.nc')
    local sizes = {}
    for _, dimension in ipairs(file.dimensions) do sizes[dimension.name] = { dimension.size, dimension.isUnlimited } end
    assert.same({ time = { 2, true }, x = { 3, false }, letters = { 5, false } }, sizes)
    assert.same({ title = 'figures' }, file.attributes)
    assert.same({ type = 'Short', dimensions = { 'time', 'x' }, sizes = { 2, 3 },
                  attributes = { units = 'K', scale_factor = 0.5, add_offset = 100 } }, file:variable 't')
    assertClose(t, file:read 't')
    assertClose(t:narrow(1, 2, 1), file:read('t', { first = 2 }))
    assertClose(t:double() * 0.5 + 100, file:read('t', { unpack = true }))
    assert.same({ 'one', 'gr\195\188n', '' }, file:read 'words')
    assert.same({ 'one', 'three', '' }, file:read 'name')
    assertClose(torch.IntTensor { 7, 8, 9 }, file:read 'inner/y')
    assertClose(torch.UInt16Tensor { 65535 }, file:read 'scalar')
    file:close()
  end)

  it('says what is wrong with a file', function()
    local name, whole = os.tmpname(), files.read(folder .. 'version1.nc')
    local function message(bytes)
      files.write(name, bytes)
      local good, problem = pcall(netcdf.load, name)
      assert.is_false(good)
      return (withoutPlace(problem):gsub(name:gsub('%p', '%%%0'), 'x'))
    end
    assert.equal('netcdf.load: x: at byte 1: expected the bytes CDF and 1, 2 or 5, read "CDF!"', message('CDF!' .. whole:sub(5)))
    assert.equal("netcdf.load: x: at byte 17: expected the length of a dimension's name that the file has room for, read 9",
      message(whole:sub(1, 12) .. '\0\0\0\1\0\0\0\9timetim'))
    assert.matches('^netcdf%.load: x: variable %a+: at byte %d+: expected the variable %a+ of %d+ bytes, read %d+ bytes to the end',
      message(whole:sub(1, 500)))
    os.remove(name)
    assert.equal('netcdf.load: spec/netcdf/data/version1.nc: variable z: the file has no such variable, but name, x, t, b, f',
      withoutPlace(select(2, pcall(netcdf.load, folder .. 'version1.nc', 'z'))))
  end)
end)

describe('netcdf.save', function()
  local name
  before_each(function() name = os.tmpname() end)
  after_each(function() os.remove(name) end)

  it('writes what load reads', function()
    netcdf.save(name, {
      t = { data = t, dimensions = { 'time', 'x' }, attributes = { units = 'K', _FillValue = torch.ShortTensor { 5 }, scale_factor = 2 } },
      b = { data = torch.CharTensor { 1, -2 }, dimensions = { 'time' } }, plain = torch.randn(2, 3), number = 4, word = 'abc',
      words = { data = { 'one', 'three' }, dimensions = { 'time' } }, flag = torch.BoolTensor { true, false }, nothing = '',
    }, { unlimited = 'time', attributes = { title = 'it', numbers = torch.IntTensor { 1, 2 } } })
    local x, attributes = netcdf.load(name)
    assertClose(t, x.t)
    assertClose(torch.CharTensor { 1, -2 }, x.b)
    assertClose(torch.CharTensor { 1, 0 }, x.flag)
    assertClose(torch.DoubleTensor { 4 }, x.number)
    assert.same({ 'abc', { 'one', 'three' } }, { x.word, x.words })
    assert.equal('', x.nothing)
    assert.equal('it', attributes.title)
    assertClose(torch.IntTensor { 1, 2 }, attributes.numbers)
    local unpacked = netcdf.load(name, 't', { unpack = true })
    assert.is_true(unpacked[2][2] ~= unpacked[2][2])      -- the fill value
    assertClose(torch.DoubleTensor { { 2, 4, 6 }, { -8, 0, 12 } }, unpacked:maskedFill(unpacked:ne(unpacked), 0))
    assert.same({ 'plain_1', 'plain_2' }, netcdf.open(name):variable('plain').dimensions)
    assert.equal('CDF\1', files.read(name):sub(1, 4))
  end)

  it('writes netCDF 4', function()
    if not hasHdf5 then return pending 'needs libhdf5' end
    for _, compressed in ipairs { false, true } do
      local values = {
        t = { data = t, dimensions = { 'time', 'x' }, attributes = { units = 'K', _FillValue = torch.ShortTensor { 5 } } },
        time = { data = torch.IntTensor { 7, 8 }, dimensions = { 'time' }, attributes = { units = 'd' } }, number = 4, word = 'abc',
        words = { data = { 'one', 'three' }, dimensions = { 'time' } }, u = torch.UInt16Tensor { 1, 65535 },
        half = torch.HalfTensor { 0.5 }, none = { data = torch.IntTensor(0, 3), dimensions = { 'rows', 'x' } },
      }
      values.none = compressed and values.none or nil
      local unlimited = compressed and 'rows' or 'time'
      netcdf.save(name, values, { unlimited = unlimited, version = 4, compressed = compressed, attributes = { title = 'it' } })
      assert.equal('\137HDF', files.read(name):sub(1, 4))
      local file = netcdf.open(name)
      assert.same({ title = 'it' }, file.attributes)
      assert.same({ 'time', 'x' }, file:variable('t').dimensions)
      assert.same({ units = 'K', _FillValue = 5 }, file:variable('t').attributes)
      for _, dimension in ipairs(file.dimensions) do
        assert.equal(dimension.name == unlimited, dimension.isUnlimited, dimension.name)
      end
      assertClose(t, file:read 't')
      assertClose(values.time.data, file:read 'time')
      assertClose(torch.DoubleTensor { 4 }, file:read 'number')
      assert.same({ 'abc', { 'one', 'three' } }, { file:read 'word', file:read 'words' })
      assertClose(values.u, file:read 'u')
      assertClose(torch.FloatTensor { 0.5 }, file:read 'half')
      if compressed then assert.same({ 0, 3 }, file:read('none'):size():totable()) end
      file:close()
    end
    local message = 'netcdf.save: y: the name of a dimension, expected another one, or a variable over it alone'
    assert.equal(message, withoutPlace(select(2, pcall(netcdf.save, name,
      { y = { data = torch.ones(2, 3), dimensions = { 'y', 'z' } } }, { version = 4 }))))
    netcdf.save(name, { y = 'a\0b', list = { 'a\0b', 'c' } }, { version = 4 })
    assert.same({ 'a\0b', { 'a\0b', 'c' } }, { netcdf.load(name, 'y'), (netcdf.load(name, 'list')) })
    assert.equal('netcdf.save: y: a tensor without dimensions, expected 1 or more',
      withoutPlace(select(2, pcall(netcdf.save, name, { y = torch.Tensor() }, { version = 4 }))))
    assert.equal('netcdf.save: the file attribute t: a string with a zero byte, expected one without',
      withoutPlace(select(2, pcall(netcdf.save, name, { y = 1 }, { version = 4, attributes = { t = 'a\0b' } }))))
    assert.equal('netcdf.save: compressed: expected the version 4',
      withoutPlace(select(2, pcall(netcdf.save, name, { x = 1 }, { compressed = true }))))
  end)

  it('leaves no file of netCDF 4 open', function()
    if not hasHdf5 then return pending 'needs libhdf5' end
    local hdf5 = require 'hdf5'
    collectgarbage 'stop'
    local function assertClosed() hdf5.open(name, 'w'):close() end      -- libhdf5 empties no file that is open
    local good, problem = pcall(function()
      local values = { x = { data = torch.ones(3), attributes = { units = 'K', range = torch.Tensor { 0, 1 } } } }
      for _, use in ipairs { netcdf.load, function() netcdf.load(name, 'y') end, function() netcdf.open(name):close() end } do
        netcdf.save(name, values, { version = 4 })
        assertClosed()
        netcdf.save(name, values, { version = 4 })
        pcall(use, name)
        assertClosed()
      end
    end)
    collectgarbage 'restart'
    collectgarbage()
    assert.is_true(good, problem)
  end)

  it('writes version 5 for unsigned and long integers', function()
    local values = { u = torch.UInt16Tensor { 1, 65535 }, l = torch.LongTensor { 2 ^ 53 }, b = torch.ByteTensor { 200 } }
    netcdf.save(name, values)
    local x = netcdf.load(name)
    for key, value in pairs(values) do assertClose(value, x[key]) end
    assert.equal('CDF\5', files.read(name):sub(1, 4))
  end)

  it('writes the bytes of the format', function()
    netcdf.save(name, { x = torch.ShortTensor { 258, -2 } })
    local function word(value) return string.char(0, 0, 0, value) end
    local header = 'CDF\1' .. word(0) .. word(10) .. word(1) .. word(3) .. 'x_1\0' .. word(2) .. word(0) .. word(0) .. word(11) ..
      word(1) .. word(1) .. 'x\0\0\0' .. word(1) .. word(0) .. word(0) .. word(0) .. word(3) .. word(4) .. word(80)
    assert.equal(header .. '\1\2\255\254', files.read(name))
    for _, kind in ipairs { 'IntTensor', 'LongTensor' } do
      netcdf.save(name, { x = { data = torch[kind](0, 2), dimensions = { 'time', 'y' } } }, { unlimited = 'time' })
      assert.same({ 0, 2 }, netcdf.load(name, 'x'):size():totable())
    end
  end)

  it('refuses what files cannot hold, and writes nothing', function()
    files.write(name, 'before')
    local function refused(message, ...)
      assert.equal(message, withoutPlace(select(2, pcall(netcdf.save, name, ...))))
      assert.equal('before', files.read(name))
    end
    refused("netcdf.save: variables: the name 'a/b', expected a string without / and control characters", { ['a/b'] = 1 })
    local z = torch.complex(torch.ones(1), torch.ones(1))
    refused('netcdf.save: z: torch.ComplexDoubleTensor, expected a type of real numbers', { z = z })
    refused('netcdf.save: dimension x_1: size 0, expected 1 or more, or the unlimited one', { x = torch.Tensor(0, 2) })
    refused('netcdf.save: x: a tensor without dimensions, expected 1 or more', { x = torch.Tensor() })
    refused('netcdf.save: x: a function, expected a tensor, number, string or list of strings', { x = print })
    refused('netcdf.save: dimension d: sizes 2 and 3, expected one', {
      a = { data = torch.ones(2), dimensions = { 'd' } }, b = { data = torch.ones(3), dimensions = { 'd' } } })
    refused('netcdf.save: a: dimensions: 2 names, expected 1', { a = { data = torch.ones(2), dimensions = { 'd', 'e' } } })
    refused('netcdf.save: a: the unlimited dimension d as number 2, expected it first',
      { a = { data = torch.ones(2, 3), dimensions = { 'e', 'd' } } }, { unlimited = 'd' })
    refused('netcdf.save: unlimited: the dimension d, expected one of a variable', { a = torch.ones(2) }, { unlimited = 'd' })
    refused('netcdf.save: version: 2, expected 5, as unsigned and 8-byte integers need it', { a = torch.LongTensor { 1 } }, { version = 2 })
    refused('netcdf.save: a attribute u: a table, expected a number, string or tensor of one dimension',
      { a = { data = torch.ones(2), attributes = { u = {} } } })
  end)
end)
