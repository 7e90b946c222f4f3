-- The t7 format for Lua values and torch objects: known bytes, sharing, closures, atomic saving, refusals.
local torch = require 'torch'
local files = require 'spec.support.files'
local libc = require 'torch.file.libc'
local paths = require 'paths'

local my = {}
rawset(_G, 'my', my)

local function hex(text) return (text:gsub('.', function(c) return ('%02x'):format(c:byte()) end)) end
local function items(object) return (torch.serialize(object, 'ascii'):gsub('\n', '|')) end

local function both(f)
  for _, mode in ipairs { 'binary', 'ascii' } do
    f(function(object) return torch.deserialize(torch.serialize(object, mode), mode) end, mode)
  end
end

local readAll, writeAll = files.read, files.write

describe('known bytes', function()
  it('of numbers, strings and booleans in binary', function()
    assert.equal('01000000000000000000f83f', hex(torch.serialize(1.5)))
    assert.equal('02000000020000006869', hex(torch.serialize('hi')))
    assert.equal('0500000001000000', hex(torch.serialize(true)))
    assert.equal('00000000', hex(torch.serialize(nil)))
  end)

  it('of tables and strings in ascii', function()
    assert.equal('3|1|2|1|1|1|10|2|1|x|2|1|y|', items { 10, x = 'y' })
    local own = {}
    own.me = own
    assert.equal('3|1|1|2|2|me|3|1|', items(own))
    assert.equal('2|0|', items '')
  end)

  it('of an instance of a class', function()
    torch.class('my.Cls2')
    local object = my.Cls2()
    object.a = 3
    assert.equal('4|1|3|V 1|7|my.Cls2|3|2|1|2|1|a|1|3|', items(object))
  end)
end)

