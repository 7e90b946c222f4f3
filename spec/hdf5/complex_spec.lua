-- Complex numbers in HDF5 files: those of h5py (complex_figures.py), and those that are written, read again and by their parts.
local torch = require 'torch'
local there, hdf5 = pcall(require, 'hdf5')
local files = require 'spec.support.files'

local function opens()
  return there and pcall(function() hdf5.open('spec/hdf5/complex.h5', 'r'):close() end)
end

if not opens() then
  describe('complex numbers in hdf5', function() pending('needs libhdf5') end)
  return
end

local steps = torch.range(0, 11):view(3, 4)
local z = torch.complex(steps - 3, torch.cmul(steps, steps) * -1 + 0.5)

local function assertEqual(expected, actual)
  assert.equal(expected:type(), actual:type())
  assert.same(expected:size():totable(), actual:size():totable())
  assert.is_true(expected:nElement() == 0 or expected:equal(actual))
end

describe('complex numbers of h5py', function()
  local file
  setup(function() file = hdf5.open('spec/hdf5/complex.h5', 'r') end)
  teardown(function() file:close() end)
  local function all(path) return file:read(path):all() end

  it('are complex tensors and numbers', function()
    assertEqual(z, all 'doubles')
    assertEqual(z:complexfloat(), all 'floats')
    assertEqual(z, all 'turned')
    assert.equal(2 - 3i, all 'one')
    assertEqual(torch.ComplexDoubleTensor():resize(0, 2), all 'none')
    assertEqual(z[1]:narrow(1, 1, 3):clone(), all 'matlab')
    assertEqual(z, file:all().doubles)
  end)

  it('are read in parts', function()
    assertEqual(z:narrow(1, 2, 2):narrow(2, 2, 3):complexfloat(), file:read('floats'):partial({ 2, 3 }, { 2, 4 }))
    assertEqual(z:narrow(1, 3, 1):narrow(2, 4, 1):clone(), file:read('turned'):partial(3, 4))
    assertEqual(z[1]:narrow(1, 2, 2):clone(), file:read('matlab'):partial { 2, 3 })
    local factory = file:read('floats'):getTensorFactory()
    assert.equal('torch.ComplexFloatTensor', factory(2):type())
  end)

  it('are attributes, and members of records', function()
    local set = file:read 'doubles'
    assert.equal(1 - 2i, set:attribute 'one')
    assertEqual(z[3]:complexfloat(), set:attribute 'row')
    assert.equal(1 - 2i, set:attributes().one)
    local records = all 'records'
    assert.same({ 1, 2 }, records.n:totable())
    assertEqual(z[2]:narrow(1, 1, 2):complexfloat(), records.wave)
    assertEqual(z:narrow(1, 1, 2):narrow(2, 3, 2):clone(), records.pair)
    assert.equal('torch.IntTensor', all('integers').r:type())      -- a record of integers stays one
  end)
end)

describe('complex numbers in files', function()
  local name
  before_each(function() name = os.tmpname() end)
  after_each(function() os.remove(name) end)

  it('return as they were, and are records of r and i', function()
    local file = hdf5.open(name, 'w')
    local packed = hdf5.DataSetOptions():setChunked(2, 4):setShuffle():setDeflate(3)
    local none = torch.ComplexFloatTensor():resize(0, 3)
    file:write('group', { doubles = z, turned = z:t(), floats = z:complexfloat(), one = 1.5 - 2i, none = none })
    file:write('packed', z, packed)
    file:write('lists', { z[1], z[2]:narrow(1, 2, 2) })
    file:read('packed'):setAttribute('one', -1i):setAttribute('row', z[1]):setAttribute('one', 2i)
    file:append('packed', z:complexfloat())
    file:close()
    file = hdf5.open(name, 'r')
    local group = file:read('group'):all()
    assertEqual(z, group.doubles)
    assertEqual(z:t():clone(), group.turned)
    assertEqual(z:complexfloat(), group.floats)
    assert.equal(1.5 - 2i, group.one)
    assertEqual(none, group.none)
    assertEqual(torch.cat(z, z, 1), file:read('packed'):all())
    assertEqual(z[2]:narrow(1, 2, 2):clone(), file:read('lists'):all()[2])
    assert.equal(2i, file:read('packed'):attribute 'one')
    assertEqual(z[1], file:read('packed'):attribute 'row')
    assert.same({ 'r', 'i' }, file:read('packed'):fields())
    file:close()
  end)

  it('are appended under the names of the parts that the dataset has', function()
    files.write(name, files.read 'spec/hdf5/complex.h5')
    local file = hdf5.open(name, 'r+')
    file:append('matlab', z[2])
    file:append('floats', z)
    assertEqual(torch.cat(z[1]:narrow(1, 1, 3), z[2], 1), file:read('matlab'):all())
    assertEqual(torch.cat(z, z, 1):complexfloat(), file:read('floats'):all())
    file:write('real', torch.ones(2, 4), hdf5.DataSetOptions():setChunked(2, 4))
    assert.error_matches(function() file:append('real', z) end, 'elements: complex numbers, expected those of the dataset')
    assert.error_matches(function() file:append('floats', torch.ones(1, 4)) end, 'Error extending data floats')
    assert.same({ 2, 4 }, file:read('real'):dataspaceSize())
    assert.same({ 6, 4 }, file:read('floats'):dataspaceSize())
    file:close()
  end)
end)
