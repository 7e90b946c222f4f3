-- Tensors and storages in t7 files: Torch7's layout, sharing, views, old longs, geometry that does not fit.
local torch = require 'torch'
local paths = require 'paths'
local files = require 'spec.support.files'

local function items(object) return (torch.serialize(object, 'ascii'):gsub('\n', '|')) end

local function hex(text) return (text:gsub('.', function(c) return ('%02x'):format(c:byte()) end)) end

local function both(f)
  for _, mode in ipairs { 'binary', 'ascii' } do
    f(function(object) return torch.deserialize(torch.serialize(object, mode), mode) end)
  end
end

local names = {
  'Byte', 'Char', 'Short', 'Int', 'Long', 'Float', 'Double', 'Half', 'BFloat16', 'UInt16', 'UInt32', 'UInt64', 'Float8E4m3', 'Float8E5m2',
}

describe('a tensor in a file', function()
  it('has the layout of Torch7 in ascii', function()
    assert.equal('4|1|3|V 1|18|torch.DoubleTensor|2|2 2|2 1|1|4|2|3|V 1|19|torch.DoubleStorage|4|1 2 3 4.5|',
      items(torch.DoubleTensor { { 1, 2 }, { 3, 4.5 } }))
    assert.equal('4|1|3|V 1|17|torch.FloatTensor|0|1|0|', items(torch.FloatTensor()))
  end)

  it('has the layout of Torch7 in binary', function()
    local expected = '04000000' .. '01000000' .. '03000000' .. hex 'V 1' .. '10000000' .. hex 'torch.ByteTensor'
      .. '01000000' .. '0200000000000000' .. '0100000000000000' .. '0100000000000000'
      .. '04000000' .. '02000000' .. '03000000' .. hex 'V 1' .. '11000000' .. hex 'torch.ByteStorage'
      .. '0200000000000000' .. '07ff'
    assert.equal(expected, hex(torch.serialize(torch.ByteTensor { 7, 255 })))
  end)

  it('keeps type, sizes and elements of every dtype', function()
    both(function(round)
      for _, name in ipairs(names) do
        local x = torch[name .. 'Tensor'] { { 1, 2, 3 }, { 4, 5, 96 } }
        local y = round(x)
        assert.equal('torch.' .. name .. 'Tensor', torch.type(y))
        assert.same(x:totable(), y:totable())
      end
      local mask = torch.BoolTensor(2)
      mask[1], mask[2] = true, false
      assert.same(mask:totable(), round(mask):totable())
    end)
  end)

  it('keeps special numbers and integers beyond 2^53', function()
    both(function(round)
      local x = round(torch.FloatTensor { math.huge, -math.huge, 0 / 0, 1e-40 })
      assert.equal(math.huge, x[1])
      assert.equal(-math.huge, x[2])
      assert.is_true(x[3] ~= x[3])
      local long = torch.LongStorage(1)
      long:data()[0] = 9007199254740993LL
      assert.is_true(round(long):data()[0] == 9007199254740993LL)
      assert.is_true(round(torch.UInt64Tensor(1):fill(-2))[1] == 0xfffffffffffffffeULL)
      local half = round(torch.HalfTensor { 65504, 0.5, -2 })
      assert.same({ 65504, 0.5, -2 }, half:totable())
    end)
  end)

  it('keeps what shares a storage sharing it', function()
    both(function(round)
      local x = torch.FloatTensor { { 1, 2 }, { 3, 4 } }
      local back = round { x, x:t(), x[2], x:storage(), x }
      back[1][2][1] = 30
      assert.equal(30, back[2][1][2])
      assert.equal(30, back[3][1])
      assert.equal(30, back[4][3])
      assert.equal(30, back[5][2][1])
      assert.equal(back[1], back[5])
    end)
  end)

  it('keeps strides, offsets, empty tensors and sizes of zero', function()
    both(function(round)
      local x = torch.FloatTensor { { 1, 2, 3 }, { 4, 5, 6 } }
      local view = round(x:t():narrow(1, 2, 2))
      assert.same({ { 2, 5 }, { 3, 6 } }, view:totable())
      assert.same({ 1, 3 }, view:stride():totable())
      assert.equal(2, view:storageOffset())
      assert.equal(6, view:storage():size())
      assert.equal(0, round(torch.FloatTensor()):dim())
      assert.same({ 0, 3 }, round(torch.FloatTensor(0, 3)):size():totable())
      local expanded = torch.FloatTensor(1, 1)
      expanded:set(expanded:storage(), 1, torch.LongStorage { 1000000, 1000000 }, torch.LongStorage { 0, 0 })
      assert.same({ 1000000, 1000000 }, round(expanded):size():totable())
    end)
  end)

  it('goes through large files in one piece', function()
    local name = paths.tmpname()
    local x = torch.IntTensor(300000)
    local p = x:data()
    for i = 0, 299999 do p[i] = i end
    torch.save(name, { 'before', x, 'after' })
    local back = torch.load(name)
    assert.equal('after', back[3])
    local q, equal = back[2]:data(), true
    for i = 0, 299999 do equal = equal and q[i] == i end
    assert.is_true(equal)
  end)
end)

