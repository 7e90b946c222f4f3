-- torch.DiskFile and torch.MemoryFile: numbers and text in both encodings, positions, error state, byte order, sizes of longs.
local torch = require 'torch'
local files = require 'spec.support.files'
local program = require 'spec.support.program'
local paths = require 'paths'

local kinds = { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Float', 'Double' }

local function eachFile(f)
  local name = paths.tmpname()
  f(function() return torch.DiskFile(name, 'rw') end)
  f(function() return torch.MemoryFile() end)
end

local readAll = files.read

describe('a file', function()
  it('is ascii, spaced, pedantic, referenced and at its first byte when new', function()
    eachFile(function(open)
      local f = open()
      assert.is_false(f:isBinary())
      assert.is_true(f:isAutoSpacing())
      assert.is_false(f:isQuiet())
      assert.is_true(f:isReferenced())
      assert.is_true(f:isReadable())
      assert.is_true(f:isWritable())
      assert.is_false(f:hasError())
      assert.equal(1, f:position())
    end)
  end)

  it('gives back every kind of number', function()
    eachFile(function(open)
      for _, encoding in ipairs { 'binary', 'ascii' } do
        local f = open()
        f[encoding](f)
        for _, kind in ipairs(kinds) do assert.equal(1, f['write' .. kind](f, 100)) end
        f:writeBool(true)
        f:seek(1)
        for _, kind in ipairs(kinds) do assert.equal(100, f['read' .. kind](f)) end
        assert.is_true(f:readBool())
        f:close()
      end
    end)
  end)

  it('keeps every bit of floats and of longs', function()
    eachFile(function(open)
      for _, encoding in ipairs { 'binary', 'ascii' } do
        local f = open()
        f[encoding](f)
        f:writeDouble(0.1)
        f:writeDouble(-math.huge)
        f:writeLong(-9007199254740993LL)
        f:writeFloat(0.1)
        f:seek(1)
        assert.equal(0.1, f:readDouble())
        assert.equal(-math.huge, f:readDouble())
        assert.is_true(f:readLong() == -9007199254740993LL)
        assert.equal(0.10000000149011612, f:readFloat())
        f:close()
      end
    end)
  end)

  it('reads text by the line and to its end', function()
    eachFile(function(open)
      local f = open()
      assert.equal(1, f:writeString(7))     -- numbers are strings to Lua
      f:seek(1)
      assert.equal(11, f:writeString('one\n\nthree!'))
      f:seek(1)
      assert.equal('one', f:readString('*l'))
      assert.equal('', f:readString('*l'))
      assert.equal('three!', f:readString('*l'))
      assert.error_matches(function() f:readString('*l') end, 'read error: read 0 blocks instead of 1')
      f:seek(2)
      assert.equal('ne\n\nthree!', f:readString('*a'))
      assert.error_matches(function() f:readString('*n') end, "format must be '%*a' or '%*l'")
      f:close()
    end)
  end)

  it('takes counts as Lua gives them', function()
    eachFile(function(open)
      local f = open()
      f:writeInt(torch.IntStorage { 5, 6, 7 })
      assert.same({ 5, 6 }, f:seek(1):readInt('2'):totable())
      assert.same({ 5 }, f:seek(1):readInt(1.9):totable())
      assert.same({ 3, 6 }, { f:seek('3.9'):position(), f:readInt() })
      for _, bad in ipairs { 0, -1, 0 / 0, 'x', {} } do
        assert.error_matches(function() f:seek(bad) end, 'position has to be greater than 0!')
      end
      for _, bad in ipairs { -1, 0 / 0, math.huge, 'x', {}, true } do
        assert.error_matches(function() f:readInt(bad) end, 'readInt: n: .*, expected a number of elements or a storage')
      end
      f:close()
    end)
  end)

  it('takes from text as much as a number is, as scanf does', function()
    eachFile(function(open)
      local f = open()
      f:writeString '640x480 10:20 1,2 5-3 1.5e3abc .5.5 7. 1.5 end'
      f:seek(1)
      assert.same({ 640, 120, 480, 10, 58, 20, 1 },
                  { f:readInt(), f:readChar(), f:readInt(), f:readLong(), f:readByte(), f:readShort(), f:readInt() })
      assert.same({ 44, 2, 5, -3, 1500, 'abc' },
                  { f:readChar(), f:readInt(), f:readInt(), f:readInt(), f:readDouble(), f:readChar(3):string() })
      assert.same({ 0.5, 0.5, 7, 1 }, { f:readFloat(), f:readDouble(), f:readFloat(), f:readInt() })
      assert.error_matches(function() f:readInt() end, 'read error: read 0 blocks instead of 1')
      assert.equal('.5 end', f:readString '*a')
      f:close()
    end)
    eachFile(function(open)
      for _, text in ipairs { '3.7 2', '3e2 2', '3,7 2', '3nan2' } do
        for _, kind in ipairs { 'Short', 'Int', 'Long' } do
          local f = open()
          f:writeString(text)
          f:seek(1)
          assert.equal(3, f['read' .. kind](f))
          assert.error_matches(function() f['read' .. kind](f) end, 'read error: read 0 blocks instead of 1')
          assert.equal(text:sub(2), f:readString '*a')
          f:close()
        end
      end
    end)
    local pipe = torch.PipeFile 'echo 10:20 640x480'
    assert.same({ 10, 58, 20, 640 }, { pipe:readInt(), pipe:readChar(), pipe:readInt(), pipe:readInt() })
    pipe:close()
  end)

  it('raises errors, or remembers them when quiet', function()
    eachFile(function(open)
      local f = open():binary()
      assert.error_matches(function() f:readInt() end, 'read error: read 0 blocks instead of 1')
      f:clearError():quiet()
      assert.equal(0, f:readInt())
      assert.is_true(f:hasError())
      assert.is_false(f:clearError():hasError())
      assert.error_matches(function() f:seek(0) end, 'position has to be greater than 0!')
      assert.error_matches(function() f:longSize(5) end, 'Invalid long size specified')
      f:close()
      for _, call in ipairs { 'readInt', 'position', 'close', 'seekEnd', 'synchronize' } do
        assert.error_matches(function() f[call](f) end, 'attempt to use a closed file')
      end
    end)
  end)

  it('overwrites in its middle and goes to its end', function()
    eachFile(function(open)
      local f = open():binary()
      for i = 1, 4 do f:writeInt(i) end
      f:seek(5):writeInt(20)
      assert.equal(9, f:position())
      assert.equal(3, f:readInt())
      f:seekEnd()
      assert.equal(17, f:position())
      f:writeInt(5)
      f:seek(1)
      local values = {}
      for i = 1, 5 do values[i] = f:readInt() end
      assert.same({ 1, 20, 3, 4, 5 }, values)
      f:close()
    end)
  end)

  it('writes longs of 4 bytes on request', function()
    eachFile(function(open)
      local f = open():binary():longSize(4)
      f:writeLong(-2)
      assert.equal(5, f:position())
      f:seek(1)
      assert.equal(-2, f:readLong())
      assert.error_matches(function() f:writeLong(2 ^ 31) end, 'write error: .*: a long that 4 bytes cannot hold')
      f:close()
    end)
  end)

  it('indexes objects over several calls', function()
    eachFile(function(open)
      local f = open():binary()
      local shared = { 'x' }
      f:writeObject(shared):writeObject({ shared })
      f:seek(1)
      local first = f:readObject()
      assert.equal(first, f:readObject()[1])
      f:close()
    end)
  end)

  it('maps objects by a hook while it writes them', function()
    local f = torch.MemoryFile()
    f:writeObject({ 1, { 2 } }, 'name', function(x) return type(x) == 'number' and x * 10 or x end)
    f:seek(1)
    assert.same({ [10] = 10, [20] = { [10] = 20 } }, f:readObject())
  end)

  it('tells the tag an object would get', function()
    local f = torch.MemoryFile()
    assert.equal(1, f:isWritableObject(1))
    assert.equal(3, f:isWritableObject {})
    assert.equal(8, f:isWritableObject(function() end))
    assert.is_nil(f:isWritableObject(math.floor))
    assert.is_nil(f:isWritableObject(f))
  end)

  it('describes itself', function()
    local f = torch.MemoryFile('w')
    assert.equal('torch.MemoryFile [status: open -- mode:  w]', tostring(f))
    assert.error_matches(function() f:readInt() end, 'attempt to read in a write%-only file')
    f:close()
    assert.equal('torch.MemoryFile [status: closed -- mode:  w]', tostring(f))
    local name = paths.tmpname()
    assert.equal(('torch.DiskFile on <%s> [status: open -- mode rw]'):format(name), tostring(torch.DiskFile(name, 'rw')))
    assert.equal('torch.PipeFile on <true> [status: open -- mode: r ]', tostring(torch.PipeFile('true')))
  end)

  it('is userdata, as in Torch7', function()
    local f = torch.MemoryFile()
    assert.equal('userdata', type(f))
    assert.equal(f, f:binary())
    assert.is_true(torch.isTypeOf(f, 'torch.File'))
    assert.is_nil(f.nothing)
    assert.error_matches(function() f.field = 1 end, 'the class torch.MemoryFile cannot be indexed')
    assert.error_matches(function() f.readInt() end, 'torch.File: self: nil, expected a file')
    assert.error_matches(function() f.readInt(torch.Tensor()) end, 'torch.File: self: torch.DoubleTensor, expected a file')
    assert.error_matches(function() torch.serialize { f } end, 'Unwritable object <userdata> at <%?>.1')
  end)

  it('puts errors into the line of its caller', function()
    local f = torch.MemoryFile():binary()
    local _, message = pcall(function()
      local value = f:readInt()
      return value
    end)
    assert.matches('^[^:]*file_spec.lua:%d+: read error', message)
    f:close()
    _, message = pcall(function()
      local value = f:position()
      return value
    end)
    assert.matches('^[^:]*file_spec.lua:%d+: attempt to use a closed file', message)
  end)

  it('of the abstract class cannot be made', function()
    assert.error_matches(function() torch.File() end, 'no constructor available')
  end)
end)

describe('torch.DiskFile', function()
  local name
  before_each(function() name = paths.tmpname() end)

  it('says why it cannot be opened, or gives nil when quiet', function()
    assert.error_matches(function() torch.DiskFile('/no/such', 'r') end, 'cannot open </no/such> in mode r')
    assert.is_nil(torch.DiskFile('/no/such', 'r', true))
    local quiet = torch.DiskFile(name, 'rw', true)      -- and stays quiet
    assert.same({ true, 0, true }, { quiet:isQuiet(), quiet:readInt(), quiet:hasError() })
    quiet:close()
    assert.error_matches(function() torch.DiskFile(name, 'a') end, "file mode should be 'r','w' or 'rw'")
  end)

  it('writes text as Torch7 does', function()
    local f = torch.DiskFile(name, 'w')
    f:writeInt(5)
    f:writeDouble(0.1)
    f:writeFloat(0.1)
    f:close()
    assert.equal('5\n0.10000000000000001\n0.100000001\n', readAll(name))
    f = torch.DiskFile(name, 'w'):noAutoSpacing()
    f:writeInt(5)
    f:writeInt(6)
    f:close()
    assert.equal('56', readAll(name))
  end)

  it('writes either byte order', function()
    local f = torch.DiskFile(name, 'rw'):binary():bigEndianEncoding()
    f:writeInt(1)
    f:writeShort(258)
    f:seek(1)
    assert.equal(1, f:readInt())
    f:close()
    assert.equal('\0\0\0\1\1\2', readAll(name))
    assert.equal(f:isLittleEndianCPU(), not f:isBigEndianCPU())
  end)

  it("opens 'rw' without emptying the file and 'w' with", function()
    torch.DiskFile(name, 'w'):writeString('abc')
    collectgarbage()
    local f = torch.DiskFile(name, 'w')
    f:writeString('abc')
    f:close()
    f = torch.DiskFile(name, 'rw')
    f:writeString('x')
    f:close()
    assert.equal('xbc', readAll(name))
    torch.DiskFile(name, 'w'):close()
    assert.equal('', readAll(name))
  end)

  it('without a buffer writes at once', function()
    local f = torch.DiskFile(name, 'w'):noBuffer()
    f:writeString('now')
    assert.equal('now', readAll(name))
    f:close()
  end)

  it('has all that was written when a program ends without closing it', function()
    for _, ending in ipairs { '', 'os.exit(0)', 'os.exit(3, true)', 'error()' } do
      program.run { '-e', ("f = torch.DiskFile('%s', 'w'); f:writeInt(7); %s"):format(name, ending) }
      assert.equal('7\n', readAll(name))
    end
  end)

  it('reports a full disk', function()
    local f = torch.DiskFile('/dev/full', 'w')
    f:writeString('x')
    assert.error_matches(function() f:synchronize() end, 'write error: No space left')
  end)
end)

describe('torch.PipeFile', function()
  it('reads what a command writes', function()
    local f = torch.PipeFile('echo 12 13; echo text')
    assert.equal(12, f:readInt())
    assert.equal(13, f:readInt())
    assert.equal('text', f:readString('*l'))
    assert.error_matches(function() f:readString('*l') end, 'read error')
    assert.error_matches(function() f:writeInt(1) end, 'attempt to write in a read%-only file')
    f:close()
  end)

  it('gives each line as soon as it is there', function()
    local go = paths.tmpname()
    local f = torch.PipeFile(('echo first; while [ ! -e %s ]; do sleep 0.02; done; echo second'):format(go))
    assert.equal('first', f:readString('*l'))      -- the command continues only after this
    io.open(go, 'w'):close()
    assert.equal('second', f:readString('*l'))
    f:close()
  end)

  it('writes what a command reads, and waits for it', function()
    local name = paths.tmpname()
    local f = torch.PipeFile('cat >' .. name, 'w'):binary()
    f:writeObject { 1, 'x' }
    f:close()
    assert.same({ 1, 'x' }, torch.load(name))
    assert.error_matches(function() torch.PipeFile('true', 'rw') end, "file mode should be 'r' or 'w'")
  end)
end)
