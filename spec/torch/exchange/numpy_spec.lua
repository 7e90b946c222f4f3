-- torch.npy and torch.npz: files that NumPy wrote (figures.py), round trips, errors.
local torch = require 'torch'
local files = require 'spec.support.files'
local paths = require 'paths'

local folder = 'spec/torch/exchange/'
local kinds = { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'Float', 'Double', 'BFloat16' }

local function load(name) return torch.npy.load(folder .. name .. '.npy') end

local readAll, writeAll = files.read, files.write

describe('torch.npy.load', function()
  it('reads every type of numbers, in either byte order and either order of dimensions', function()
    local types = { u1 = 'Byte', i1 = 'Char', i2 = 'Short', i4 = 'Int', i8 = 'Long', u2 = 'UInt16', u4 = 'UInt32', u8 = 'UInt64',
                    f2 = 'Half', f4 = 'Float', f8 = 'Double' }
    for name, kind in pairs(types) do
      for _, prefix in ipairs(name:find '1' and { '' } or { '', 'big_' }) do
        local x = load(prefix .. name)
        assert.equal('torch.' .. kind .. 'Tensor', torch.type(x))
        assert.same({ { 0, 1, 2 }, { 100, 101, 102 } }, x:totable())
      end
    end
    assert.same({ 1, 0, 1 }, load('b1'):byte():totable())
  end)

  it('keeps integers and floats exact', function()
    local p = load('exact'):data()
    assert.is_true(p[0] == 9223372036854775807LL and p[1] == -9223372036854775807LL - 1 and p[2] == 9007199254740993LL)
    assert.is_true(load('too_large')[1] == 0x8000000000000000ULL)
    local x = load 'special'
    assert.is_true(x[1] ~= x[1])
    assert.same({ math.huge, -math.huge, 0, 5e-324 }, { x[2], x[3], x[4], x[5] })
    assert.equal(-math.huge, 1 / x[4])
  end)

  it('keeps sizes of zero and transposed sizes, and loads a scalar as size 1', function()
    assert.same({ 2.5 }, load('scalar'):totable())
    assert.same({ 0, 3 }, load('empty'):size():totable())
    local x = load 'deep'
    assert.same({ 5, 3, 4, 2 }, x:size():totable())
    assert.equal(60 + 40 + 15 + 2, x[{ 3, 3, 4, 2 }])
    assert.same({ 0, 1, 2 }, load('version2'):totable())
  end)

  it('refuses what holds no numbers that it has', function()
    local cases = { objects = "read '|O'", records = "read [('a', '<i4'), ('b', '<f8')]" }
    for name, message in pairs(cases) do
      local pattern = 'torch.npy.load: .*' .. name .. '.npy: at byte %d+: .*' .. message:gsub('[|^%[%]()-]', '%%%0')
      assert.error_matches(function() load(name) end, pattern)
    end
    assert.error_matches(function() load 'nowhere' end, 'torch.npy.load: cannot open .*nowhere.npy: No such file')
    assert.error_matches(function() torch.npy.load '/dev/zero' end, 'a pipe or device, expected a file')
    assert.error_matches(function() torch.npy.load(1) end, 'torch.npy.load: name: number, expected a string')
  end)
end)

describe('torch.npy.rows', function()
  it('reads some rows, of every type and either byte order', function()
    local x = torch.range(1, 42):view(7, 3, 2)
    local name = os.tmpname()
    for _, kind in ipairs(kinds) do
      local y = x:type('torch.' .. kind .. 'Tensor')
      torch.npy.save(name, y)
      for _, range in ipairs { { 1, 7 }, { 3, 2 }, { 7, 1 }, { 8, 0 } } do
        local rows, count = torch.npy.rows(name, unpack(range))
        assert.equal(7, count)
        assert.equal(y:type(), rows:type())
        assert.same({ range[2], 3, 2 }, rows:size():totable())
        if range[2] > 0 then assert.same(y:narrow(1, range[1], range[2]):totable(), rows:totable()) end
      end
    end
    assert.same(torch.npy.load(name):narrow(1, 4, 4):totable(), torch.npy.rows(name, 4):totable())
    torch.npy.save(name, torch.ShortTensor { { 1, 2 }, { 256, -2 } })
    writeAll(name, (readAll(name):gsub('<i2', '>i2')))
    assert.same({ { 1, -257 } }, torch.npy.rows(name, 2, 1):totable())      -- 0x0100 and 0xfffe in the other order
    os.remove(name)
    assert.same({ { 100, 101, 102 } }, torch.npy.rows(folder .. 'i2.npy', 2, 1):totable())
    assert.equal(3, (select(2, torch.npy.rows(folder .. 'exact.npy', 1, 0))))
  end)

  it('refuses rows that the file lacks, and files that are cut or in another order', function()
    local name = os.tmpname()
    torch.npy.save(name, torch.ones(4, 2))
    for _, range in ipairs { { 0, 1 }, { 4, 2 }, { 1.5, 1 }, { 1, -1 }, { 6 } } do
      assert.error_matches(function() torch.npy.rows(name, unpack(range)) end, 'torch.npy.rows: .* rows from .* on, expected some of 4')
    end
    writeAll(name, readAll(name):sub(1, -9))
    assert.equal(2, torch.npy.rows(name, 2, 2):size(1))
    assert.error_matches(function() torch.npy.rows(name, 3, 2) end, 'torch.npy.rows: .*: at byte 161: expected 4 elements of 8 bytes')
    os.remove(name)
    assert.error_matches(function() torch.npy.rows(folder .. 'big_i2.npy') end, 'fortran_order True')
    assert.error_matches(function() torch.npy.rows(folder .. 'text.npy') end, 'expected rows of numbers in the order of C')
  end)
end)

