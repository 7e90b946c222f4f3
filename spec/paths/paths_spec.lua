-- paths: names as text, and files and folders in a folder made for the spec.
local paths, torch = require 'paths', require 'torch'

local function write(name, text)
  local file = assert(io.open(name, 'w'))
  file:write(text or '')
  file:close()
end

local function sorted(iterator)
  local names = {}
  for name in iterator do table.insert(names, name) end
  table.sort(names)
  return names
end

describe('names', function()
  it('basename is the last component, less a suffix', function()
    local cases = { ['/a/b.lua'] = 'b.lua', ['a/b/'] = 'b', a = 'a', [''] = '', ['/'] = '', ['a//b//'] = 'b' }
    for path, name in pairs(cases) do assert.equal(name, paths.basename(path)) end
    assert.equal('b', paths.basename('a/b.lua', '.lua'))
    assert.equal('b', paths.basename('a/b.lua', 'lua'))
    assert.equal('blua', paths.basename('a/blua', 'lua'))
    assert.equal('.lua', paths.basename('a/.lua', 'lua'))
    assert.equal('b.LUA', paths.basename('b.LUA', 'lua'))
  end)

  it('dirname is what stands before it', function()
    local cases = { ['a/b'] = 'a', ['/a'] = '/', ['a'] = '.', [''] = '.', ['a/b/'] = 'a', ['/'] = '/', ['//'] = '//' }
    for path, folder in pairs(cases) do assert.equal(folder, paths.dirname(path), path) end
    assert.equal('a/', paths.dirname('a//b'))
    assert.equal('/a/b', paths.dirname('/a/b/c'))
  end)

  it('extname is the text after the last dot', function()
    assert.equal('gz', paths.extname('a.tar.gz'))
    assert.equal('b/c', paths.extname('a.b/c'))
    assert.equal('', paths.extname('x.'))
    assert.equal(0, select('#', paths.extname('none')))
  end)

  it('concat is absolute and textual', function()
    local here = paths.cwd()
    assert.equal(here, paths.concat())
    assert.equal(here .. '/a/c', paths.concat('a', './b', '../c/'))
    assert.equal('/x/y', paths.concat('a', '/x//y'))
    assert.equal('/', paths.concat('/..', '..'))
    assert.equal('/a/5', paths.concat('/a', 5))      -- a number is converted to its text, as usual in Lua
    assert.equal('12.5', paths.basename(12.5))
    assert.is_false(paths.filep(5))
    assert.has_error(function() paths.concat('a', nil) end)
    assert.has_error(function() paths.dirname {} end)
  end)
end)

