-- Files of other machines and programs: byte orders, text, GPU tensors, modules of cudnn and cunn, unknown classes.
local torch, C = require 'torch', require 'libmoontorch'
local files = require 'spec.support.files'
local paths = require 'paths'
local program = require 'spec.support.program'
local nn = require 'nn'

local name
local function writeAll(text) files.write(name, text) end

-- Returns the log of f: without a host's hook it is written to the standard error.
local function errorsOf(f)
  local log, written = C.log, {}
  C.log = function(text) written[#written + 1] = text end
  local good, message = pcall(f)
  C.log = log
  assert(good, message)
  return written
end

-- Bytes of an object under other names of classes.
local function renamed(object, names)
  local file = torch.MemoryFile()
  file:writeObject(object)
  local text = file:storage():string():sub(1, -2)
  for from, to in pairs(names) do text = text:gsub(('%d\n%s\n'):format(#from, from), ('%d\n%s\n'):format(#to, to)) end
  return text
end

describe('torch.load', function()
  before_each(function() name = paths.tmpname() end)

  it('tells byte orders, sizes of longs and text apart', function()
    local object = { torch.FloatTensor { { 1, 2.5 }, { -3, 4 } }, torch.LongTensor { 2 ^ 40 }, torch.ByteTensor { 7 }, 'text', 0.1, true }
    local short = { object[1], torch.IntTensor(), 'text' }
    for _, order in ipairs { 'littleEndianEncoding', 'bigEndianEncoding' } do
      for size, value in pairs { [8] = object, [4] = short } do
        local file = torch.DiskFile(name, 'w'):binary():longSize(size)
        file[order](file):writeObject(value):close()
        assert.equal(torch.serialize(value), torch.serialize(torch.load(name)))
      end
    end
    torch.save(name, object, 'ascii')
    assert.equal(torch.serialize(object), torch.serialize(torch.load(name)))
    assert.error_matches(function() torch.load(name, 'binary') end, 'expected a type tag')
  end)

  it('reads the oldest files, which have no versions', function()
    writeAll('4\n1\n17\ntorch.FloatTensor\n1\n2\n1\n1\n4\n2\n18\ntorch.FloatStorage\n2\n1 2.5\n')
    assert.same({ 1, 2.5 }, torch.load(name, 'ascii'):totable())
    writeAll('4\n1\n12\ntorch.Tensor\n1\n2\n1\n1\n4\n2\n13\ntorch.Storage\n2\n1 2.5\n')
    assert.equal('torch.DoubleTensor', torch.type(torch.load(name)))
  end)

  it('reads what a compiler for Windows prints for numbers that are none', function()
    writeAll('4\n1\n3\nV 1\n18\ntorch.FloatStorage\n3\n1.#INF -1.#INF -1.#IND\n')
    local values = torch.load(name, 'ascii'):totable()
    assert.same({ math.huge, -math.huge }, { values[1], values[2] })
    assert.is_true(values[3] ~= values[3])
  end)

  it('makes CPU tensors of those of a GPU, and says so once', function()
    local names = { Cuda = 'Float', CudaDouble = 'Double', CudaLong = 'Long', CudaByte = 'Byte', CudaHalf = 'Half', CudaInt = 'Int' }
    local warnings = errorsOf(function()
      for gpu, cpu in pairs(names) do
        local x = torch[cpu .. 'Tensor'] { { 1, 2 }, { 3, 4 } }:t()
        writeAll(renamed({ x, x }, { ['torch.' .. cpu .. 'Tensor'] = 'torch.' .. gpu .. 'Tensor',
                                     ['torch.' .. cpu .. 'Storage'] = 'torch.' .. gpu .. 'Storage' }))
        assert.equal(torch.serialize { x, x }, torch.serialize(torch.load(name, 'ascii')))
      end
    end)
    assert.equal(1, #warnings)
    assert.matches('^tensors of a GPU become CPU tensors: a torch.Cuda%a* is a torch%.%a+ here$', warnings[1])
  end)

  it("makes nn's modules of those of cudnn and cunn", function()
    local net = nn.Sequential():add(nn.Linear(3, 2)):add(nn.ReLU()):add(nn.Tanh()):float()
    local x = torch.FloatTensor { { 1, -2, 3 } }
    local expected = net:forward(x):clone()
    net.modules[2].threshold, net.modules[2].val = nil, nil
    for _, module in ipairs { net, unpack(net.modules) } do module._type = 'torch.CudaTensor' end
    writeAll(renamed(net, { ['nn.ReLU'] = 'cudnn.ReLU', ['nn.Tanh'] = 'cunn.Tanh', ['torch.FloatTensor'] = 'torch.CudaTensor',
                            ['torch.FloatStorage'] = 'torch.CudaStorage' }))
    local back
    errorsOf(function() back = torch.load(name, 'ascii') end)
    assert.equal('nn.ReLU', torch.type(back:get(2)))
    assert.equal('nn.Tanh', torch.type(back:get(3)))
    assert.same({ 0, 0 }, { back:get(2).threshold, back:get(2).val })
    assert.equal('torch.FloatTensor', back:get(1):type())
    assert.same(expected:totable(), back:forward(x):totable())
  end)

  it('computes convolutions in groups, which cudnn has', function()
    local own = nn.SpatialConvolution(4, 6, 3, 3, 1, 1, 1, 1)
    own.groups, own.weight, own.gradWeight = 2, torch.randn(6, 2, 3, 3), torch.zeros(6, 2, 3, 3)
    writeAll(renamed(own, { ['nn.SpatialConvolution'] = 'cudnn.SpatialConvolution' }))
    local back = torch.load(name)
    local expected = nn.Conv2d(4, 6, 3, { padding = 1, groups = 2 })
    expected.weight:copy(own.weight)
    expected.bias:copy(own.bias)
    local x, gradOutput = torch.randn(2, 4, 5, 5), torch.randn(2, 6, 5, 5)
    assert.is_true((back:forward(x) - expected:forward(x)):abs():max() < 1e-12)
    expected:zeroGradParameters()
    back:zeroGradParameters()
    assert.is_true((back:backward(x, gradOutput) - expected:backward(x, gradOutput)):abs():max() < 1e-12)
    assert.is_true((back.gradWeight - expected.gradWeight):abs():max() < 1e-12)
  end)

  it('gives modules the fields that cudnn leaves out', function()
    local x = torch.range(1, 16):resize(1, 1, 4, 4)
    for mode, counts in pairs { CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING = true, CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING = false } do
      local pool = nn.SpatialAveragePooling(3, 3, 2, 2, 1, 1)
      pool.count_include_pad = counts
      local expected = pool:forward(x):clone()
      pool.divide, pool.count_include_pad, pool.mode = nil, nil, mode
      writeAll(renamed(pool, { ['nn.SpatialAveragePooling'] = 'cudnn.SpatialAveragePooling' }))
      assert.same(expected:totable(), torch.load(name):forward(x):totable())
    end
  end)

  it('gives them to pooling of volumes, too, and keeps the fields that a file has', function()
    local x = torch.range(1, 64):resize(1, 1, 4, 4, 4)
    local pool = nn.VolumetricAveragePooling(3, 3, 3, 2, 2, 2, 1, 1, 1)
    pool.count_include_pad = false
    local expected = pool:forward(x):clone()
    pool.divide, pool.count_include_pad, pool.mode = nil, nil, 'CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING'
    writeAll(renamed(pool, { ['nn.VolumetricAveragePooling'] = 'cudnn.VolumetricAveragePooling' }))
    local back = torch.load(name)
    assert.same(expected:totable(), back:forward(x):totable())
    assert.is_true(back.divide)

    local plane = nn.SpatialAveragePooling(3, 3, 2, 2, 1, 1)
    plane.divide, plane.count_include_pad = false, false
    writeAll(renamed(plane, { ['nn.SpatialAveragePooling'] = 'cudnn.SpatialAveragePooling' }))
    back = torch.load(name)
    assert.same({ false, false }, { back.divide, back.count_include_pad })
  end)

  it('keeps modules of cudnn that nn lacks as tables of their fields', function()
    writeAll(renamed(nn.Tanh(), { ['nn.Tanh'] = 'cudnn.NoSuchModule' }))
    local back
    local warnings = errorsOf(function() back = torch.load(name) end)
    assert.equal('cudnn.NoSuchModule', torch.typename(back))
    assert.matches('^unknown Torch class <cudnn.NoSuchModule>', warnings[1])
  end)

  it('keeps an object of an unknown class as a table of its fields, which is saved unchanged', function()
    local text = '3\n1\n3\n1\n1\n4\n2\n3\nV 7\n5\nfoo.Q\n3\n3\n1\n2\n1\na\n1\n5\n1\n2\n4\n2\n1\n3\n4\n4\n5\nfoo.R\n3\n5\n0\n'
    writeAll(text)
    local back
    local warnings = errorsOf(function()
      back = torch.load(name)
      torch.load(name)
    end)
    table.sort(warnings)
    assert.equal(2, #warnings)
    assert.matches('^unknown Torch class <foo.Q>', warnings[1])
    assert.equal('foo.Q', torch.typename(back[1]))
    assert.equal('foo.R', torch.type(back[3]))
    assert.is_true(torch.isTypeOf(back[1], 'foo.Q'))
    assert.equal(5, back[1].a)
    assert.equal(back[1], back[2])
    assert.is_nil(back[1].forward)
    assert.equal(7, torch.version(back[1]))
    assert.equal('foo.Q (unknown class)', tostring(back[1]))
    assert.equal((text:gsub('5\nfoo.R', '3\nV 0\n5\nfoo.R')), torch.serialize(back, 'ascii'))
    assert.is_nil(torch.factory('foo.Q'))
    local foo = {}
    rawset(_G, 'foo', foo)
    torch.class('foo.Q')      -- the name is still free
    assert.equal(foo.Q.__index, getmetatable(torch.load(name)[1]).__index)
    assert.equal('foo.Q', torch.type(torch.deserialize(torch.serialize(back[1]))))
  end)

  it('says what an unknown class needs when it wrote something else', function()
    writeAll('4\n1\n3\nV 1\n5\nfoo.S\n1\n5\n')
    errorsOf(function()
      assert.error_matches(function() torch.load(name) end, 'at byte 19: expected a table with the fields of foo.S, read number')
    end)
    writeAll('4\n1\n3\nV 1\n14\ntorch.DiskFile\n3\n2\n0\n')
    assert.error_matches(function() torch.load(name) end, 'at byte 5: expected a class whose objects can be in files, read torch.DiskFile')
    writeAll('4\n1\n3\nV 1\n5\nfo\1.S\n')
    assert.error_matches(function() torch.load(name) end, 'at byte 5: expected a class name, read "fo\\1.S"')
  end)
end)

describe('functions in files', function()
  before_each(function() name = paths.tmpname() end)

  it('are loaded under th --functions', function()
    torch.save(name, function() return 'ran' end)
    local statement = ('io.write(torch.load(%q)(), torch.DiskFile(%q):binary():readObject()())'):format(name, name)
    assert.equal('ranran', (program.run { '--functions', '-e', statement }))
    local _, _, errors = program.run { '-e', statement }
    assert.matches('expected no function, .*to allow it: .* th %-%-functions%), read a function', errors)
  end)
end)

describe('a quiet file', function()
  it('gives nil for an object that is damaged or missing', function()
    local file = torch.MemoryFile():quiet()
    assert.is_nil(file:readObject())
    assert.is_true(file:hasError())
  end)
end)