describe('files of 32-bit machines', function()
  local function save(name, object)
    local file = torch.DiskFile(name, 'w'):binary():longSize(4)
    file:writeObject(object)
    file:close()
  end

  it('are told from the others, or named', function()
    local name = paths.tmpname()
    for _, object in ipairs { torch.FloatTensor { { 1, 2 }, { 3, 4 } }, torch.DoubleTensor(), { torch.ByteStorage { 1, 2, 3 }, 'x' } } do
      save(name, object)
      assert.equal(torch.serialize(object), torch.serialize(torch.load(name)))
      assert.equal(torch.serialize(object), torch.serialize(torch.load(name, 'b32')))
    end
    save(name, torch.FloatTensor { 1, 2, 3 })
    assert.error_matches(function() torch.load(name, 'b64') end, 'torch.load: .*: at byte %d+: expected')
  end)

  it('are not taken for others that lack their end', function()
    local name = paths.tmpname()
    for _, sizes in ipairs { { 6 }, { 2, 3 }, { 2, 3, 4 }, { 1, 2, 1, 2 } } do
      local whole = torch.serialize(torch.FloatTensor(torch.LongStorage(sizes)):fill(1))
      for n = 1, #whole - 1 do
        files.write(name, whole:sub(1, n))
        assert.error_matches(function() torch.load(name) end, 'torch.load: .*: at byte %d+: expected', nil, #sizes .. ' dimensions')
      end
    end
  end)
end)

describe('geometry in a file', function()
  -- A FloatTensor with these sizes, strides and offset over a storage of these elements.
  local function load(sizes, strides, offset, elements)
    local file = torch.MemoryFile():binary()
    file:writeInt(4)
    file:writeInt(100)      -- an index that writeObject does not reach
    for _, text in ipairs { 'V 1', 'torch.FloatTensor' } do
      file:writeInt(#text)
      file:writeString(text)
    end
    file:writeInt(#sizes)
    for _, list in ipairs { sizes, strides, { offset } } do
      for _, value in ipairs(list) do file:writeLong(value) end
    end
    file:writeObject(elements)
    file:seek(1)
    return file:readObject()
  end

  it('has to fit the storage', function()
    local three = torch.FloatStorage { 1, 2, 3 }
    assert.same({ { 1, 2 }, { 2, 3 } }, load({ 2, 2 }, { 1, 1 }, 1, three):totable())
    for _, case in ipairs { { { 4 }, { 1 }, 1 }, { { 2 }, { 3 }, 1 }, { { 3 }, { 1 }, 2 }, { { 2 ^ 40, 2 ^ 40 }, { 1, 1 }, 1 } } do
      assert.error_matches(function() load(case[1], case[2], case[3], three) end, 'expected sizes, strides and offset within 3 elements')
    end
    assert.error_matches(function() load({ -1 }, { 1 }, 1, three) end, 'sizes from 0')
    assert.error_matches(function() load({ 1 }, { -1 }, 1, three) end, 'strides from 0')
    assert.error_matches(function() load({ 1 }, { 1 }, 0, three) end, 'a storage offset, 1 or more')
  end)

  it('needs a storage of its own type', function()
    assert.error_matches(function() load({ 1 }, { 1 }, 1, nil) end, 'expected a torch.FloatStorage, read nil')
    assert.error_matches(function() load({ 1 }, { 1 }, 1, { 1 }) end, 'expected a torch.FloatStorage, read table')
    assert.error_matches(function() load({ 1 }, { 1 }, 1, torch.ByteStorage { 1 }) end, 'read torch.ByteStorage')
  end)
end)

describe('a generator in a file', function()
  it('is the raw bytes of its state, and goes on where it was', function()
    local generator = torch.Generator()
    torch.manualSeed(generator, 5)
    torch.random(generator)
    both(function(round)
      local back = round(generator)
      assert.equal('torch.Generator', torch.type(back))
      assert.same(torch.getRNGState(generator):totable(), torch.getRNGState(back):totable())
    end)
    assert.equal(4 + 4 + 4 + 3 + 4 + 15 + 5048, #torch.serialize(generator))
  end)
end)

describe('files and storages', function()
  it('read and write arrays', function()
    for _, encoding in ipairs { 'binary', 'ascii' } do
      local file = torch.MemoryFile()
      file[encoding](file)
      assert.equal(3, file:writeFloat(torch.FloatStorage { 1, 2.5, 3 }))
      assert.equal(2, file:writeByte(torch.ByteStorage { 65, 10 }))
      file:seek(1)
      assert.same({ 1, 2.5, 3 }, file:readFloat(3):totable())
      local bytes = torch.ByteStorage(2)
      assert.equal(2, file:readByte(bytes))
      assert.same({ 65, 10 }, bytes:totable())
      file:seek(1)
      assert.error_matches(function() file:readDouble(10) end, 'read error: read %d blocks instead of 10')
      file:quiet():seek(1)
      assert.equal(3, file:readFloat(3):size())
      assert.is_true(file:readDouble(10):size() < 10)
      assert.is_true(file:hasError())
    end
  end)

  it('hold a MemoryFile, which ends with NUL and may be opened again', function()
    local file = torch.MemoryFile()
    file:writeObject { 1, 'x' }
    local storage = file:storage()
    assert.equal('torch.CharStorage', torch.type(storage))
    assert.equal(0, storage[storage:size()])
    for _ = 1, 2 do assert.same({ 1, 'x' }, torch.MemoryFile(storage, 'r'):readObject()) end
    assert.error_matches(function() torch.MemoryFile(torch.CharStorage { 65 }, 'r') end, 'must be terminated by 0')
    assert.error_matches(function() torch.MemoryFile(torch.FloatStorage(1)) end, 'expected a torch.CharStorage')
  end)

  it('go on sharing memory with a MemoryFile given to them', function()
    local storage = torch.CharStorage():string('abc\0')
    local file = torch.MemoryFile(storage, 'rw')
    file:writeString('X')
    assert.equal(('X'):byte(), storage[1])
    file:seekEnd():writeString('long enough to make the storage grow')
    assert.equal('Xbclong enough to make the storage grow\0', file:storage():string())
  end)

  it('carry objects without a NUL', function()
    local storage = torch.serializeToStorage { 1, { 2 } }
    assert.equal(#torch.serialize { 1, { 2 } }, storage:size())
    assert.same({ 1, { 2 } }, torch.deserializeFromStorage(storage))
    assert.error_matches(function() torch.deserializeFromStorage('text') end, 'storage: string, expected a torch.CharStorage')
  end)
end)
