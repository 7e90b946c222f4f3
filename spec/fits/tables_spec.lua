-- Tables of hand-made files (bytes.lua): fields of each form with repeat counts, scales, the heap, tables of text, and damage.
local torch = require 'torch'
local fits = require 'fits'
local files = require 'spec.support.files'
local bytes = require 'spec.fits.bytes'
local assertClose = require('spec.support.close').within { sameType = true, equalNan = true }

local all, big = bytes.all, bytes.big
local nan = 0 / 0

local name
before_each(function() name = os.tmpname() end)
after_each(function() os.remove(name) end)

local function loaded(...)
  files.write(name, bytes.table('BINTABLE', ...))
  return (fits.load(name))
end

local function loadedText(...)
  files.write(name, bytes.table('TABLE', ...))
  return (fits.load(name))
end

local function messageOf(f, ...)
  local good, problem = pcall(f, ...)
  assert.is_false(good)
  return (tostring(problem):gsub('^.*fits%.load: ' .. name:gsub('%p', '%%%0') .. ': ', ''))
end

-- The header of the table is behind one block; its data behind two.
local atHeader, data = 2880, 5760

describe('fits.load of a binary table', function()
  it('reads fields of each form', function()
    local one = '\63\240\0\0\0\0\0\0'
    local row = 'T\3' .. all(2, -2, 7) .. big(-9, 4) .. big(258, 8) .. '\63\128\0\0' .. one .. '\63\128\0\0\64\0\0\0' .. one .. one ..
      'ab\0c'
    local fields = { { 'L', 'l' }, { '1B', 'b' }, { '2I', 'i' }, { 'J', 'j' }, { 'K', 'k' }, { 'E', 'e' }, { 'D', 'd' }, { 'C', 'c' },
                     { 'M', 'm' }, { '4A', 'a' } }
    local x = loaded(#row, 2, fields, row .. row)
    assertClose(torch.BoolTensor { true, true }, x.l)
    assertClose(torch.ByteTensor { 3, 3 }, x.b)
    assertClose(torch.ShortTensor { { -2, 7 }, { -2, 7 } }, x.i)
    assertClose(torch.IntTensor { -9, -9 }, x.j)
    assertClose(torch.LongTensor { 258, 258 }, x.k)
    assertClose(torch.FloatTensor { 1, 1 }, x.e)
    assertClose(torch.DoubleTensor { 1, 1 }, x.d)
    assert.same({ 'torch.ComplexFloatTensor', 'torch.ComplexDoubleTensor' }, { x.c:type(), x.m:type() })
    assertClose(torch.FloatTensor { 2, 2 }, torch.imag(x.c))
    assertClose(torch.DoubleTensor { 1, 1 }, torch.imag(x.m))
    assert.same({ 'ab', 'ab' }, x.a)
    assert.same({ 2 }, fits.open(name)[2].sizes)
  end)

  it('reads bits and logical values of several', function()
    local x = loaded(5, 2, { { '10X', 'x' }, { '3L', 'l' } }, '\129\64TFT' .. '\2\128FTx')
    assertClose(torch.BoolTensor { { 1, 0, 0, 0, 0, 0, 0, 1, 0, 1 }, { 0, 0, 0, 0, 0, 0, 1, 0, 1, 0 } }, x.x)
    assertClose(torch.BoolTensor { { 1, 0, 1 }, { 0, 1, 0 } }, x.l)
    x = loaded(2, 1, { { '8X', 'x' }, { 'X', 'y' } }, '\1\128')
    assert.same({ 1, 8 }, x.x:size():totable())
    assertClose(torch.BoolTensor { { 1 } }, x.y)
  end)

  it('reads texts without what follows a zero, and blanks at their ends', function()
    assert.same({ 'a b', '', 'xyz  w' }, loaded(6, 3, { { '6A', 't' } }, 'a b   ' .. '\0later' .. 'xyz  w').t)
  end)

  it('reads fields of no elements, tables without rows, and rows with bytes of no field', function()
    local x = loaded(3, 2, { { '0J', 'none' }, { '0A', 'empty' }, { 'B', 'b' }, { '0L', 'l' }, { '0X', 'x' } }, '\1..\2..')
    assert.same({ 'torch.IntTensor', 2, 0 }, { x.none:type(), x.none:size(1), x.none:size(2) })
    assert.same({ '', '' }, x.empty)
    assertClose(torch.ByteTensor { 1, 2 }, x.b)
    assert.same({ { 2, 0 }, { 2, 0 } }, { x.l:size():totable(), x.x:size():totable() })
    x = loaded(7, 0, { { 'B', 'b' }, { '3I', 'i' } }, '')
    assert.same({ { 0 }, { 0, 3 }, 'torch.ShortTensor' }, { x.b:size():totable(), x.i:size():totable(), x.i:type() })
    assert.same({}, loaded(0, 3, {}, ''))
    assert.same({ '', '', '' }, loaded(0, 3, { { '0A', 'a' } }, '').a)
  end)

  it('names columns without a name, and repeated ones', function()
    local x = loaded(4, 1, { { 'B' }, { 'B', 'a' }, { 'B', 'a' }, { 'B', '   ' } }, '\1\2\3\4')
    assert.same({ 1, 2, 3, 4 }, { x.column1[1], x.a[1], x.a_3[1], x.column4[1] })
    assert.same({ 'column1', 'a', 'a_3', 'column4' }, fits.load(name, nil, { frame = true }).names)
  end)

  it('applies TSCAL, TZERO and TNULL', function()
    local x = loaded(4, 2, {
      { 'B', 'scaled', { TSCAL = 2 } }, { 'B', 'moved', { TZERO = 10 } }, { 'B', 'both', { TSCAL = 2, TZERO = 10, TNULL = 3 } },
      { 'B', 'null', { TNULL = 4 } },
    }, '\1\1\1\1\4\4\3\4')
    assertClose(torch.DoubleTensor { 2, 8 }, x.scaled)
    assertClose(torch.DoubleTensor { 11, 14 }, x.moved)
    assertClose(torch.DoubleTensor { 12, nan }, x.both)
    assertClose(torch.DoubleTensor { 1, nan }, x.null)
    -- TNULL is for integers; complex numbers have no scale here.
    x = loaded(20, 1, { { '2E', 'e', { TNULL = 1 } }, { 'E', 's', { TSCAL = 3 } }, { 'C', 'c', { TSCAL = 2, TNULL = 1 } } },
      ('\63\128\0\0'):rep(5))
    assertClose(torch.FloatTensor { { 1, 1 } }, x.e)
    assertClose(torch.DoubleTensor { 3 }, x.s)
    assert.equal(1, torch.real(x.c)[1])
    x = loaded(15, 1, { { 'B', 'i8', { TZERO = -128 } }, { 'I', 'u16', { TZERO = 32768 } }, { 'J', 'u32', { TZERO = '2147483648' } },
                        { 'K', 'u64', { TZERO = '9223372036854775808' } } }, '\255' .. '\127\255' .. '\127\255\255\255' .. '\128' ..
                          ('\0'):rep(6) .. '\5')
    assertClose(torch.CharTensor { 127 }, x.i8)
    assertClose(torch.UInt16Tensor { 65535 }, x.u16)
    assertClose(torch.UInt32Tensor { 2 ^ 32 - 1 }, x.u32)
    assert.same({ 'torch.UInt64Tensor', '5' }, { x.u64:type(), tostring(x.u64[1]) })
    x = loaded(3, 1, { { 'I', 'scaled', { TZERO = 32768, TSCAL = 2 } }, { 'B', 'two', { TZERO = '-128', TSCAL = '1.0' } } }, '\0\1\128')
    assertClose(torch.DoubleTensor { 32770 }, x.scaled)
    assertClose(torch.CharTensor { 0 }, x.two)
  end)

  it('reads arrays of the heap', function()
    local heap = all(2, 5, 6, 7) .. 'hi  ' .. 'TF'
    local rows = all(4, 3, 0, 2, 6, 2, 10) .. all(4, 0, 0, 4, 6, 0, 0) .. all(4, 1, 2, 0, 0, 1, 11)
    local x = loaded(24, 3, { { 'PI(3)', 'i' }, { '1PA(4)', 'a' }, { 'PL', 'l' } }, rows, nil, heap)
    assertClose(torch.ShortTensor { 5, 6, 7 }, x.i[1])
    assert.same({ 'torch.ShortTensor', 0 }, { x.i[2]:type(), x.i[2]:nElement() })
    assertClose(torch.ShortTensor { 6 }, x.i[3])
    assert.same({ 'hi', 'hi', '' }, x.a)
    assertClose(torch.BoolTensor { true, false }, x.l[1])
    assert.equal(0, x.l[2]:nElement())
    assertClose(torch.BoolTensor { false }, x.l[3])
    x = loaded(32, 1, { { 'QB', 'b' }, { '0QD', 'none' }, { 'QE', 'e' } }, all(8, 2, 0, 1, 2), nil, '\8\9\63\128\0\0')
    assertClose(torch.ByteTensor { 8, 9 }, x.b[1])
    assert.same({}, x.none)
    assertClose(torch.FloatTensor { 1 }, x.e[1])
    x = loaded(16, 3, { { 'QB', 'b' } }, all(8, 1, 2, 2, 0, 0, 9), nil, '\7\8\9')
    assert.same({ { 9 }, { 7, 8 }, 0 }, { x.b[1]:totable(), x.b[2]:totable(), x.b[3]:nElement() })
    -- THEAP leaves a gap before the heap; PCOUNT has both.
    x = loaded(8, 1, { { 'PB', 'b' } }, all(4, 2, 1), { { 'THEAP', 12 } }, '....\6\7\8')
    assertClose(torch.ByteTensor { 7, 8 }, x.b[1])
  end)

  it('says what is wrong with a table', function()
    local function message(...) return messageOf(loaded, ...) end
    local at = ('at byte %d: '):format(atHeader + 1)
    files.write(name, bytes.image(8, {}) .. bytes.part({ 'XTENSION', 'BINTABLE' }, 8, { 1, 1 }, nil, '\1'))
    assert.equal(at .. 'expected TFIELDS from 0 to 999, read nil', messageOf(fits.load, name))
    for value, text in pairs { [-1] = '-1', [1000] = '1000', [0.5] = '0.5' } do
      files.write(name, bytes.image(8, {}) .. bytes.part({ 'XTENSION', 'BINTABLE' }, 8, { 1, 1 }, { { 'TFIELDS', value } }, '\1'))
      assert.equal(at .. 'expected TFIELDS from 0 to 999, read ' .. text, messageOf(fits.load, name))
    end
    files.write(name, bytes.image(8, {}) .. bytes.part({ 'XTENSION', 'BINTABLE' }, 8, { 1, 1 }, { { 'TFIELDS', 999 } }, '\1'))
    assert.equal(at .. 'expected TFORM1 of a known form, read nil', messageOf(fits.load, name))
    for _, form in ipairs { 'Z', '3', '', '2PJ', 'PZ', 'P', '2147483649J', 'PX' } do
      assert.equal(at .. 'expected TFORM2 of a known form, read ' .. form, message(1, 1, { { 'B' }, { form } }, '\1'))
    end
    assert.equal(at .. 'expected TFORM1 of a known form, read 7', message(1, 1, { { 7 } }, '\1'))
    assert.equal(at .. 'expected fields of at most 3 bytes, read 4 with column 2', message(3, 1, { { 'I' }, { 'I' } }, '\1\2\3'))
    assert.equal(at .. 'expected fields of at most 3 bytes, read 8589934592 with column 1', message(3, 1, { { '2147483648J' } }, '\1\2\3'))
    assert.equal(at .. 'expected fields of at most 1 bytes, read 2 with column 1', message(1, 1, { { '9X' } }, '\1'))
    assert.equal(at .. 'expected fields of at most 7 bytes, read 8 with column 1', message(7, 1, { { 'PB' } }, ('\0'):rep(7)))
    assert.equal(at .. 'expected fields of at most 15 bytes, read 16 with column 1', message(15, 1, { { 'QB' } }, ('\0'):rep(15)))
    assert.equal(at .. 'expected at most 65536 rows without bytes, read 65537', message(0, 65537, { { '0A' } }, ''))
    assert.equal(65536, #loaded(0, 65536, { { '0A', 'a' } }, '').a)
    for _, sizes in ipairs { { 1 }, { 1, 1, 1 } } do
      files.write(name, bytes.image(8, {}) .. bytes.part({ 'XTENSION', 'BINTABLE' }, 8, sizes, { { 'TFIELDS', 0 } }, '\1'))
      assert.equal(at .. 'expected a table with BITPIX 8 and NAXIS 2, read another', messageOf(fits.load, name))
    end
    files.write(name, bytes.image(8, {}) .. bytes.part({ 'XTENSION', 'TABLE' }, 16, { 1, 1 }, { { 'TFIELDS', 0 } }, '\1\1'))
    assert.equal(at .. 'expected a table with BITPIX 8 and NAXIS 2, read another', messageOf(fits.load, name))
  end)

  it('says which arrays are outside the heap', function()
    local function message(rows, heap, more, form)
      return messageOf(loaded, form == 'QI' and 17 or 9, 2, { { 'B' }, { form or 'PI', 'p' } }, rows, more, heap)
    end
    local function rows(n, at) return '.' .. all(4, 1, 0) .. '.' .. all(4, n, at) end
    local function expected(n) return ('at byte %d: expected an array in the heap, read %d elements'):format(data + 1 + 9 + 1, n) end
    assert.equal(expected(2), message(rows(2, 2), ('\0'):rep(4)))      -- one byte too far
    assert.equal(expected(2), message(rows(2, 1), ('\0'):rep(4)))      -- inside, but with the first one more bytes than the heap
    assert.equal(expected(3), message(rows(3, 0), ('\0'):rep(6)))
    assert.equal(expected(1), message(rows(1, 3), ('\0'):rep(4)))
    assert.equal(expected(1), message(rows(1, 2 ^ 32 - 1), ('\0'):rep(4)))
    assert.equal(expected(2 ^ 32 - 1), message(rows(2 ^ 32 - 1, 0), ('\0'):rep(4)))
    assertClose(torch.ShortTensor { 3 }, loaded(9, 2, { { 'B' }, { 'PI', 'p' } }, rows(1, 2), nil, '\0\1\0\3').p[2])
    -- No place matters for an empty array.
    assert.equal(0, loaded(9, 2, { { 'B' }, { 'PI', 'p' } }, rows(0, 2 ^ 31), nil, '\0\1').p[2]:nElement())
    local long = '.' .. all(8, 1, 0) .. '.' .. all(8, 1, 2 ^ 52)
    assert.equal(('at byte %d: expected an array in the heap, read 1 elements'):format(data + 1 + 17 + 1), message(long, '\0\1\2\3', nil,
      'QI'))
    local at = ('at byte %d: expected THEAP of 0 or more, read '):format(atHeader + 1)
    for _, value in ipairs { -1, 1.5 } do assert.equal(at .. value, message(rows(0, 0), '', { { 'THEAP', value } })) end
    assert.equal(at .. 'far', message(rows(0, 0), '', { { 'THEAP', 'far' } }))
    -- The heap may begin at the first row, as 0 says.
    assertClose(torch.ByteTensor { 46 }, loaded(9, 1, { { 'B' }, { 'PB', 'p' } }, '.' .. all(4, 1, 0), { { 'THEAP', 0 } }, 'x').p[1])
  end)
end)

describe('fits.load of a table of text', function()
  it('reads numbers, texts and gaps', function()
    local function field(form, title, column, more)
      local cards = { TBCOL = column }
      for key, value in pairs(more or {}) do cards[key] = value end
      return { form, title, cards }
    end
    local fields = { field('A4', 'a', 1), field('I3', 'i', 6), field('E6.1', 'e', 9), field('D5.1', 'd', 16), field('F4.2', 'f', 22,
      { TNULL = "n/a " }) }
    local text = 'abc |  7 1.5E1x1.5D2|1.25' .. 'd    -12      x1d-1 |n/a ' .. '    |abc+3.   x-.5  |   x'
    local x = loadedText(25, 3, fields, text)
    assert.same({ 'abc', 'd', '' }, x.a)
    assertClose(torch.DoubleTensor { 7, -12, nan }, x.i)
    assertClose(torch.DoubleTensor { 15, 0, 3 }, x.e)
    assertClose(torch.DoubleTensor { 150, 0.1, -0.5 }, x.d)
    assertClose(torch.DoubleTensor { 1.25, nan, nan }, x.f)
    assert.same({ 'a', 'i', 'e', 'd', 'f' }, fits.load(name, nil, { frame = true }).names)
    assert.same({ 0, 'torch.DoubleTensor' }, { loadedText(3, 0, { field('I3', 'i', 1) }, '').i:nElement(), loadedText(3, 0, { field('I3',
      'i', 1) }, '').i:type() })
    -- Fields may be in any order.
    x = loadedText(4, 1, { field('A2', 'right', 3), field('A2', 'left', 1) }, 'abcd')
    assert.same({ 'cd', 'ab' }, { x.right[1], x.left[1] })
  end)

  it('says what is wrong with fields', function()
    local at = ('at byte %d: '):format(atHeader + 1)
    local function message(form, column) return messageOf(loadedText, 4, 1, { { form, 'x', { TBCOL = column } } }, 'abcd') end
    for _, column in ipairs { 0, -1, 1.5, 'x' } do assert.equal(at .. 'expected TFORM1 of a known form, read A2', message('A2', column)) end
    assert.equal(at .. 'expected TFORM1 of a known form, read 2A', message('2A', 1))
    assert.equal(at .. 'expected TFORM1 of a known form, read A', message('A', 1))
    assert.equal(at .. 'expected fields of at most 4 bytes, read 5 with column 1', message('A2', 4))
    assert.equal(at .. 'expected fields of at most 4 bytes, read 5 with column 1', message('A5', 1))
    assert.equal('d', loadedText(4, 1, { { 'A1', 'x', { TBCOL = 4 } } }, 'abcd').x[1])
    assert.equal(at .. 'expected fields of at most 4 bytes, read 6 with column 2', messageOf(loadedText, 4, 1, {
      { 'A3', 'x', { TBCOL = 1 } }, { 'A3', 'y', { TBCOL = 1 } } }, 'abcd'))
  end)
end)

describe('fits.save of a table', function()
  it('writes the bytes of the format', function()
    fits.save(name, { b = torch.ByteTensor { 1, 2 }, c = { 'x', 'yz' }, f = torch.BoolTensor { { true, false }, { false, true } },
                      s = torch.ShortTensor { { 258, -2 }, { 3, 4 } }, u = torch.UInt16Tensor { 0, 65535 } })
    local text = files.read(name)
    local expected = bytes.header { bytes.simple, { 'BITPIX', 8 }, { 'NAXIS', 0 }, { 'EXTEND', true } } .. bytes.header {
      { 'XTENSION', 'BINTABLE' }, { 'BITPIX', 8 }, { 'NAXIS', 2 }, { 'NAXIS1', 11 }, { 'NAXIS2', 2 }, { 'PCOUNT', 0 }, { 'GCOUNT', 1 },
      { 'TFIELDS', 5 }, { 'TTYPE1', 'b' }, { 'TFORM1', '1B' }, { 'TTYPE2', 'c' }, { 'TFORM2', '2A' }, { 'TTYPE3', 'f' }, { 'TFORM3', '2L' },
      { 'TTYPE4', 's' }, { 'TFORM4', '2I' }, { 'TTYPE5', 'u' }, { 'TFORM5', '1I' }, { 'TZERO5', 32768 } } ..
      bytes.data('\1x\0TF\1\2\255\254\128\0' .. '\2yzFT\0\3\0\4\127\255')
    assert.equal(expected, text)
  end)

  it('writes columns of each type, and of no rows', function()
    local kinds = { Byte = 'B', Char = 'B', Short = 'I', UInt16 = 'I', Int = 'J', UInt32 = 'J', Long = 'K', UInt64 = 'K', Float = 'E',
      Double = 'D' }
    local columns = {}
    for kind in pairs(kinds) do columns[kind] = torch.range(1, 3):type(('torch.%sTensor'):format(kind)) end
    columns.ComplexFloat = torch.complex(torch.FloatTensor { 1, 2, 3 }, torch.FloatTensor { 4, 5, 6 })
    columns.ComplexDouble = torch.complex(torch.DoubleTensor { 1, 2, 3 }, torch.DoubleTensor { 4, 5, 6 })
    fits.save(name, columns)
    local x, header = fits.load(name)
    for kind in pairs(kinds) do assertClose(columns[kind], x[kind]) end
    for _, kind in ipairs { 'ComplexFloat', 'ComplexDouble' } do
      assert.equal(columns[kind]:type(), x[kind]:type())
      assertClose(torch.imag(columns[kind]):clone(), torch.imag(x[kind]):clone())
    end
    local zeros = {}
    for i = 1, 12 do zeros[(header:get('TTYPE' .. i))] = (header:get('TZERO' .. i)) end
    assert.same({ Char = -128, UInt16 = 32768, UInt32 = 2 ^ 31, UInt64 = 2 ^ 63 }, zeros)
    fits.save(name, { a = torch.ShortTensor(0), b = {}, c = torch.Tensor(0, 3), d = torch.BoolTensor(0) })
    x = fits.load(name)
    assert.same({ { 0 }, {}, { 0, 3 }, { 0 } }, { x.a:size():totable(), x.b, x.c:size():totable(), x.d:size():totable() })
    fits.save(name, {})
    assert.same({}, fits.load(name))
    fits.save(name, { x = torch.ByteTensor(2, 3):fill(1):t() })
    assert.same({ 3, 2 }, fits.load(name).x:size():totable())
    local strided = torch.range(1, 6):short():view(2, 3):t()
    fits.save(name, { x = strided, half = torch.HalfTensor { 0.5, 1, 2 } })
    assertClose(strided:clone(), fits.load(name).x)
  end)

  it('writes categories of frames as texts', function()
    local frame = require('data').Frame({ kind = torch.LongTensor { 2, 1, 0 }, n = torch.DoubleTensor { 1, 2, 3 } }, { 'kind', 'n' })
    frame.types.kind, frame.categories.kind = 'category', { 'star', 'galaxy' }
    fits.save(name, frame)
    assert.same({ 'galaxy', 'star', '' }, fits.load(name).kind)
  end)

  it('puts parts in order', function()
    fits.save(name, { { data = torch.ByteTensor { 1 }, name = 'A', header = { K = 1 } }, { data = { x = torch.ones(1) }, name = 'B' },
                      { data = torch.UInt16Tensor { 7 } } })
    local text = files.read(name)
    assert.equal(bytes.header { bytes.simple, { 'BITPIX', 8 }, { 'NAXIS', 1 }, { 'NAXIS1', 1 }, { 'EXTEND', true }, { 'EXTNAME', 'A' },
      { 'K', 1 } },
      text:sub(1, 2880))
    assert.equal(bytes.header { { 'XTENSION', 'IMAGE' }, { 'BITPIX', 16 }, { 'NAXIS', 1 }, { 'NAXIS1', 1 }, { 'PCOUNT', 0 }, { 'GCOUNT',
      1 },
                                { 'BSCALE', 1 }, { 'BZERO', 32768 } } .. bytes.data '\128\7', text:sub(-5760))
    fits.save(name, { {}, { data = torch.ByteTensor { 1 } } })
    assert.equal(bytes.header { bytes.simple, { 'BITPIX', 8 }, { 'NAXIS', 0 }, { 'EXTEND', true } }, files.read(name):sub(1, 2880))
    assert.equal(2, #fits.open(name))
    fits.save(name, torch.ByteTensor(0, 2))
    assert.same({ 0, 2 }, fits.load(name):size():totable())
    assert.equal(2880, #files.read(name))
    fits.save(name, torch.BoolTensor { true, false })
    assertClose(torch.ByteTensor { 1, 0 }, (fits.load(name)))
    fits.save(name, torch.HalfTensor { 0.5 })
    assertClose(torch.FloatTensor { 0.5 }, (fits.load(name)))
    fits.save(name, torch.ByteTensor(2880):fill(1))
    assert.equal(5760, #files.read(name))
    fits.save(name, torch.ByteTensor(2881):fill(1))
    assert.equal(8640, #files.read(name))
  end)

  it('refuses what tables cannot hold', function()
    local function refused(expected, ...)
      local good, problem = pcall(fits.save, name, ...)
      assert.is_false(good)
      assert.equal('fits.save: ' .. expected, (tostring(problem):gsub('^[^ ]*:%d+: ', '')))
    end
    refused('column a: 3 dimensions, expected 1 or 2', { a = torch.ones(1, 1, 1) })
    refused('column a: 0 dimensions, expected 1 or 2', { a = torch.Tensor() })
    refused("column a: element 2: 'gr\195\188n', expected a string of ASCII", { a = { 'x', 'gr\195\188n' } })
    refused('column a: element 1: 3, expected a string of ASCII', { a = { 3 } })
    refused('data: 3, expected a tensor or columns', 3)
    refused('part: options: dat, expected one of data, header, name', { { dat = 1 } })
    refused('name: a table, expected a string', { { data = torch.ones(1), name = {} } })
    refused('header: 3, expected a table', torch.ones(1), 3)
  end)
end)
