-- torch.memmap and torch.npy.openMemmap: files as tensors, in NumPy's modes. Files are known bytes.
local torch = require 'torch'
local ffi = require 'ffi'
local files = require 'spec.support.files'

local function collect() for _ = 1, 4 do collectgarbage() end end
local function withoutPlace(text) return (tostring(text):gsub('^[^ ]*:%d+: ', '')) end

-- A file of int32 numbers 1, 2, ..., n after `head` bytes.
local function numbers(name, n, head)
  local values = ffi.new('int32_t[?]', n)
  for i = 0, n - 1 do values[i] = i + 1 end
  files.write(name, ('h'):rep(head or 0) .. ffi.string(values, 4 * n))
end
local function int32At(name, i)
  local text = files.read(name)
  return ffi.cast('const int32_t *', ffi.cast('const char *', text))[i]
end

describe('torch.memmap', function()
  local name
  before_each(function() name = os.tmpname() end)
  after_each(function() os.remove(name) end)
  local function refused(...)
    local good, message = pcall(torch.memmap, name, ...)
    assert.is_false(good)
    return withoutPlace(message)
  end
  local function expect(words, ...) assert.equal(('torch.memmap: %s'):format(words), refused(...)) end

  it('shows bytes by default, and elements of other types, offsets and sizes', function()
    numbers(name, 6, 8)
    local bytes = torch.memmap(name)
    assert.equal('torch.ByteTensor', bytes:type())
    assert.equal(32, bytes:nElement())
    assert.same({ 104, 104, 1, 0 }, bytes:narrow(1, 7, 4):totable())
    assert.same({ 1, 2, 3, 4, 5, 6 }, torch.memmap(name, { dtype = 'int32', offset = 8 }):totable())
    local x = torch.memmap(name, { dtype = torch.int32, offset = 12, shape = { 2, 2 } })
    assert.same({ { 2, 3 }, { 4, 5 } }, x:totable())
    assert.same({ 6 }, torch.memmap(name, { dtype = 'torch.IntTensor', offset = 28, shape = 1 }):totable())
    x = torch.memmap(name, { dtype = 'int32', offset = 8, shape = torch.LongStorage { 2, 3 }, order = 'F' })
    assert.same({ { 1, 3, 5 }, { 2, 4, 6 } }, x:totable())
    assert.equal(0, torch.memmap(name, { dtype = 'int32', shape = { 0, 3 } }):nElement())
    assert.equal(0, torch.memmap(name, { dtype = 'int32', offset = 32 }):nElement())
  end)

  it('writes to the file in the mode r+, and only to memory in the modes r and c', function()
    numbers(name, 4)
    for _, mode in ipairs { 'r', 'c' } do
      local x = torch.memmap(name, { dtype = 'int32', mode = mode })
      x:fill(9)
      assert.equal(36, x:sum())
      x:flush()
      assert.equal(1, int32At(name, 0))
    end
    local x, other = torch.memmap(name, { dtype = 'int32' }), torch.memmap(name, { dtype = 'int32', mode = 'r' })
    x[2] = 20
    assert.equal(20, other[2])
    assert.is_true(rawequal(x, x:flush()))
    assert.equal(20, int32At(name, 1))
    x:narrow(1, 3, 2):fill(7):flush()      -- of a view
    x, other = nil, nil
    collect()
    assert.is_nil(x or other)
    assert.same({ 1, 20, 7, 7 }, torch.memmap(name, { dtype = 'int32' }):totable())
  end)

  it('reads a file that may only be read', function()
    numbers(name, 2)
    os.execute('chmod 444 ' .. name)
    assert.same({ 1, 2 }, torch.memmap(name, { dtype = 'int32', mode = 'r' }):totable())
  end)

  it('creates files of zeros in the mode w+', function()
    local x = torch.memmap(name, { dtype = 'complex64', mode = 'w+', shape = { 3, 2 }, offset = 16 })
    assert.equal('torch.ComplexFloatTensor', x:type())
    assert.equal(0, torch.abs(x):sum())
    x[1][2] = torch.complex(torch.FloatTensor { 1 }, torch.FloatTensor { -2 })
    x:flush()
    local text = files.read(name)
    assert.equal(16 + 48, #text)
    assert.equal(ffi.string(ffi.new('float[2]', 1, -2), 8), text:sub(25, 32))
    local again = torch.memmap(name, { dtype = 'complex64', mode = 'r', offset = 16, shape = { 3, 2 } })
    assert.equal(1, torch.real(again)[1][2])
    -- A new file takes the place of the former one, whose tensors keep their elements.
    local new = torch.memmap(name, { dtype = 'uint8', mode = 'w+', shape = 3 })
    assert.equal(1, torch.real(x)[1][2])
    assert.same({ 0, 0, 0 }, new:totable())
    assert.equal(3, #files.read(name))
  end)

  it('has tensors of every type', function()
    for _, info in ipairs(require('libmoontorch').dtypes) do
      local x = torch.memmap(name, { dtype = info.name, mode = 'w+', shape = 5 })
      assert.equal('torch.' .. info.torch .. 'Tensor', x:type())
      x:fill(1)
      local y = torch.memmap(name, { dtype = info.name, mode = 'r' })
      assert.is_true(torch.equal(x, y))
      assert.equal(5 * info.size, #files.read(name))
    end
  end)

  it('checks booleans', function()
    files.write(name, '\0\1\2\255')
    assert.same({ 0, 1, 1, 1 }, torch.memmap(name, { dtype = 'bool', mode = 'r' }):totable())
    assert.equal('\0\1\2\255', files.read(name))
    expect(name .. ': a boolean of byte 255, expected 0 or 1', { dtype = 'bool' })
  end)

  it('refuses files that are missing, too short or no files', function()
    files.write(name, ('x'):rep(10))
    expect(name .. ': 10 bytes, expected 12', { dtype = 'int32', shape = 3 })
    expect(name .. ': 10 bytes, expected 12', { dtype = 'int32', shape = 3, mode = 'r' })
    expect(name .. ': 10 bytes, expected elements of 4 bytes from byte 0 on', { dtype = 'int32' })
    expect(name .. ': 10 bytes, expected elements of 4 bytes from byte 12 on', { dtype = 'int32', offset = 12 })
    assert.equal(10, #files.read(name))
    expect('offset: 2, expected a multiple of the 4 bytes of an element', { dtype = 'int32', offset = 2 })
    os.remove(name)
    expect(name .. ': No such file or directory, expected a file that can be mapped', {})
    expect(name .. ': No such file or directory, expected a file that can be mapped', { mode = 'r' })
    assert.is_nil(io.open(name))
    for _, other in ipairs { '/', '/dev/zero' } do
      local good, message = pcall(torch.memmap, other, { mode = 'r', shape = 5 })
      assert.is_false(good)
      assert.equal(('torch.memmap: %s: something else, expected a regular file'):format(other), withoutPlace(message))
    end
    os.execute('mkfifo ' .. name)      -- nobody writes to it
    expect(name .. ': something else, expected a regular file', { mode = 'r' })
  end)

  it('reports invalid options', function()
    files.write(name, '12345678')
    expect("mode: 'w', expected one of 'r', 'c', 'r+', 'w+'", { mode = 'w' })
    expect('shape: nil, expected the sizes of a new file', { mode = 'w+' })
    assert.equal('12345678', files.read(name))
    expect("dtype: 'word', expected the name of a tensor type", { dtype = 'word' })
    expect('shape: -1, expected a whole number, 0 or more', { shape = { 2, -1 } })
    expect('shape: more than 2^53 elements', { shape = { 2 ^ 30, 2 ^ 30 } })
    expect('shape: more than 2^53 elements', { shape = { 2 ^ 53 + 2 } })
    expect('shape: more than 2^53 elements', { shape = { 2 ^ 1000, 2 ^ 1000, 0 } })
    expect('shape: string, expected a list of sizes', { shape = '3' })
    expect('offset: 0.5, expected a whole number, 0 or more', { offset = 0.5 })
    expect('offset: 4.61169e+18 bytes, expected at most 2^53', { offset = 2 ^ 62, shape = { 1 } })
    expect('shape: 1.80144e+16 bytes, expected at most 2^53', { dtype = 'float64', shape = { 2 ^ 51 + 1 } })
    expect("order: 'A', expected one of 'C', 'F'", { order = 'A' })
    expect('options: size, expected one of dtype, mode, offset, shape, order', { size = 3 })
    assert.equal('torch.memmap: name: nil, expected a string', withoutPlace(select(2, pcall(torch.memmap))))
    assert.equal('flush: self: its elements are in memory, expected those of a file, as from torch.memmap',
      withoutPlace(select(2, pcall(function() torch.ones(2):flush() end))))
    assert.error_matches(function() torch.memmap(name):resize(100) end, "can't grow")
  end)

  -- A sparse file, of which only a few blocks are on the disk.
  it('shows a file that is larger than the memory', function()
    local count = 5e9      -- doubles: 40 GB
    local file = io.open(name, 'w')
    local placed = file:seek('set', 8 * count - 8) == 8 * count - 8
    local written = placed and file:write(ffi.string(ffi.new('double[1]', 7), 8)) and file:close()
    if not written then return pending 'the file system refuses a sparse file of 40 GB' end
    for _, mode in ipairs { 'r', 'c', 'r+' } do
      local x = torch.memmap(name, { dtype = 'float64', mode = mode, shape = { 5, count / 5 } })
      assert.equal(count, x:nElement())
      assert.equal(7, x[5][count / 5])
      assert.equal(7, x:narrow(2, count / 5 - 1e6 + 1, 1e6):sum())
      x:select(1, 3):narrow(1, 5e8, 1000):fill(2)
      assert.equal(2000, x[3]:narrow(1, 5e8 - 10, 2000):sum())
      assert.equal(2, x:view(-1)[2 * count / 5 + 5e8])
      x:narrow(2, count / 10, 1):fill(1)      -- an element in each row
      assert.equal(5, x[{ {}, { count / 10 } }]:sum())
    end
    local offset = 8 * (2 * count / 5 + 5e8)
    local x = torch.memmap(name, { dtype = 'complex128', mode = 'r', offset = offset, shape = 2 })
    assert.equal(2, torch.imag(x)[1])      -- what the mode r+ wrote
  end)
end)

describe('torch.npy.openMemmap', function()
  local name
  before_each(function() name = os.tmpname() end)
  after_each(function() os.remove(name) end)

  it('maps files that torch.npy.save and NumPy write', function()
    for _, info in ipairs(require('libmoontorch').dtypes) do
      local x = torch.ones(2, 3):type('torch.' .. info.torch .. 'Tensor')
      torch.npy.save(name, x)
      for _, mode in ipairs { 'r', 'c', 'r+' } do
        local y = torch.npy.openMemmap(name, { mode = mode })
        assert.is_true(torch.equal(x, y))
        assert.equal(x:type(), y:type())
        assert.is_true(torch.equal(x, torch.npy.load(name, { mmapMode = mode })))
      end
    end
    -- numpy.save of numpy.asfortranarray(numpy.arange(6, dtype='<i2').reshape(2, 3)): the header is padded to 128 bytes
    local header = "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }"
    files.write(name, '\147NUMPY\1\0\118\0' .. header .. (' '):rep(117 - #header) .. '\n' .. '\0\0\3\0\1\0\4\0\2\0\5\0')
    local x = torch.npy.load(name, { mmapMode = 'r+' })
    assert.same({ { 0, 1, 2 }, { 3, 4, 5 } }, x:totable())
    x[1][2] = 10
    x:flush()
    assert.same({ { 0, 10, 2 }, { 3, 4, 5 } }, torch.npy.load(name):totable())
  end)

  it('creates files that torch.npy.load reads', function()
    local x = torch.npy.openMemmap(name, { mode = 'w+', dtype = 'float32', shape = { 2, 3 } })
    x:copy(torch.range(1, 6))
    x:flush()
    assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, torch.npy.load(name):totable())
    x = torch.npy.openMemmap(name, { mode = 'w+', shape = { 2, 3 }, fortranOrder = true })
    assert.same({ 1, 2 }, x:stride():totable())
    x[1][3] = 5
    x:flush()
    local y = torch.npy.load(name)
    assert.same({ { 0, 0, 5 }, { 0, 0, 0 } }, y:totable())
    assert.equal('torch.DoubleTensor', y:type())
    torch.npy.openMemmap(name, { mode = 'w+', dtype = 'int8', shape = {} }):fill(3)
    assert.same({ 3 }, torch.npy.load(name):totable())
  end)

  it('withstands changed bytes', function()
    torch.npy.save(name, torch.ones(3, 4))
    local whole, mapped = files.read(name), 0
    for _ = 1, 500 do
      local text = whole
      for _ = 1, torch.random(3) do
        local at = torch.random(100)
        local byte = torch.random(2) == 1 and torch.random(48, 57) or torch.random(32, 126)
        text = text:sub(1, at - 1) .. string.char(byte) .. text:sub(at + 1)
      end
      files.write(name, text)
      local good, x = pcall(torch.npy.load, name, { mmapMode = 'c' })
      if good then
        mapped = mapped + 1
        assert.is_true(x:clone():nElement() * x:elementSize() <= 96)
      else
        assert.equal('torch.npy.load: ', withoutPlace(x):sub(1, 16))
      end
    end
    assert.is_true(mapped > 0 and mapped < 500)
  end)

  it('refuses files that are cut off or can not be mapped', function()
    torch.npy.save(name, torch.range(1, 100))
    local whole = files.read(name)
    for _, length in ipairs { #whole - 1, #whole - 800, 100, 9, 3, 0 } do
      files.write(name, whole:sub(1, length))
      for _, mode in ipairs { 'r', 'r+' } do
        local good, message = pcall(torch.npy.openMemmap, name, { mode = mode })
        assert.is_false(good)
        assert.equal(('torch.npy.openMemmap: %s: '):format(name), withoutPlace(message):sub(1, 24 + #name))
        assert.is_nil(message:find '\n')
      end
    end
    files.write(name, (whole:gsub('<f8', '>f8')))
    local message = withoutPlace(select(2, pcall(torch.npy.load, name, { mmapMode = 'r' })))
    assert.is_truthy(message:find("expected this processor's order of bytes, read the other one", 1, true), message)
    files.write(name, (whole:gsub('<f8', '<U2')))
    message = withoutPlace(select(2, pcall(torch.npy.load, name, { mmapMode = 'r' })))
    assert.is_truthy(message:find('expected numbers, which can be mapped, read texts', 1, true), message)
    files.write(name, whole)
    assert.equal("torch.npy.load: mmapMode: 'w+', expected one of 'r', 'c', 'r+'",
      withoutPlace(select(2, pcall(torch.npy.load, name, { mmapMode = 'w+' }))))
    assert.equal('torch.npy.openMemmap: options: dtype, shape or fortranOrder, expected none of them for a file that has its own',
      withoutPlace(select(2, pcall(torch.npy.openMemmap, name, { dtype = 'int8' }))))
    assert.equal(whole, files.read(name))
  end)
end)