describe('files and folders', function()
  local folder
  before_each(function()
    folder = paths.tmpname()
    assert.is_true(paths.mkdir(folder .. '/sub/deep'))
    write(folder .. '/one.txt')
    write(folder .. '/two.lua')
  end)
  after_each(function() paths.rmall(folder, 'yes') end)

  it('are told apart', function()
    assert.is_true(paths.filep(folder .. '/one.txt'))
    assert.is_false(paths.filep(folder .. '/sub'))
    assert.is_false(paths.filep(folder .. '/none'))
    assert.is_true(paths.dirp(folder .. '/sub/'))
    assert.is_false(paths.dirp(folder .. '/one.txt'))
    assert.is_false(paths.dirp(folder .. '/none'))
    assert.has_error(function() paths.filep(nil) end)
  end)

  it('are listed and filtered', function()
    assert.same({ '.', '..', 'one.txt', 'sub', 'two.lua' }, sorted(paths.files(folder)))
    assert.same({ 'two.lua' }, sorted(paths.files(folder, '%.lua$')))
    assert.same({ 'sub' }, sorted(paths.files(folder, function(name) return name == 'sub' end)))
    assert.same({ 'sub' }, sorted(paths.iterdirs(folder)))
    assert.same({ 'one.txt', 'two.lua' }, sorted(paths.iterfiles(folder)))
    assert.equal(5, #paths.dir(folder))
    os.execute(("ln -s nowhere '%s/sub/dangling' && ln -s .. '%s/sub/up'"):format(folder, folder))
    assert.same({ 'dangling' }, sorted(paths.iterfiles(folder .. '/sub')))
    assert.same({ 'deep', 'up' }, sorted(paths.iterdirs(folder .. '/sub')))
    assert.is_true(paths.rmall(folder .. '/sub/dangling', 'yes') and paths.rmall(folder .. '/sub/up', 'yes'))
    assert.is_nil(paths.dir(folder .. '/none'))
    assert.same({}, sorted(paths.files(folder .. '/none')))
    assert.error_matches(function() paths.files(folder, 3) end, 'Expecting optional arg 2 to be function or string. Got : number')
  end)

  it('report why they cannot be created or removed', function()
    local good, message, number = paths.mkdir(folder)
    assert.is_nil(good)
    assert.equal(folder .. ': File exists', message)
    assert.equal(17, number)
    assert.is_nil(paths.rmdir(folder))
    assert.is_nil(paths.rmall(folder))
    assert.is_true(paths.dirp(folder))
    local _, why, where = paths.rmall(folder .. '/none', 'yes')
    assert.equal('not a file or directory', why)
    assert.equal(folder .. '/none', where)
  end)

  it('are refused by names with a zero byte, at which the system would cut them off', function()
    local name = paths.tmpname()
    io.open(name, 'w'):close()
    local longer = name .. '\0x'
    for _, call in ipairs { 'dir', 'files', 'dirp', 'filep', 'mkdir', 'rmdir', 'rmall', 'concat', 'dofile' } do
      assert.error_matches(function() return paths[call](longer, 'yes') end, 'paths%.' .. call .. ': .*zero byte')
    end
    for _, call in ipairs { torch.load, torch.ByteStorage, torch.DiskFile, torch.safetensors.load, torch.npy.load } do
      assert.error_matches(function() call(longer) end, 'zero byte')
    end
    assert.error_matches(function() torch.save(longer, 3) end, 'zero byte')
    assert.error_matches(function() require('sys').execute('echo 1\0 2') end, 'sys.execute: command: a string with a zero byte')
    assert.is_true(paths.filep(name))
    assert.equal('', io.open(name):read '*a')
  end)

  it('rmall removes a link, not what it leads to', function()
    os.execute(('ln -s %s %s'):format(folder .. '/sub', folder .. '/link'))
    assert.is_true(paths.rmall(folder .. '/link', 'yes'))
    assert.is_true(paths.dirp(folder .. '/sub/deep'))
  end)

  it('dofile and thisfile start from the file that calls them', function()
    write(folder .. '/sub/inner.lua', "return 'inner', paths.thisfile()")
    write(folder .. '/outer.lua', "local a, b = paths.dofile('sub/inner.lua') return a, b, paths.thisfile('x.lua')")
    local a, b, c = dofile(folder .. '/outer.lua')
    assert.equal('inner', a)
    assert.equal(folder .. '/sub/inner.lua', b)
    assert.equal(folder .. '/x.lua', c)
    assert.is_nil(loadstring('return (paths.thisfile())')())
    assert.equal('y', loadstring("return (paths.thisfile('y'))")())
  end)
end)

describe('the system', function()
  it('has a name, a home and programs', function()
    local name, host, machine = paths.uname()
    assert.equal('string', type(host .. machine))
    assert.equal(name == 'Darwin' and 'Darwin' or nil, paths.is_mac())
    assert.is_nil(paths.is_win())
    assert.equal(os.getenv('HOME') or '.', paths.home)
    assert.matches('/sh$', paths.findprogram('no-such-program', 'sh'))
    assert.is_nil(paths.findprogram('no-such-program'))
  end)

  it('paths.require tells what it tried', function()
    assert.error_matches(function() paths.require('no.such.module') end, 'no/such/module')
  end)
end)

describe("paths' remains of other systems", function()
  it('say that they are for Windows', function()
    assert.error_matches(function() paths.getregistryvalue('key', 'subkey', 'value') end, 'exists only on windows')
  end)

  it('tell where the program is installed', function()
    local folders = require 'torch.paths'
    for _, name in ipairs { 'prefix', 'bin', 'man', 'lib', 'share', 'include', 'cmake' } do
      assert.equal('/', folders['install_' .. name]:sub(1, 1))
    end
    assert.is_true(paths.filep(paths.concat(folders.install_lib, 'libmoontorch.so')))
    assert.is_true(paths.dirp(paths.concat(folders.install_include, 'moontorch')))
    assert.is_true(paths.filep(paths.concat(folders.install_bin, 'th')))
  end)
end)
