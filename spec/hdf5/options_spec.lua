-- Chunks and filters of datasets: what h5dump says of them, data that comes back, growth, and damage.
local torch = require 'torch'
local there, hdf5 = pcall(require, 'hdf5')
local files = require 'spec.support.files'
local assertClose = require('spec.support.close').within { sameType = true }

if not there or not pcall(function() hdf5.open('spec/hdf5/h5py.h5', 'r'):close() end) then
  describe('hdf5', function() pending('needs libhdf5') end)
  return
end

local hasDump = os.execute 'command -v h5dump >/dev/null' == 0

describe('hdf5.DataSetOptions', function()
  local name
  before_each(function() name = os.tmpname() end)
  after_each(function() os.remove(name) end)

  local function options() return hdf5.DataSetOptions() end

  -- Writes a tensor, compares it with what comes back, and returns the layout that h5dump shows, or nil without h5dump.
  local function layoutOf(x, how)
    local file = hdf5.open(name, 'w')
    file:write('x', x, how)
    file:close()
    file = hdf5.open(name, 'r')
    local back, grows = file:read('x'):all { widen = 'exact' }, file:read('x'):canGrow()
    file:close()
    assertClose(x, back)
    if not hasDump then return nil, grows end
    local pipe = io.popen(('h5dump -p -H -d x %s 2>&1'):format(name))
    local text = pipe:read '*a'
    pipe:close()
    return text, grows
  end

  local function assertLayout(pattern, grows, x, how)
    local text, canGrow = layoutOf(x, how)
    assert.equal(grows, canGrow)
    if text then assert.matches(pattern, text) end
  end

  it('choose whole rows of about 2^17 elements without setChunked', function()
    assertLayout('CONTIGUOUS', false, torch.ones(4, 3))
    assertLayout('CHUNKED %( 4, 3 %)', true, torch.ones(4, 3), options():setDeflate())
    assertLayout('CHUNKED %( 131072 %)', true, torch.zeros(200000):byte(), options():setDeflate())
    assertLayout('CHUNKED %( 131, 1000 %)', true, torch.zeros(150, 1000):byte(), options():setDeflate())
    assertLayout('CHUNKED %( 13, 100, 100 %)', true, torch.zeros(15, 100, 100):byte(), options():setShuffle())
    assertLayout('CHUNKED %( 1, 200000 %)', true, torch.zeros(3, 200000):byte(), options():setDeflate())
  end)

  it('take sizes of chunks, which the data limit', function()
    assertLayout('CHUNKED %( 2, 3 %)', true, torch.rand(5, 7), options():setChunked(2, 3))
    assertLayout('CHUNKED %( 5, 7 %)', true, torch.rand(5, 7), options():setChunked(64, 64))
    assertLayout('CHUNKED %( 1, 1 %)', true, torch.rand(5, 7), options():setChunked(1, 1))
    assert.equal('[DataSetOptions: chunking=2x3]', tostring(options():setChunked(2, 3)))
    assert.equal('[DataSetOptions: chunking=none]', tostring(options()))
    local file = hdf5.open(name, 'w')
    assert.error_matches(function() file:write('x', torch.ones(2, 2), options():setChunked(2)) end,
      'Chunk size must have same number of dimensions as data! Chunk size has 1 dimensions; data has 2')
    file:close()
  end)

  it('take filters', function()
    assertLayout('COMPRESSION DEFLATE { LEVEL 6 }', true, torch.rand(5, 7), options():setDeflate())
    assertLayout('COMPRESSION DEFLATE { LEVEL 0 }', true, torch.rand(5, 7), options():setDeflate(0))
    assertLayout('PREPROCESSING SHUFFLE.*COMPRESSION DEFLATE { LEVEL 9 }', true, torch.rand(5, 7), options():setShuffle():setDeflate(9))
    assertLayout('FILTERS {%s*NONE', true, torch.rand(5, 7), options():setChunked(2, 2))
  end)

  it('are checked', function()
    assert.error_matches(function() options():setChunked() end, 'DataSetOptions:setChunked: sizes: none, expected one for each dimension')
    assert.error_matches(function() options():setChunked(2, 0) end,
      'DataSetOptions:setChunked: size 2: 0, expected a whole number from 1 to 4294967295')
    assert.error_matches(function() options():setChunked(2 ^ 32) end,
      'DataSetOptions:setChunked: size 1: 4294967296, expected a whole number from 1 to 4294967295')
    for _, level in ipairs { -1, 10, 1.5 } do
      assert.error_matches(function() options():setDeflate(level) end,
        'DataSetOptions:setDeflate: level: %-?[%d.]+, expected a whole number from 0 to 9')
    end
  end)

  it('let datasets grow, of several dimensions too', function()
    local file = hdf5.open(name, 'w')
    file:write('x', torch.range(1, 6):view(2, 3), options():setDeflate())
    file:append('x', torch.range(7, 9):view(1, 3))
    assertClose(torch.range(1, 9):view(3, 3), file:read('x'):all())
    assert.same({ 3, 3 }, file:read('x'):dataspaceSize())
    assert.error_matches(function() file:append('x', torch.ones(1, 2)) end, 'sizes: 1x2, expected all but the first to be those of 3x3$')
    assert.error_matches(function() file:append('x', torch.ones(3)) end, 'sizes: 3, expected all but the first to be those of 3x3$')
    assertClose(torch.range(1, 9):view(3, 3), file:read('x'):all())
    file:close()
  end)

  it('damage in a compressed chunk is not a missing filter', function()
    local file = hdf5.open(name, 'w')
    file:write('x', torch.range(1, 1000), options():setDeflate())
    file:close()
    local text = files.read(name)
    local at = text:find('\120[\1\94\156\218]', 1)      -- the start of a stream of zlib
    while at and not text:sub(at + 2, at + 60):find '[\128-\255]' do at = text:find('\120[\1\94\156\218]', at + 1) end
    files.write(name, text:sub(1, at + 10) .. ('\255'):rep(60) .. text:sub(at + 71))
    file = hdf5.open(name, 'r')
    local good, problem = pcall(function() return file:read('x'):all() end)
    file:close()
    assert.is_false(good)
    assert.matches('failed reading data from', problem)
    assert.is_nil(problem:find('it is packed by the filter', 1, true))
  end)
end)

describe('hdf5', function()
  it('is a global variable, as in Torch7', function() assert.equal(hdf5, rawget(_G, 'hdf5')) end)

  it('writes only tables to a group itself', function()
    local name = os.tmpname()
    local file = hdf5.open(name, 'w')
    for _, value in ipairs { 3, 'text', torch.ones(2) } do
      assert.error_matches(function() file:read('/'):write({}, value) end,
        'HDF5Group:write%(%) %- must provide a table when writing to the group itself')
      assert.error_matches(function() file:write('/', value) end,
        'HDF5File:write%(%) %- must provide a table when writing to the root location')
    end
    assert.same({}, file:names())
    file:write('/', { a = 1 })
    assert.same({ 'a' }, file:names())
    file:close()
    os.remove(name)
  end)
end)

describe('hdf5.open', function()
  it('takes ~/ as the folder of the user', function()
    local home = os.getenv 'HOME'
    if not home then return pending 'needs HOME' end
    assert.error_matches(function() hdf5.open('~/no such folder here/x.h5', 'r') end, 'no such directory ' .. home:gsub('%p', '%%%0') ..
      '/no such folder here')
    assert.error_matches(function() hdf5.open('~x/no such folder here/x.h5', 'r') end, 'no such directory .*~x/no such folder here')
  end)
end)
