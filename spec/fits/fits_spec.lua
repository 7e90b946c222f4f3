-- Files of Astropy (figures.py), our own read back, known bytes, and messages about damaged files.
local torch = require 'torch'
local fits = require 'fits'
local files = require 'spec.support.files'
local assertClose = require('spec.support.close').within { sameType = true }

local folder = 'spec/fits/data/'

local function withoutPlace(message) return (tostring(message):gsub('^[^ ]*:%d+: ', '')) end

describe('fits.load', function()
  it('reads images of every type', function()
    local x, header = fits.load(folder .. 'images.fits')
    assertClose(torch.FloatTensor { { 0, 0.5, 1 }, { 1.5, 2, 2.5 } }, x)
    assert.equal("M31's", header:get 'object')
    local kinds = { U8 = 'Byte', I16 = 'Short', I32 = 'Int', I64 = 'Long', F64 = 'Double', I8 = 'Char', U16 = 'UInt16', U32 = 'UInt32',
                    U64 = 'UInt64' }
    local largest = { U8 = 255, I16 = 32767, I32 = 2 ^ 31 - 1, F64 = 6, I8 = 127, U16 = 65535, U32 = 2 ^ 32 - 1 }
    for name, kind in pairs(kinds) do
      local y = fits.load(folder .. 'images.fits', name)
      assert.equal(('torch.%sTensor'):format(kind), y:type())
      assert.same({ 1, 2, 3, 4, 5 }, y:double():view(-1):narrow(1, 1, 5):totable())
      if largest[name] then assert.equal(largest[name], tonumber(y[2][3]), name) end
    end
    assert.equal('9223372036854775807LL', tostring(fits.load(folder .. 'images.fits', 'I64')[2][3]))
    assert.equal('18446744073709551615ULL', tostring(fits.load(folder .. 'images.fits', 'U64')[2][3]))
    assertClose(torch.range(0, 23):short():view(2, 3, 4), (fits.load(folder .. 'images.fits', 'CUBE')))
  end)

  it('scales values, or returns them as they are stored', function()
    local x = fits.load(folder .. 'images.fits', 'SCALED')
    assertClose(torch.FloatTensor { 100.5, 101 }, x:narrow(1, 1, 2))
    assert.is_true(x[3] ~= x[3])
    assertClose(torch.ShortTensor { 1, 2, -99 }, (fits.load(folder .. 'images.fits', 'SCALED', { scale = false })))
    assertClose(torch.ShortTensor { { -32767, -32766, -32765 }, { -32764, -32763, 32767 } },
      (fits.load(folder .. 'images.fits', 'U16', { scale = false })))
  end)

  it('reads headers', function()
    local header = fits.open(folder .. 'images.fits')[1].header
    local function got(key) return { header:get(key) } end
    assert.same({ { "M31's", 'name' }, { 30.5, 'seconds' }, { true }, { -7 }, { ('abcdefghij'):rep(12) }, { 1.5 }, { 1.25e-30 },
                  { { 1, 2 } } }, { got 'OBJECT', got 'EXPTIME', got 'FLAG', got 'COUNT',
                                    got 'LONG', got 'ESO DET GAIN', got 'SMALL', got 'COMPLEX' })
    assert.is_nil((header:get 'UNDEF'))
    local history = {}
    for _, card in ipairs(header.cards) do
      if card.key == 'HISTORY' then history[#history + 1] = card.value end
    end
    assert.same({ 'one', 'two' }, history)
    assert.equal('first light', (header:get 'COMMENT'))
  end)

  it('reads tables', function()
    local parts = fits.open(folder .. 'tables.fits')
    assert.same({ 'image', 'table', 'text table' }, { parts[1].kind, parts[2].kind, parts[3].kind })
    assert.same({ 3 }, parts[2].sizes)
    assert.is_nil(parts[1]:read())
    local x = fits.load(folder .. 'tables.fits')
    assertClose(torch.BoolTensor { true, false, true }, x.flag)
    assertClose(torch.eye(10):narrow(1, 1, 3):bool(), x.bits)
    assertClose(torch.ByteTensor { 1, 2, 255 }, x.b)
    assertClose(torch.ShortTensor { 1, -2, 3 }, x.i)
    assertClose(torch.IntTensor { 1, -2, 3 }, x.j)
    assertClose(torch.LongTensor { 1, -2, 2 ^ 40 }, x.k)
    assert.same({ 'one', 'three', '' }, x.word)
    assertClose(torch.FloatTensor { 0.5, 1, 1.5 }, x.e)
    assertClose(torch.DoubleTensor { { 1, 2 }, { 3, 4 }, { 5, 6 } }, x.d)
    assert.same({ 2, 0, -1 }, torch.imag(x.c):double():totable())
    assert.same({ 'torch.ComplexFloatTensor', 'torch.ComplexDoubleTensor' }, { x.c:type(), x.m:type() })
    assertClose(torch.UInt32Tensor { 0, 1, 2 ^ 32 - 1 }, x.u)
    assertClose(torch.DoubleTensor { 10.5, 11, 12 }, x.s)
    assert.same({ 2, 0, 1 }, { x.ragged[1]:nElement(), x.ragged[2]:nElement(), x.ragged[3]:nElement() })
    assertClose(torch.IntTensor { 1, 2 }, x.ragged[1])
    local text = fits.load(folder .. 'tables.fits', 'TEXT', { frame = true })
    assert.equal('data.Frame', torch.type(text))
    assert.same({ 'word', 'n', 'x' }, text.names)
    assertClose(torch.DoubleTensor { 0.5, 1e-10, -3 }, text.columns.x)
    assert.same({ 'one', 'three', '' }, text.columns.word)
  end)

  it('says what is wrong with a file', function()
    local name, whole = os.tmpname(), files.read(folder .. 'images.fits')
    local function message(bytes, ...)
      files.write(name, bytes)
      local good, problem = pcall(fits.load, name, ...)
      assert.is_false(good)
      return (withoutPlace(problem):gsub(name:gsub('%p', '%%%0'), 'x'))
    end
    assert.equal('fits.load: x: at byte 1: expected a block of 2880 bytes with cards and END, read 100 bytes to the end of the file',
      message(whole:sub(1, 100)))
    assert.equal('fits.load: x: at byte 2881: expected 24 bytes of data of part 1, read 20 bytes to the end of the file',
      message(whole:sub(1, 2900)))
    assert.equal('fits.load: x: at byte 1: expected BITPIX 8, 16, 32, 64, -32 or -64, read 7',
      (message((whole:gsub('BITPIX  =                  %-32', 'BITPIX  =                    7', 1)))))
    assert.equal('fits.load: x: part NONE, expected one of 1, U8, I16, I32, I64, F64, I8, U16, U32, U64, CUBE, SCALED',
      message(whole, 'NONE'))
    os.remove(name)
  end)
end)

describe('fits.save', function()
  local name
  before_each(function() name = os.tmpname() end)
  after_each(function() os.remove(name) end)

  it('writes images that load reads', function()
    local list = {}
    for i, kind in ipairs { 'Byte', 'Char', 'Short', 'UInt16', 'Int', 'UInt32', 'Long', 'UInt64', 'Float', 'Double' } do
      list[i] = { data = torch.range(1, 24):type(('torch.%sTensor'):format(kind)):view(2, 3, 4), name = kind }
    end
    list[1].header = { { 'OBJECT', "M31's", 'name' }, { 'LONG', ("it's "):rep(40) .. '.' }, { 'EXPTIME', 0.1 }, { 'MORETHANEIGHT', 5 },
                       { 'COMMENT', 'a' }, { 'COMMENT', 'b' }, { 'BITPIX', 64 }, { 'FLAG', false } }
    fits.save(name, list)
    for _, part in ipairs(list) do assertClose(part.data, (fits.load(name, part.name))) end
    local header = fits.open(name)[1].header
    local found = {}
    for k, key in ipairs { 'OBJECT', 'LONG', 'EXPTIME', 'MORETHANEIGHT', 'COMMENT', 'FLAG', 'EXTEND' } do found[k] = header:get(key) end
    assert.same({ "M31's", ("it's "):rep(40) .. '.', 0.1, 5, 'a', false, true }, found)
    fits.save(name, torch.LongTensor(0, 3))
    assertClose(torch.LongTensor(0, 3), (fits.load(name)))
  end)

  it('writes the bytes of the format', function()
    fits.save(name, torch.ShortTensor { { 1, -2, 258 } }, { OBJECT = 'x' })
    local bytes = files.read(name)
    assert.equal(2 * 2880, #bytes)
    local function card(text) return text .. (' '):rep(80 - #text) end
    assert.equal(card 'SIMPLE  =                    T' .. card 'BITPIX  =                   16' .. card 'NAXIS   =                    2' ..
      card 'NAXIS1  =                    3' .. card 'NAXIS2  =                    1' .. card "OBJECT  = 'x       '" .. card 'END' ..
      (' '):rep(2880 - 7 * 80), bytes:sub(1, 2880))
    assert.equal('\0\1\255\254\1\2' .. ('\0'):rep(2874), bytes:sub(2881))
  end)

  it('writes tables, and frames', function()
    local columns = {
      x = torch.DoubleTensor { 1, 2, 3 }, word = { 'a', 'three', '' }, pair = torch.range(1, 6):short():view(3, 2),
      u = torch.UInt16Tensor { 1, 2, 65535 }, flag = torch.BoolTensor { true, false, true },
      z = torch.complex(torch.ones(3), torch.zeros(3)), half = torch.HalfTensor { 0.5, 1, 2 },
    }
    fits.save(name, columns)
    local y = fits.load(name)
    for key, column in pairs(columns) do
      if torch.isTensor(column) and key ~= 'half' and key ~= 'z' then assertClose(column, y[key]) end
    end
    assert.same(columns.word, y.word)
    assertClose(torch.FloatTensor { 0.5, 1, 2 }, y.half)
    assert.is_true(y.z:isComplex())
    fits.save(name, { { data = { n = torch.LongTensor(0), rows = torch.LongTensor(0, 3), word = {} }, name = 'NONE' } })
    y = fits.load(name, 'NONE')
    assert.same({ { 0 }, { 0, 3 }, {} }, { y.n:size():totable(), y.rows:size():totable(), y.word })
    local data = require 'data'
    local frame = data.Frame({ n = torch.LongTensor { 1, 2 }, word = { 'a', 'b' } }, { 'word', 'n' })
    fits.save(name, { { data = torch.ones(2) }, { data = frame, name = 'STARS' } })
    local again = fits.load(name, 'STARS', { frame = true })
    assert.same({ 'word', 'n' }, again.names)
    assertClose(frame.columns.n, again.columns.n)
  end)

  it('takes one part without a list', function()
    fits.save(name, { data = torch.ones(2, 2), header = { { 'OBJECT', 'M31' } } })
    local x, header = fits.load(name)
    assert.same({ 4, 'M31' }, { x:sum(), (header:get 'OBJECT') })
    fits.save(name, { data = { data = torch.ones(2), header = { 'a', 'b' } }, name = 'COLUMNS' })
    assert.same({ 'a', 'b' }, fits.load(name, 'COLUMNS').header)
    fits.save(name, { data = torch.ones(2), header = { 'a', 'b' } })      -- columns of these names
    assert.same({ 'a', 'b' }, fits.load(name).header)
  end)

  it('writes a header that was read', function()
    local x, header = fits.load(folder .. 'images.fits')
    header:set('OBJECT', 'M32'):set('NEW', 1, 'new'):set('FLAG', nil)
    fits.save(name, x, header)
    local _, again = fits.load(name)
    assert.same({ 'M32', 1, 1.5 }, { (again:get 'OBJECT'), (again:get 'NEW'), (again:get 'ESO DET GAIN') })
    assert.is_nil((again:get 'FLAG'))
    assert.equal('EXPTIME', fits.header({ { 'exptime', 3 } }).cards[1].key)
  end)

  it('refuses what files cannot hold, and writes nothing', function()
    files.write(name, 'before')
    local function refused(message, ...)
      assert.equal(message, withoutPlace(select(2, pcall(fits.save, name, ...))))
      assert.equal('before', files.read(name))
    end
    local x = torch.ones(2)
    refused('fits.save: data: torch.ComplexDoubleTensor, expected real numbers', torch.complex(x, x))
    refused('fits.save: card BAD: a function, expected a string, a boolean, a finite number or two numbers', x, { BAD = print })
    refused("fits.save: card TEXT: 'gr\195\188n', expected characters of ASCII", x, { TEXT = 'gr\195\188n' })
    refused('fits.save: column b: 3 rows, expected 2', { a = x, b = torch.ones(3) })
    refused('fits.save: column a: a function, expected a tensor or a list of strings', { a = print })
    refused('fits.save: parts: nil, expected a tensor, columns or a list of parts')
    refused('fits.save: part: no data, which only the first part may lack', { { data = x }, { name = 'x' } })
  end)
end)