describe('a round trip', function()
  it('keeps Lua values', function()
    both(function(round)
      local values = { 1, -0.1, math.huge, 2 ^ 53, 'a\0b\n c', '', true, false, { {} }, 1e-300 }
      assert.same(values, round(values))
      local nan = round(0 / 0)
      assert.is_true(nan ~= nan)
      assert.is_nil(round(nil))
      assert.same({ [1.5] = 'x', [true] = 'y', z = 'z' }, round { [1.5] = 'x', [true] = 'y', z = 'z' })
    end)
  end)

  it('keeps integers beyond 2^53, as LongTensors give them', function()
    both(function(round)
      local back = round { -9007199254740993LL, 'next', 9223372036854775807LL }
      assert.is_true(back[1] == -9007199254740993LL and back[3] == 9223372036854775807LL)
      assert.equal('next', back[2])
    end)
    assert.error_matches(function() torch.serialize(require('ffi').new 'int[3]') end, 'Unwritable object <cdata> at <%?>')
  end)

  it('keeps integers without sign, and complex numbers', function()
    both(function(round)
      local back = round { 18446744073709551615ULL, 7ULL, 3 - 4i, { 0.1i }, 'next' }
      assert.equal('18446744073709551615ULL 7ULL', tostring(back[1]) .. ' ' .. tostring(back[2]))
      assert.is_true(back[3] == 3 - 4i and back[4][1] == 0.1i)
      assert.equal('next', back[5])
    end)
  end)

  it('keeps sharing and cycles, also in keys', function()
    both(function(round)
      local shared = { 1 }
      local t = { shared, shared, [shared] = 'key' }
      t.self = t
      local back = round(t)
      assert.equal(back[1], back[2])
      assert.equal('key', back[back[1]])
      assert.equal(back, back.self)
    end)
  end)

  it('drops sharing by option', function()
    local name = paths.tmpname()
    local shared = {}
    torch.save(name, { shared, shared }, 'binary', false)
    local back = torch.load(name, 'binary', false)
    assert.not_equal(back[1], back[2])
    shared[1] = shared
    assert.error_matches(function() torch.save(name, shared, 'binary', false) end, 'objects that contain themselves need them')
  end)

  it('saves and loads 100,000 levels of nesting', function()
    both(function(round)
      local root = {}
      local inner = root
      for _ = 1, 100000 do
        inner[1] = {}
        inner = inner[1]
      end
      local depth, back = 0, round(root)
      while back[1] do
        back, depth = back[1], depth + 1
      end
      assert.equal(100000, depth)
    end)
  end)

  it('keeps the class of instances, without calling __init', function()
    local Point = torch.class('my.Point')
    function Point:__init() self.made = (self.made or 0) + 1 end
    torch.class('my.Point3', 'my.Point')
    both(function(round)
      local p = my.Point3()
      p.inner = { p }
      local back = round(p)
      assert.equal('my.Point3', torch.type(back))
      assert.equal(1, back.made)
      assert.equal(back, back.inner[1])
    end)
  end)

  it('calls the write and read methods of classes, with the version', function()
    local Own = torch.class('my.Own')
    Own.__version = 3
    function Own:write(file)
      file:writeInt(#self.list)
      file:writeObject(self.list)
    end
    function Own:read(file, version)
      self.count, self.version = file:readInt(), version
      self.list = file:readObject()
    end
    both(function(round)
      local x = my.Own()
      x.list = { x, 'b' }
      local back = round { x, x }
      assert.equal(back[1], back[2])
      assert.equal(3, back[1].version)
      assert.equal(2, back[1].count)
      assert.equal(back[1], back[1].list[1])
    end)
  end)

  it('ends with a sentence when objects that write themselves nest too deep', function()
    local Nest = torch.class('my.Nest')
    function Nest:write(file) file:writeObject(self.inner) end
    local root
    for _ = 1, 1000 do
      local outer = my.Nest()
      outer.inner, root = root, outer
    end
    assert.error_matches(function() torch.serialize(root) end, 'nested deeper than 200')
  end)
end)

describe('an option that torch.save and torch.load do not have', function()
  it('is refused with those they have, and the file stays', function()
    local name = paths.tmpname()
    torch.save(name, 7)
    local refusal = 'options: transiant, expected one of referenced, functions, transient'
    assert.error_matches(function() torch.save(name, 8, 'binary', { transiant = true }) end, 'torch.save: ' .. refusal)
    assert.error_matches(function() torch.load(name, 'binary', { transiant = true }) end, 'torch.load: ' .. refusal)
    assert.equal(7, torch.load(name))
    os.remove(name)
  end)
end)

describe('closures', function()
  it('are loaded with their variables, shared ones shared', function()
    both(function(round)
      local n = 5
      local function inc() n = n + 1 end
      local function get() return n end
      local back = round { inc, get }
      back[1]()
      assert.equal(6, back[2]())
      assert.equal(5, n)
    end)
  end)

  it('find packages, classes and C functions again instead of copying them', function()
    local floor, metatable = math.floor, torch.class('my.Used')
    local used = my.Used
    local back = torch.deserialize(torch.serialize(function() return floor, torch, metatable, used end))
    local a, b, c, d = back()
    assert.equal(floor, a)
    assert.equal(torch, b)
    assert.equal(metatable, c)
    assert.equal(used, d)
  end)

  it('are written without loading further files of packages', function()
    local ofC, read = ('a'):gmatch 'a', false
    package.loaded['my.found'] = { ofC = ofC }
    local parts = setmetatable({}, { __names = function()
      read = true
      return {}
    end })
    require 'torch.start.enumerate'(parts)
    package.loaded['my.parts'] = parts
    local back = torch.deserialize(torch.serialize(function() return ofC end))
    local found = back()
    package.loaded['my.found'], package.loaded['my.parts'] = nil, nil
    assert.equal(ofC, found)
    assert.is_false(read)
  end)

  it('in files are refused, with the way to allow them', function()
    local name = paths.tmpname()
    torch.save(name, { f = function() return 'ran' end })
    assert.error_matches(function() torch.load(name) end, 'expected no function.*functions = true.*read a function')
    assert.equal('ran', torch.load(name, 'binary', { functions = true }).f())
    local file = torch.DiskFile(name, 'r'):binary()
    assert.error_matches(function() file:readObject() end, 'expected no function')
    file:close()
  end)

  it('of the older forms are read too', function()
    local dump = string.dump(loadstring 'return 7')
    local old = torch.MemoryFile():binary()
    old:writeInt(6)
    old:writeInt(#dump)
    old:writeString(dump)
    old:writeObject({}):seek(1)
    assert.equal(7, old:readObject()())
    local legacy = torch.MemoryFile():binary()
    legacy:writeInt(7)
    legacy:writeInt(1)
    legacy:writeInt(#dump)
    legacy:writeString(dump)
    for _, int in ipairs { 3, 2, 0 } do legacy:writeInt(int) end
    legacy:seek(1)
    assert.equal(7, legacy:readObject()())
  end)
end)

describe('what cannot be written', function()
  it('is named by its path', function()
    assert.error_matches(function() torch.serialize { a = { b = math.floor } } end, 'Unwritable object <function> at <%?>%.a%.b')
    assert.error_matches(function() torch.serialize(io.stdout) end, 'Unwritable object <userdata> at <%?>')
  end)

  it('is left out of instances with a warning', function()
    torch.class('my.Cls')
    local object, screen, printed = my.Cls(), print, nil
    object.g, object.h = math.floor, 1
    rawset(_G, 'print', function(text) printed = text end)
    local back = torch.deserialize(torch.serialize(object))
    rawset(_G, 'print', screen)
    assert.equal('$ Warning: cannot write object field <g> of <my.Cls> <?>', printed)
    assert.is_nil(back.g)
    assert.equal(1, back.h)
  end)
end)

describe('torch.save', function()
  local folder, name
  before_each(function()
    folder = paths.tmpname()
    paths.mkdir(folder)
    name = folder .. '/file.t7'
  end)
  after_each(function() paths.rmall(folder, 'yes') end)

  it('leaves the old file and nothing else when it fails', function()
    torch.save(name, 'old')
    local before = readAll(name)
    assert.error_matches(function() torch.save(name, { 'new', math.floor }) end, 'torch.save: .*file.t7: Unwritable object')
    assert.equal(before, readAll(name))
    assert.equal(3, #paths.dir(folder))
  end)

  it('passes over names that others have taken', function()
    for i = 1, 50 do
      for _, n in ipairs { i, i + 50 } do writeAll(('%s/.torch-save-%d-%d.tmp'):format(folder, libc.pid(), n), 'other') end
    end
    torch.save(name, 'x')
    assert.equal('x', torch.load(name))
  end)

  it('keeps the permissions of the file', function()
    torch.save(name, 1)
    os.execute('chmod 640 ' .. name)
    torch.save(name, 2)
    assert.equal(tonumber('640', 8), libc.stat(name).permissions)
    assert.equal(2, torch.load(name))
  end)

  it('keeps its owner, where the program is root', function()
    torch.save(name, 1)
    if os.execute(('chown 1234:4321 %s 2>/dev/null'):format(name)) ~= 0 then return pending 'only root gives files away' end
    os.execute('chmod 6640 ' .. name)
    torch.save(name, 2)
    local found = libc.stat(name)
    assert.same({ 1234, 4321, tonumber('6640', 8) }, { found.user, found.group, found.permissions })
  end)

  it('writes into a pipe by any name, and says when nobody reads', function()
    local function shell(command)
      local pipe = io.popen(command .. ' 2>&1')
      local said = pipe:read '*a'
      pipe:close()
      return said
    end
    local program_ = require 'spec.support.program'.path
    assert.equal('3\n', shell(([[%s -e 'torch.save("/dev/stdout", "abc", "ascii")' | tail -n 2 | head -n 1]]):format(program_)))
    local big = ([[(trap '' PIPE; sleep 0.3; %s -e 'torch.save("/dev/stdout", torch.ones(100000))' 2>%s/said) | true]])
    shell(big:format(program_, folder))
    assert.matches('^th: [^\n]*torch%.save: /dev/stdout: write error: .*Broken pipe', readAll(folder .. '/said'))
  end)

  it('follows a symbolic link and keeps it', function()
    torch.save(name, 1)
    os.execute(('ln -s file.t7 %s/link'):format(folder))
    torch.save(folder .. '/link', 2)
    assert.equal(2, torch.load(name))
    assert.equal(folder .. '/file.t7', libc.realpath(folder .. '/link'))
  end)

  it('follows symbolic links to files that don\'t exist yet', function()
    os.execute(('mkdir %s/to; ln -s to/new.t7 %s/first; ln -s %s/first %s/second'):format(folder, folder, folder, folder))
    torch.save(folder .. '/second', 3)
    assert.equal(3, torch.load(folder .. '/to/new.t7'))
    assert.equal(folder .. '/to/new.t7', libc.realpath(folder .. '/second'))
    os.execute(('ln -s none/x %s/lost; ln -s round %s/round'):format(folder, folder))
    assert.error_matches(function() torch.save(folder .. '/lost', 1) end, 'torch.save: .*/lost: No such file or directory')
    assert.error_matches(function() torch.save(folder .. '/round', 1) end, 'torch.save: .*/round: too many levels of symbolic links')
    assert.equal('none/x', libc.readlink(folder .. '/lost'))
  end)

  it('writes to devices directly and reports their errors', function()
    torch.save('/dev/null', { 1 })
    assert.is_true(paths.filep('/dev/null'))
    assert.error_matches(function() torch.save('/dev/full', ('x'):rep(200000)) end, 'torch.save: /dev/full: .*No space left')
    assert.error_matches(function() torch.save('/dev/full', 'x') end, 'torch.save: /dev/full: .*No space left')
  end)

  it('names file and cause', function()
    assert.error_matches(function() torch.save(folder .. '/none/x', 1) end, 'torch.save: .*/none/x: No such file or directory')
    assert.error_matches(function() torch.save(folder, 1) end, 'torch.save: .*directory')
    assert.error_matches(function() torch.save(name, 1, 'text') end, 'torch.save: mode: text, expected binary or ascii')
    assert.error_matches(function() torch.save(1, name) end, 'torch.save: name: number, expected a string')
  end)
end)

describe('torch.load', function()
  local name
  before_each(function() name = paths.tmpname() end)

  it('reads both modes and knows its aliases', function()
    torch.save(name, { 1, { 'x' } }, 'ascii')
    assert.same({ 1, { 'x' } }, torch.load(name, 'ascii'))
    assert.equal(torch.save, torch.saveobj)
    assert.equal(torch.load, torch.loadobj)
  end)

  it('reads large objects through its buffer', function()
    local t = { ('x'):rep(70000), ('y'):rep(200000), 'z' }
    for i = 4, 20000 do t[i] = i end
    torch.save(name, t)
    assert.same(t, torch.load(name))
    torch.save(name, t, 'ascii')
    assert.same(t, torch.load(name, 'ascii'))
  end)

  it('reads a pipe', function()
    os.execute('mkfifo ' .. name)
    local source = paths.tmpname()
    torch.save(source, { ('x'):rep(100000), 1 })
    os.execute(('cat %s >%s &'):format(source, name))
    assert.same({ ('x'):rep(100000), 1 }, torch.load(name))
  end)

  it('describes a damaged file in one sentence, with the position', function()
    local cases = {
      { 'short', { 3, 1 }, 'at byte 9: expected an int, read the end of the file' },
      { 'tag', { 9 }, 'at byte 1: expected a type tag from 0 to 8, read 9' },
      { 'string', { 2, 1000 }, 'at byte 5: expected a string length that the file has room for, read 1000' },
      { 'negative', { 2, -1 }, 'at byte 5: expected a string length, 0 or more, read %-1' },
      { 'pairs', { 3, 1, 100000000 }, 'at byte 9: expected a number of pairs that the file has room for, read 100000000' },
      { 'index', { 3, 0, 0 }, 'at byte 5: expected an index, 1 or more, read 0' },
      { 'key', { 3, 1, 1, 0, 0, 0, 0, 0 }, 'at byte 13: expected a table key, read nil' },
    }
    for _, case in ipairs(cases) do
      local file = torch.DiskFile(name, 'w'):binary()
      for _, int in ipairs(case[2]) do file:writeInt(int) end
      file:close()
      local expected = 'torch.load: ' .. name:gsub('%p', '%%%0') .. ': ' .. case[3]
      assert.error_matches(function() torch.load(name) end, expected, nil, nil, case[1])
    end
    -- What other programs wrote is called by its name.
    local others = {
      { '\147NUMPY\1\0v\0', 'this is a %.npy file, which torch%.npy%.load reads' },
      { 'PK\3\4abcd', 'this is a zip archive: unpack it first' },
      { '\128\2\138\10', 'this is a pickle of Python' }, { 'a,b\n1,2\n', 'this is text: torch%.csv%.load' },
      { '8\0\0\0\0\0\0\0{"x":', 'this is a %.safetensors file' },
    }
    for _, other in ipairs(others) do
      writeAll(name, other[1])
      assert.error_matches(function() torch.load(name) end, 'at byte 1: expected a type tag from 0 to 8, read %d+; ' .. other[2])
    end
    writeAll(name, '1\nabc\n')
    assert.error_matches(function() torch.load(name) end, 'read "abc"$')
    assert.error_matches(function() torch.load(name, 'ascii') end, 'at byte 3: expected a double, read "abc"')
  end)

  it('names a missing file and an unknown mode', function()
    assert.error_matches(function() torch.load('/no/such/file') end, 'torch.load: cannot open </no/such/file> in mode r: No such file')
    torch.save(name, 1)
    assert.error_matches(function() torch.load(name, 'text') end, 'torch.load: mode: text')
  end)
end)
