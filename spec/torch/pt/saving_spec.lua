-- torch.pt.save: what is written, byte by byte, and read again. figures.py compares the file of saved.lua with its values in PyTorch.
local torch = require 'torch'
local nn = require 'nn'
local files = require 'spec.support.files'
local paths = require 'paths'
local state = require 'spec.torch.pt.saved'
local Disk = require 'torch.file.disk_channel'
local zip = require 'torch.file.zip'

local pt = torch.pt
local name
before_each(function() name = paths.tmpname() end)

local function saved(value)
  pt.save(name, value)
  return (pt.load(name, { strict = true }))
end

-- The pickle of a value, whose member is the first.
local function pickleOf(value)
  pt.save(name, value)
  local channel = Disk.open(name, 'r')
  local text = zip.read(channel, zip.members(channel)[1]):string()
  channel:close()
  return text
end

describe('torch.pt.save', function()
  it("writes pickletools' opcodes", function()
    for _, case in ipairs {
      { 0, 'K\0' }, { 255, 'K\255' }, { 256, 'J\0\1\0\0' }, { -1, 'J\255\255\255\255' }, { 2 ^ 31, '\138\5\0\0\0\128\0' },
      { -2 ^ 31 - 1, '\138\5\255\255\255\127\255' }, { 2 ^ 40, '\138\6\0\0\0\0\0\1' }, { -(2LL ^ 62), '\138\8\0\0\0\0\0\0\0\192' },
      { -1LL, '\138\1\255' }, { 128LL, '\138\2\128\0' }, { -128LL, '\138\1\128' }, { 0LL, '\138\1\0' }, { 0.5, 'G\63\224\0\0\0\0\0\0' },
      { -0.0, 'G\128\0\0\0\0\0\0\0' }, { 2 ^ 60, 'G\67\176\0\0\0\0\0\0' }, { 1 / 0, 'G\127\240\0\0\0\0\0\0' },
      { true, '\136' }, { false, '\137' },
      { 'é', 'X\2\0\0\0é' }, { '\255', 'c_codecs\nencode\nX\2\0\0\0\195\191X\6\0\0\0latin1\134R' }, { pt.none, 'N' },
      { { 7 }, ']r\0\0\0\0(K\7e' }, { {}, '}r\0\0\0\0(u' }, { { b = 1, a = 2, [0] = 3 }, '}r\0\0\0\0(K\0K\3X\1\0\0\0aK\2X\1\0\0\0bK\1u' },
      { torch.ByteTensor { { 1, 2 } }, 'ctorch._utils\n_rebuild_tensor_v2\n((X\7\0\0\0storagectorch\nByteStorage\n' ..
        'X\1\0\0\0000X\3\0\0\0cpuK\2tQK\0(K\1K\2t(K\2K\1t\137ccollections\nOrderedDict\n)RtRr\0\0\0\0' },
    } do assert.equal('\128\2' .. case[2] .. '.', pickleOf(case[1])) end
  end)

  it('aligns elements to 64 bytes, and writes the members that PyTorch reads', function()
    pt.save(name, { torch.ones(3), torch.ByteTensor { 5 } })
    local channel, found = Disk.open(name, 'r'), {}
    for i, member in ipairs(zip.members(channel)) do
      found[i] = member.name
      assert.equal(0, zip.locate(channel, member) % 64)
      assert.is_true(zip.isStored(member))
    end
    assert.equal('archive/data.pkl archive/.format_version archive/.storage_alignment archive/byteorder archive/data/0 archive/data/1 ' ..
      'archive/version', table.concat(found, ' '))
    channel:close()
  end)

  it('keeps values, shared memory and tables', function()
    local value = saved(state())
    assert.same({ 'alpha', 'beta', 'list', 'more', 'none', 'same', 'view' }, pt.keys(value))
    assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, value.alpha:totable())
    value.view[3][1] = 30
    assert.equal(30, value.alpha[1][3])
    assert.is_true(value.list == value.same)
    assert.same({ 1, { 2.5, 'x' }, pt.none, {} }, value.list)
    assert.equal('list', pt.className(value.list[4]))
    assert.equal(2LL ^ 62 + 1, value.beta.long)
    value.beta.long = nil
    assert.same({ int = -3, wide = 2 ^ 40, half = 0.5, text = 'café', raw = '\255\0', yes = true, [7] = 'seven' }, value.beta)
    assert.equal(0, value.none:nElement())
    for i, kind in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Double', 'Bool' } do
      assert.equal('torch.' .. kind .. 'Tensor', value.more[i]:type())
      assert.same({ 1, 0, 1 }, value.more[i]:double():totable())
    end
  end)

  it('keeps offsets and strides', function()
    local x = torch.range(1, 24):view(4, 6)
    local t = saved { part = x:narrow(1, 2, 2):narrow(2, 3, 2), wide = x:narrow(2, 2, 1):expand(4, 3) }
    assert.same({ { 9, 10 }, { 15, 16 } }, t.part:totable())
    assert.same({ 6, 1 }, t.part:stride():totable())
    assert.same({ 6, 0 }, t.wide:stride():totable())
    assert.same({ { 2, 2, 2 }, { 8, 8, 8 }, { 14, 14, 14 }, { 20, 20, 20 } }, t.wide:totable())
    assert.same({ 0, 4 }, saved(torch.zeros(0, 4)):size():totable())
  end)

  it('writes what PyTorch wrote with the same order and classes', function()
    local old = pt.load 'spec/torch/pt/zip.pt'
    local new = saved(old)
    assert.same(pt.keys(old), pt.keys(new))
    assert.same(pt.keys(old.tensors), pt.keys(new.tensors))
    for _, key in ipairs { 'tensors', 'tuple', 'size', 'list', 'counts' } do
      assert.equal(pt.className(old[key]), pt.className(new[key]))
    end
    assert.same(old.tuple, new.tuple)
    assert.same({ 2, 3 }, new.size)
    for key, x in pairs(old.tensors) do assert.is_true(torch.equal(x, new.tensors[key]), key) end
  end)

  it('reads only what is used', function()
    pt.save(name, { x = torch.FloatTensor(1000000):fill(3) })
    collectgarbage()
    local before = torch.memory().live
    local x = pt.load(name).x
    assert.is_true(torch.memory().live - before < 100000)
    os.remove(name)
    assert.equal(3, x[1000000])
    assert.is_false(pcall(x.resize, x, 2000000))
  end)

  it('keeps cycles of tables', function()
    local t = { list = { 1 } }
    t.list[2] = t
    local value = saved(t)
    assert.is_true(value.list[2] == value)
  end)

  it('refuses other values by their places, and leaves the file alone', function()
    files.write(name, 'old')
    local net = nn.Linear(1, 1)
    local deep = {}
    for _ = 1, 600 do deep = { deep } end
    for _, case in ipairs {
      { { a = { b = { print } } }, 'torch.pt.save: state.a.b%[1%]: function, expected a tensor, number, string, boolean or table$' },
      { { ['x y'] = print }, 'state%[x y%]: function' }, { nil, 'state: nil, expected' },
      { { net = net }, 'state.net: nn.Linear, expected .*: net:%a+%(%) has its tensors' },
      { { s = torch.FloatStorage(1) }, 'state.s: torch.FloatStorage, expected' },
      { { [print] = 1 }, 'state: a key that is function, expected' },
      { { g = torch.Generator() }, 'state.g: torch.Generator' }, { deep, 'a table in 500 others' },
      { pt.load 'spec/torch/pt/module.pt', 'state: an object of __main__.Net, expected .*: its fields' },
    } do
      assert.error_matches(function() pt.save(name, case[1]) end, case[2])
      assert.equal('old', files.read(name))
    end
    assert.error_matches(function() pt.save(7, 1) end, 'torch.pt.save: name: number, expected a string')
    assert.error_matches(function() pt.save('/no/such/x', 1) end, 'torch.pt.save: /no/such/x: ')
  end)
end)