describe('torch.npy.save', function()
  local name
  before_each(function() name = paths.tmpname() end)

  it('gives NumPy the bytes that it would write itself', function()
    for _, figure in ipairs { 'u1', 'u2', 'u4', 'u8', 'i2', 'i8', 'f2', 'f4', 'f8', 'b1', 'empty', 'too_large' } do
      torch.npy.save(name, load(figure))
      assert.equal(readAll(folder .. figure .. '.npy'), readAll(name), nil, figure)
    end
  end)

  it('keeps every type, and elements of tensors that are not contiguous', function()
    for _, kind in ipairs(kinds) do
      local x = torch[kind .. 'Tensor'] { { 1, 2, 3 }, { 4, 5, 6 } }:t()
      torch.npy.save(name, x)
      local back = torch.npy.load(name)
      assert.equal(torch.type(x), torch.type(back))
      assert.same(x:totable(), back:totable())
    end
    torch.npy.save(name, torch.FloatTensor())
    assert.same({ 0 }, torch.npy.load(name):size():totable())
  end)

  it('refuses values that are no tensors', function()
    assert.error_matches(function() torch.npy.save(name, { 1 }) end, 'torch.npy.save: tensor: table, expected a tensor')
  end)
end)

describe('texts and complex numbers of NumPy', function()
  it('are lists as deep as their dimensions, and complex tensors', function()
    assert.same({ { 'a', '', 'h\195\169' }, { '\240\159\140\153', 'bc', 'd' } }, load 'texts')
    assert.same({ 'a', 'bcd', '' }, load 'bytes')
    assert.same({ 'ab', 'c' }, load 'big_texts')
    assert.same({ 'a', 'bc' }, load 'text')
    assert.equal('single', load 'one_text')
    assert.same({ 1i }, load('complex'):totable())
    local x = load 'complex64'
    assert.equal('torch.ComplexFloatTensor', torch.type(x))
    assert.same({ { { 1, 2 }, { 0, 4 } }, { { 3, -1 }, { 5, 0 } }, { { 0, 0 }, { 6, 0 } } }, torch.viewAsReal(x):totable())
  end)
end)

