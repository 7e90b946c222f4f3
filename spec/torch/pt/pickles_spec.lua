-- torch.pt.load of pickles written by hand after Python's pickletools: opcodes that PyTorch's own files lack, old objects, and damage in
-- archives of both kinds.
local torch = require 'torch'
local ffi = require 'ffi'
local files = require 'spec.support.files'
local paths = require 'paths'
local Disk = require 'torch.file.disk_channel'
local zip = require 'torch.file.zip'

local pt = torch.pt
local name
before_each(function() name = paths.tmpname() end)

local start = '\128\2\138\10l\252\156F\249 j\168P\25.\128\2M\233\3.\128\2}.'
local storage = "(U\7storagectorch\nFloatStorage\nU\0011U\3cpuK\2tQ"
local elements = '\128\2](U\0011e.\2\0\0\0\0\0\0\0' .. '\0\0\128\63\0\0\0\64'      -- 1 and 2

-- Reads the pickle in a file of before 1.6.
local function load(pickle, rest)
  files.write(name, start .. pickle .. (rest or '\128\2].'))
  return pt.load(name)
end

describe('a pickle', function()
  it('has the values that its opcodes say', function()
    for _, case in ipairs {
      { '\138\0.', 0 }, { '\138\1\128.', -128 }, { '\138\1\127.', 127 }, { '\138\2\128\0.', 128 }, { '\139\2\0\0\0\0\1.', 256 },
      { '\138\9\0\0\0\0\0\0\0\0\1.', 2 ^ 64 }, { '\138\9\0\0\0\0\0\0\0\0\255.', -2 ^ 64 }, { 'J\254\255\255\255.', -2 },
      { 'L-5L\n.', -5 }, { 'L18446744073709551616L\n.', 2 ^ 64 }, { 'I12\n.', 12 }, { 'I01\n.', true }, { 'I00\n.', false },
      { 'Finf\n.', math.huge }, { 'F-1.5e3\n.', -1500 }, { 'G\191\248\0\0\0\0\0\0.', -1.5 }, { 'M\1\2.', 513 },
      { 'K\1(0.', 1 }, { '(0K\1.', 1 }, { 'K\1K\0020.', 1 }, { 'K\1(K\2K\0031.', 1 },
      { "S'a\\x41\\n\\\\x41\\''\n.", "aA\n\\x41'" }, { 'S"\\xe9"\n.', '\233' }, { 'V\\u00e9\\U0001f319\233\n.', 'é🌙é' },
      { 'X\2\0\0\0é.', 'é' }, { '\140\2é.', 'é' }, { '\141\2\0\0\0\0\0\0\0é.', 'é' }, { 'B\2\0\0\0\1\2.', '\1\2' }, { 'C\1\255.', '\255' },
      { '\142\1\0\0\0\0\0\0\0x.', 'x' }, { '\150\1\0\0\0\0\0\0\0x.', 'x' }, { '\149\1\0\0\0\0\0\0\0K\7.', 7 },
      { 'K\7\1480h\0.', 7 }, { 'K\7p1\n0g1\n.', 7 }, { 'K\7r\0\1\0\0000j\0\1\0\0.', 7 },
      { '(lI1\na(I2\nI3\ne.', { 1, 2, 3 } }, { '](K\1e(K\2e.', { 1, 2 } }, { '(dK\1K\2s.', { 2 } }, { '(U\1aK\2d.', { a = 2 } },
      { '(K\1K\2t.', { 1, 2 } }, { 'K\1K\2K\3\135.', { 1, 2, 3 } }, { '\143(K\1K\2\144.', { 1, 2 } }, { '(K\1K\2\145.', { 1, 2 } },
      { '}(K\1NK\1K\5U\1xNu.', { 5 } }, { '}(\136K\1\137K\2N\136u.', { [true] = 1, [false] = 2, [pt.none] = true } },
      { 'c__builtin__\nset\n](K\1K\2e\133R.', { 1, 2 } }, { 'cbuiltins\ncomplex\nK\1K\2\134R.', { 1, 2 } },
      { 'ccollections\nOrderedDict\n](](U\1aK\1eU\1bK\2\134e\133R.', { a = 1, b = 2 } },
      { 'c_codecs\nencode\nX\2\0\0\0éU\6latin1\134R.', '\233' },
      { 'ctorch\ndevice\nU\4cudaK\1\134R.', 'cuda:1' }, { 'ctorch\nfloat16\n.', 'float16' }, { 'ctorch\nstrided\n.', 'strided' },
    } do
      assert.same(case[2], (load(case[1])), ('%q'):format(case[1]))
    end
    local long = load 'L9223372036854775807L\n.'
    assert.is_true(ffi.istype('int64_t', long) and long == 9223372036854775807LL)
    assert.is_true(load '\138\8\0\0\0\0\0\0\0\128.' == -9223372036854775807LL - 1)
    local nan = load 'Fnan\n.'
    assert.is_true(nan ~= nan)
    local own = load ']q\0h\0a2a.'
    assert.is_true(own[1] == own and own[2] == own)
  end)

  it('makes objects of unknown classes by every opcode', function()
    for pickle, want in pairs {
      ['(K\7ix\nY\n.'] = { 7 }, ['(cx\nY\nK\7o.'] = { 7 }, ['cx\nY\nK\7\133R.'] = { 7 }, ['U\1xU\1Y\147K\7\133\129.'] = { 7 },
      ['cx\nY\nK\7\133}U\1aK\1s\146.'] = { 7, a = 1 }, ['cx\nY\n)\129}U\1aK\1sb.'] = { a = 1 },
      ['cx\nY\n)\129}U\1aK\1s}U\1bK\2s\134b.'] = { a = 1, b = 2 }, ['cx\nY\n)\129N}U\1bK\2s\134b.'] = { b = 2 },
      ['cx\nY\n)\129K\5b.'] = { state = 5 }, ['cx\nY\n)\129Nb.'] = {}, ['cx\nY\n)R(K\1K\2e.'] = { 1, 2 },
      ['cx\nY\n)R(U\1kK\2u.'] = { k = 2 },
    } do
      local value, unknown = load(pickle)
      assert.same(want, value, ('%q'):format(pickle))
      assert.equal('x.Y', pt.className(value))
      assert.same({ 'x.Y' }, unknown)
    end
    assert.same({}, (load '}}U\9_metadataK\1sb.'))      -- attributes of dictionaries are left out
  end)

  it('names the byte of its damage', function()
    files.write(name, start .. 'K\1K\2a.')
    local _, message = pcall(pt.load, name)
    assert.matches(('at byte %d: expected a list, read 1$'):format(#start + 5), message)
    assert.error_matches(function() load '](K\1e)K\1b.' end, 'expected an object for a state, read tuple')
    assert.error_matches(function() load 'K\1)b.' end, 'expected an object for a state, read 1')
    assert.error_matches(function() load('c_codecs\nencode\nX\3\0\0\0中U\6latin1\134R.') end, 'expected characters of Latin%-1')
    assert.error_matches(function() load 'cnumpy._core.multiarray\nscalar\n)R.' end, 'expected a dtype of NumPy, read nil')
  end)
end)

describe('a tensor', function()
  local complex = "(U\7storagectorch\nComplexFloatStorage\nU\0011U\3cpuK\4tQ"
  local eight = '\128\2](U\0011e.\4\0\0\0\0\0\0\0' .. ffi.string(ffi.new('float[8]', 1, 2, 3, 4, 5, 6, 7, 8), 32)

  it('of complex numbers is one of a complex type', function()
    local x = load('ctorch._utils\n_rebuild_tensor\n(' .. complex .. 'K\1K\2\133K\2\133tR.', eight)
    assert.same({ 3 + 4i, 7 + 8i }, x:totable())
    assert.same({ 2 }, x:stride():totable())
  end)

  it('is what a storage as a value becomes, and a part of one', function()
    assert.same({ 1, 2 }, load(storage .. '.', elements):totable())
    local part = "(U\7storagectorch\nFloatStorage\nU\0011U\3cpuK\2(U\0019K\1K\1ttQ"
    assert.same({ 2 }, load(part .. '.', elements):totable())
    local both = load('(' .. part .. storage .. 'ctorch._utils\n_rebuild_tensor\n(' .. part .. 'K\0K\1\133K\1\133tRt.', elements)
    both[3][1] = 9
    assert.same({ 1, 9 }, both[2]:totable())
    assert.same({ 9 }, both[1]:totable())
    local far = part:gsub('K\1K\1t', 'K\1K\2t')
    assert.error_matches(function() load(far .. '.', elements) end, 'expected a part of 2 elements, read 2 from 1')
  end)

  it('has at most 2^63 elements', function()
    local sizes = ('\138\6\0\0\0\0\0\16'):rep(3) .. '\135'
    local _, message = pcall(load, '}U\1kctorch._utils\n_rebuild_tensor\n(' .. storage .. 'K\0' .. sizes .. 'K\0K\0K\0\135tRs.', elements)
    assert.matches(('at byte %d: expected a tensor "k" that memory can hold, read set: sizes: the number of elements')
      :format(#start + #'}U\1kctorch._utils\n_rebuild_tensor\n(' + #storage + #'K\0' + #sizes + #'K\0K\0K\0\135t' + 1), message)
  end)

  it('of a subclass, of old variables and of other dtypes than its storage', function()
    local args = '(' .. storage .. 'K\0K\2\133K\1\133t'
    local rebuilt = 'ctorch._utils\n_rebuild_tensor\n' .. args
    local subclass = 'ctorch._tensor\n_rebuild_from_type_v2\n(ctorch._utils\n_rebuild_tensor\ncx\nY\n'
    assert.same({ 1, 2 }, load(subclass .. args .. '}tR.', elements):totable())
    assert.error_matches(function() load('ctorch._tensor\n_rebuild_from_type_v2\n(K\1cx\nY\n' .. args .. '}tR.', elements) end,
      'expected a function of tensors and its arguments, read 1')
    for _, class in ipairs { 'ctorch.autograd.variable\nVariable\n', 'ctorch.nn.parameter\nParameter\n' } do
      assert.same({ 1, 2 }, load(class .. rebuilt .. 'R\133R(\137N\137tb.', elements):totable())
    end
    local v3 = 'ctorch._utils\n_rebuild_tensor_v3\n(' .. storage .. 'K\2K\2\133K\1\133\137}ctorch\nint16\ntR.'
    local x = load(v3, elements)
    assert.same({ 'torch.ShortTensor', { 0, 0x4000 } }, { x:type(), x:totable() })
    assert.error_matches(function() load((v3:gsub('int16', 'int64')), elements) end, 'the 1 elements of storage "1", read a last')
    assert.error_matches(function() load((v3:gsub('int16', 'intxx')), elements) end, 'expected a dtype, read torch.intxx')
  end)
end)

describe('an archive', function()
  -- Writes an archive of these members, strings by name in this order.
  local function archive(list)
    local channel, members = Disk.open(name, 'w'), {}
    for i, member in ipairs(list) do members[i] = { name = member[1], header = member[2], bytes = 0 } end
    zip.write(channel, members)
    channel:close()
    return pt.load(name)
  end
  local pickle = '\128\2ctorch._utils\n_rebuild_tensor_v2\n(' .. storage .. 'K\0K\2\133K\1\133\137}tR.'
  local data = elements:sub(-8)

  it('may have no folder, and storages anywhere', function()
    assert.same({ 1, 2 }, archive { { 'x/data/1', data }, { 'x/data.pkl', pickle } }:totable())
    assert.same({ 1, 2 }, archive { { 'data.pkl', pickle }, { 'other/data/1', 'xxxxxxxx' }, { 'data/1', data } }:totable())
  end)

  it('is damaged if a storage is missing or short, or there is no pickle', function()
    for words, list in pairs {
      ['expected a storage of the archive, read "1"'] = { { 'x/data.pkl', pickle }, { 'y/data/1', data } },
      ['expected 8 bytes of storage "1", read 7 bytes'] = { { 'x/data.pkl', pickle }, { 'x/data/1', data:sub(1, 7) } },
      ['expected an archive with data.pkl, read 1 members without it'] = { { 'x/y/data.pkl', pickle } },
      ['expected the class, key, device and size of a storage'] = { { 'x/data.pkl', '\128\2K\1Q.' } },
    } do
      assert.error_matches(function() archive(list) end, words)
    end
  end)

  it('of 0.1 is damaged wherever it is cut', function()
    local whole = files.read 'spec/torch/pt/tar.pt'
    local stop = whole:find '%z*$'      -- zeros that fill the archive
    for i = 300, stop - 1, 97 do
      files.write(name, whole:sub(1, i))
      local _, message = pcall(pt.load, name)
      assert.matches('at byte %d+: expected .*, read ', message)
    end
    local sizes = whole:gsub('(storages%z+%d+%z%d+%z%d+%z)%d', '%17')
    files.write(name, sizes)
    assert.error_matches(function() pt.load(name) end, 'at byte 1: expected "storages" of %d+ bytes, read 9728')
  end)
end)
