-- Files of netCDF 4: rows of each type, their layout as HDF5, and HDF5 files that another library wrote without netCDF's attributes.
local torch = require 'torch'
local netcdf = require 'netcdf'
local files = require 'spec.support.files'
local assertClose = require('spec.support.close').within { sameType = true }

local hasHdf5 = pcall(function() require('hdf5.library').open() end)

local function withoutPlace(message) return (tostring(message):gsub('^[^ ]*:%d+: ', '')) end

describe('netcdf of version 4', function()
  if not hasHdf5 then return it('needs libhdf5', function() pending 'needs libhdf5' end) end
  local hdf5 = require 'hdf5'
  local name, file
  before_each(function() name = os.tmpname() end)
  after_each(function()
    if file then file:close() end
    file = nil
    os.remove(name)
  end)

  local function saved(values, options)
    options = options or {}
    options.version = 4
    netcdf.save(name, values, options)
    file = netcdf.open(name)
    return file
  end

  it('reads all, or rows, of each type alike', function()
    local values = {}
    for _, kind in ipairs { 'Char', 'Byte', 'Short', 'UInt16', 'Int', 'UInt32', 'Long', 'UInt64', 'Float', 'Double' } do
      local x = torch.range(1, 6):type(('torch.%sTensor'):format(kind)):view(3, 2)
      x[2][2] = kind:find '^[BU]' and 200 or -3
      values[kind] = x
    end
    saved(values)
    for kind, x in pairs(values) do
      assert.equal(kind, file:variable(kind).type)
      assertClose(x, file:read(kind))
      assertClose(x:narrow(1, 2, 2), file:read(kind, { first = 2 }))
      assertClose(x:narrow(1, 2, 1), file:read(kind, { first = 2, count = 1 }))
      assertClose(x:narrow(1, 1, 2), file:read(kind, { count = 2 }))
      for _, first in ipairs { 1, 4 } do
        local none = file:read(kind, { first = first, count = 0 })
        assert.same({ x:type(), 0, 2 }, { none:type(), none:size(1), none:size(2) })
      end
    end
  end)

  it('reads rows of texts', function()
    saved { words = { data = { 'one', 'three', '' }, dimensions = { 'n' } }, one = 'abc', letter = 'x', letters = { 'a', 'b' } }
    assert.same({ 'three', '' }, file:read('words', { first = 2 }))
    assert.same({}, file:read('words', { first = 4 }))
    assert.same({ { 'one', 'three', '' }, 'abc', 'x', { 'a', 'b' } }, { file:read 'words', file:read 'one', file:read 'letter',
      file:read 'letters' })
    assert.same({ type = 'char', dimensions = { 'n', 'words_2' }, sizes = { 3, 5 }, attributes = {} }, file:variable 'words')
    local figures = netcdf.open 'spec/netcdf/data/version4.nc'
    assert.same({ 'gr\195\188n', '' }, figures:read('words', { first = 2 }))
    assert.same({ type = 'char', dimensions = { 'x' }, sizes = { 3 }, attributes = {} }, figures:variable 'words')
    assert.same({ type = 'Int', dimensions = { 'x' }, sizes = { 3 }, attributes = {} }, figures:variable 'inner/y')
    assertClose(torch.IntTensor { 8, 9 }, figures:read('inner/y', { first = 2 }))
    figures:close()
  end)

  it('marks dimensions as the specification says', function()
    saved({ t = { data = torch.ShortTensor(2, 3):fill(1), dimensions = { 'time', 'x' }, attributes = { unit = 'K', n = torch.IntTensor { 1,
      2 }, e = '' } },
            x = { data = torch.FloatTensor { 1, 2, 3 }, dimensions = { 'x' } }, n = 5, other = torch.ones(2) }, { unlimited = 'time' })
    assert.same({ 'n', 'other', 't', 'x' }, file:names())
    file:close()
    local h = hdf5.open(name, 'r')
    local function about(key)
      local set = h:read(key)
      return { set:attribute 'CLASS', set:attribute 'NAME', set:attribute '_Netcdf4Dimid', set:canGrow(), set:dataspaceSize() }
    end
    local words = 'This is a netCDF dimension but not a netCDF variable.%10d'
    assert.same({ 'DIMENSION_SCALE', words:format(2), 1, true, { 2 } }, about 'time')
    assert.same({ 'DIMENSION_SCALE', 'x', 2, false, { 3 } }, about 'x')
    assert.same({ 'DIMENSION_SCALE', words:format(2), 0, false, { 2 } }, about 'other_1')
    assert.same({ nil, nil, nil, true, { 2, 3 } }, about 't')
    assert.same({ { '/time' }, { '/x' } }, h:read('t'):attribute 'DIMENSION_LIST')
    assert.is_nil(h:read('x'):attribute 'DIMENSION_LIST')
    assert.is_nil(h:read('n'):attribute 'DIMENSION_LIST')
    assert.equal('K', h:read('t'):attribute 'unit')
    assertClose(torch.IntTensor { 1, 2 }, h:read('t'):attribute 'n')
    assert.same({}, h:read('n'):dataspaceSize())
    h:close()
  end)

  it('hides attributes of the layout, and sorts the others', function()
    saved { a = { data = torch.ones(2), attributes = { z = 1, b = 'text' } } }
    file:close()
    local h = hdf5.open(name, 'r+')
    local set = h:read 'a'
    for _, key in ipairs { '_Netcdf4Coordinates', '_NCProperties', '_nc3_strict', 'DIMENSION_LABELS', 'REFERENCE_LIST' } do
      h:setAttribute(key, 1)
      set:setAttribute(key, 1)
    end
    set:setAttribute('three', torch.IntTensor { 1, 2, 3 })
    set:setAttribute('one', torch.IntTensor { 7 })
    set:setAttribute('words', { 'a', 'b' })
    set:setAttribute('word', { 'a' })
    set:setAttribute('matrix', torch.IntTensor { { 9 } })
    h:close()
    file = netcdf.open(name)
    assert.same({}, file.attributes)
    local attributes = file:variable('a').attributes
    assertClose(torch.IntTensor { 1, 2, 3 }, attributes.three)
    attributes.three = nil
    assert.same({ z = 1, b = 'text', one = 7, words = { 'a', 'b' }, word = 'a', matrix = 9 }, attributes)
  end)

  it('reads other files of HDF5', function()
    local h = hdf5.open(name, 'w')
    h:write('x', torch.range(1, 6):view(2, 3))
    h:write('group/deep/y', torch.IntTensor { 1, 2 })
    h:write('group/flag', true)
    h:write('group/no', false)
    h:write('number', 2.5)
    h:write('text', 'word')
    h:close()
    file = netcdf.open(name)
    assert.same({ 'group/deep/y', 'group/flag', 'group/no', 'number', 'text', 'x' }, file:names())
    assert.same({ type = 'Double', dimensions = { 'x_1', 'x_2' }, sizes = { 2, 3 }, attributes = {} }, file:variable 'x')
    assert.same({ { name = 'group/deep/y_1', size = 2, isUnlimited = false }, { name = 'x_1', size = 2, isUnlimited = false },
                  { name = 'x_2', size = 3, isUnlimited = false } }, file.dimensions)
    assertClose(torch.DoubleTensor { { 4, 5, 6 } }, file:read('x', { first = 2 }))
    assertClose(torch.IntTensor { 1, 2 }, file:read 'group/deep/y')
    assertClose(torch.DoubleTensor { 2.5 }, file:read 'number')
    assert.equal('word', file:read 'text')
    assert.same({ 1, 0 }, { file:read('group/flag')[1], file:read('group/no')[1] })
    assert.equal('netcdf.File:read: first: the variable number has no dimensions', withoutPlace(select(2, pcall(file.read, file, 'number',
      { first = 1 }))))
    assert.equal('netcdf.File:read: first: 4, expected a whole number from 1 to 3', withoutPlace(select(2, pcall(file.read, file, 'x',
      { first = 4 }))))
  end)

  it('refuses groups that contain themselves, and damage', function()
    assert.equal('netcdf.open: spec/hdf5/h5py.h5: more than 100 groups in each other', withoutPlace(select(2, pcall(netcdf.open,
      'spec/hdf5/h5py.h5'))))
    local h = hdf5.open(name, 'w')
    h:write(('g/'):rep(100) .. 'x', torch.ones(1))
    h:close()
    file = netcdf.open(name)
    assert.same({ ('g/'):rep(100) .. 'x' }, file:names())
    file:close()
    h = hdf5.open(name, 'r+')
    h:write(('g/'):rep(101) .. 'x', torch.ones(1))
    h:close()
    assert.matches('more than 100 groups in each other$', select(2, pcall(netcdf.open, name)))
    files.write(name, '\137HDF\r\n\26\n' .. ('\0'):rep(100))
    assert.matches('^netcdf%.open: ' .. name:gsub('%p', '%%%0') .. ': ', withoutPlace(select(2, pcall(netcdf.open, name))))
  end)

  it('reads dimensions that grew', function()
    saved({ a = { data = torch.IntTensor { 1, 2 }, dimensions = { 't' } }, b = { data = torch.IntTensor { 3, 4 }, dimensions = { 't' } } },
      { unlimited = 't' })
    file:close()
    local h = hdf5.open(name, 'r+')
    h:append('b', torch.IntTensor { 5 })
    h:close()
    file = netcdf.open(name)
    assert.same({ { name = 't', size = 3, isUnlimited = true } }, file.dimensions)
    assert.same({ { 2 }, { 3 } }, { file:variable('a').sizes, file:variable('b').sizes })
  end)

  it('refuses texts with zeros inside, and names of dimensions', function()
    local function refused(expected, ...)
      assert.equal('netcdf.save: ' .. expected, withoutPlace(select(2, pcall(netcdf.save, name, ...))))
    end
    local x = torch.ones(2)
    refused('x attribute a: a string with a zero byte, expected one without', { x = { data = x, attributes = { a = '\0b' } } },
      { version = 4 })
    saved { x = { data = x, attributes = { a = 'b\0\0' } } }      -- zeros at the end are omitted
    assert.same({ a = 'b' }, file:variable('x').attributes)
    local form = ': the name of a dimension, expected another one, or a variable over it alone'
    refused('d' .. form, { d = { data = x, dimensions = { 'e' } }, f = { data = x, dimensions = { 'd' } } }, { version = 4 })
    refused('d' .. form, { d = 3, f = { data = x, dimensions = { 'd' } } }, { version = 4 })
  end)

  it('compresses variables', function()
    saved({ x = torch.zeros(100000) }, { compressed = true })
    assert.is_true(#files.read(name) < 100000)
    assertClose(torch.zeros(100000), file:read 'x')
  end)
end)