describe('torch.npz', function()
  local name
  before_each(function() name = paths.tmpname() end)

  it('reads the members that it can, and says why not the others', function()
    local values, others = torch.npz.load(folder .. 'mixed.npz')
    assert.equal('csr', values.format)
    assert.same({ 1.5, 2.5 }, values.data:totable())
    local missing = {}
    for key in pairs(others) do missing[#missing + 1] = key end
    table.sort(missing)
    assert.same({ 'objects', 'records', 'when' }, missing)
    assert.matches("expected a type of numbers .* read '|O'", others.objects)
    assert.is_nil(values.objects)
  end)

  it('reads members by name', function()
    local values = torch.npz.load(folder .. 'mixed.npz', { members = { 'data' } })
    assert.same({ 1.5, 2.5 }, values.data:totable())
    assert.is_nil(values.format)
    assert.same({ 'format', 'data', 'objects', 'when', 'records' }, torch.npz.names(folder .. 'mixed.npz'))
    assert.error_matches(function() torch.npz.load(folder .. 'mixed.npz', { members = { 'none' } }) end,
      'torch.npz.load: .*mixed.npz: members: none, expected some of format, data, objects, when, records')
    assert.error_matches(function() torch.npz.load(folder .. 'mixed.npz', { members = { 'when' } }) end,
      "torch.npz.load: .*: member when.npy: at byte %d+: expected a type of numbers .* read '<M8%[D%]'")
    assert.error_matches(function() torch.npz.load(folder .. 'mixed.npz', { member = 1 }) end, 'options: member, expected one of members')
  end)

  it('reads files of np.savez and np.savez_compressed', function()
    local plain, packed = torch.npz.load(folder .. 'plain.npz'), torch.npz.load(folder .. 'packed.npz')
    assert.same({ 0, 1, 2 }, plain.arr_0:totable())
    assert.same({ { 1, 0 }, { 0, 1 } }, plain.weight:totable())
    assert.equal('torch.FloatTensor', torch.type(plain.weight))
    assert.equal(0, packed.zeros:norm())
    assert.same({ 1, 0 }, packed.mask:byte():totable())
  end)

  it('reads its own files, compressed or not', function()
    for _, compressed in ipairs { false, true } do
      local long = torch.LongTensor(2)
      long:data()[0] = 9007199254740993LL
      local tensors = { a = torch.ByteTensor(1000):fill(7), ['b/c'] = long, none = torch.FloatTensor(0, 2) }
      torch.npz.save(name, tensors, { compressed = compressed })
      local back = torch.npz.load(name)
      assert.equal(7000, back.a:sum())
      assert.is_true(back['b/c']:data()[0] == 9007199254740993LL)
      assert.same({ 0, 2 }, back.none:size():totable())
      assert.equal(compressed, #readAll(name) < 1000)
    end
  end)

  it('writes in 64 bits what 32 do not hold', function()
    local zip = require 'torch.file.zip'
    local tensors = { a = torch.range(1, 100), b = torch.ones(3, 4):float() }
    for _, limit in ipairs { 100, 700, 1000 } do      -- of 4 GiB: as if the members, their places and the directory passed it
      for _, compressed in ipairs { false, true } do
        local usual = zip.unknown32
        zip.unknown32 = limit
        torch.npz.save(name, tensors, { compressed = compressed })
        zip.unknown32 = usual
        local back = torch.npz.load(name)
        assert.same({ 5050, 12 }, { back.a:sum(), back.b:sum() })
      end
    end
  end)

  it('reports which part is damaged', function()
    local text = readAll(folder .. 'packed.npz')
    local at = text:find('zeros.npy', 1, true) + 40
    local cases = {
      { text:sub(1, -2), "expected a ZIP archive's directory before, read none" },
      { text:sub(1, at) .. '\0\0\0\0' .. text:sub(at + 5), 'expected a deflate stream of %d+ bytes, read another' },
      { (text:gsub('PK\3\4', 'PK\3\5')), 'expected the header of %a+.npy, read "PK\\3\\5"' },
      { (text:gsub('PK\1\2', 'PK\1\3')), 'expected entry 1 of 2 of a directory, read something else' },
    }
    for _, case in ipairs(cases) do
      writeAll(name, case[1])
      assert.error_matches(function() torch.npz.load(name) end, 'torch.npz.load: .*: at byte %d+: ' .. case[2])
    end
    local plain = readAll(folder .. 'plain.npz')
    local entry, tail = plain:match('(PK\1\2.-)(PK\5\6.*)$')
    local bytes = 50 * #entry
    local often = tail:sub(1, 8) .. ('\100\0'):rep(2) .. string.char(bytes % 256, math.floor(bytes / 256), 0, 0) .. tail:sub(17)
    writeAll(name, plain:sub(1, -#entry - #tail - 1) .. entry:rep(50) .. often)
    assert.error_matches(function() torch.npz.load(name) end, 'expected members of %d+ packed bytes in all, read %d+')
    at = plain:find('\0\0\128\63', 1, true)      -- a 1 of the matrix
    writeAll(name, plain:sub(1, at + 2) .. '\64' .. plain:sub(at + 4))
    assert.error_matches(function() torch.npz.load(name) end, 'expected bytes with CRC %x+, read %x+')
    writeAll(name, (plain:gsub('\147NUMPY', '\147NUMPZ')))
    assert.error_matches(function() torch.npz.load(name) end, 'expected bytes with CRC')
  end)
end)

describe('an array that a file claims to hold', function()
  it('is not asked memory for', function()
    local name = paths.tmpname()
    local text = readAll(folder .. 'f8.npy')
    for _, shape in ipairs { '(2, 9000000000)', '(2251799813685248, 2251799813685248)', '(9007199254740993,)' } do
      local header = ("{'descr': '<f8', 'fortran_order': False, 'shape': %s, }"):format(shape)
      writeAll(name, text:sub(1, 10) .. header .. (' '):rep(118 - #header) .. text:sub(129))
      assert.error_matches(function() torch.npy.load(name) end, 'torch.npy.load: .*: at byte %d+: expected .*, read')
    end
  end)
end)
