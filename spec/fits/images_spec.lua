-- Images of hand-made files (bytes.lua): each BITPIX with BSCALE, BZERO and BLANK, several sizes, parts behind each other.
local torch = require 'torch'
local fits = require 'fits'
local files = require 'spec.support.files'
local bytes = require 'spec.fits.bytes'
local assertClose = require('spec.support.close').within { sameType = true, equalNan = true }

local all, image, simple = bytes.all, bytes.image, bytes.simple
local nan = 0 / 0

describe('fits.load of an image', function()
  local name
  before_each(function() name = os.tmpname() end)
  after_each(function() os.remove(name) end)

  local function loaded(text, ...)
    files.write(name, text)
    return (fits.load(name, ...))
  end

  -- Three numbers of each BITPIX: 1, -2 (254) and 5.
  local stored = {
    [8] = '\1\254\5', [16] = all(2, 1, -2, 5), [32] = all(4, 1, -2, 5), [64] = all(8, 1, -2, 5),
    [-32] = '\63\128\0\0\192\0\0\0\64\160\0\0', [-64] = '\63\240' .. ('\0'):rep(6) .. '\192' .. ('\0'):rep(7) .. '\64\20' .. ('\0'):rep(6),
  }
  local kindOf = { [8] = 'Byte', [16] = 'Short', [32] = 'Int', [64] = 'Long', [-32] = 'Float', [-64] = 'Double' }
  -- Floats hold each integer of 16 bits times a small number, doubles those of 32.
  local scaledKindOf = { [8] = 'Float', [16] = 'Float', [32] = 'Double', [64] = 'Double', [-32] = 'Float', [-64] = 'Double' }

  for bits, data in pairs(stored) do
    it('applies BSCALE, BZERO and BLANK to BITPIX ' .. bits, function()
      local function tensor(kind, ...) return torch[kind .. 'Tensor'] { ... } end
      local second, kind = bits == 8 and 254 or -2, scaledKindOf[bits]
      assertClose(tensor(kindOf[bits], 1, second, 5), loaded(image(bits, { 3 }, nil, data)))
      assertClose(tensor(kindOf[bits], 1, second, 5), loaded(image(bits, { 3 }, { { 'BSCALE', '1.0' }, { 'BZERO', '0.0' } }, data)))
      assertClose(tensor(kind, 2, 2 * second, 10), loaded(image(bits, { 3 }, { { 'BSCALE', 2 } }, data)))
      assertClose(tensor(kind, 4, second + 3, 8), loaded(image(bits, { 3 }, { { 'BZERO', 3 } }, data)))
      local both = { { 'BSCALE', 2 }, { 'BZERO', 3 }, { 'BLANK', 5 } }
      -- BLANK is for integers only.
      assertClose(tensor(kind, 5, 2 * second + 3, bits < 0 and 13 or nan), loaded(image(bits, { 3 }, both, data)))
      assertClose(tensor(kindOf[bits], 1, second, 5), loaded(image(bits, { 3 }, both, data), nil, { scale = false }))
      assertClose(tensor(bits < 0 and kindOf[bits] or kind, 1, second, bits < 0 and 5 or nan),
        loaded(image(bits, { 3 }, { { 'BLANK', 5 } }, data)))
    end)
  end

  it('reads integers of the other sign', function()
    assertClose(torch.CharTensor { -128, 127, 0 }, loaded(image(8, { 3 }, { { 'BZERO', -128 } }, '\0\255\128')))
    assertClose(torch.UInt16Tensor { 0, 65535 }, loaded(image(16, { 2 }, { { 'BZERO', 32768 } }, '\128\0\127\255')))
    assertClose(torch.UInt32Tensor { 0, 2 ^ 32 - 1 }, loaded(image(32, { 2 }, { { 'BZERO', 2147483648 } }, '\128\0\0\0\127\255\255\255')))
    local u64 = loaded(image(64, { 2 }, { { 'BZERO', '9223372036854775808' } }, '\128' .. ('\0'):rep(7) .. '\0' .. ('\0'):rep(6) .. '\1'))
    assert.equal('torch.UInt64Tensor', u64:type())
    assert.same({ '0', '9223372036854775809ULL' }, { tostring(u64[1]), tostring(u64[2]) })
    -- Other values of BSCALE, BZERO or a BLANK mean numbers.
    assertClose(torch.FloatTensor { -128 + 2 }, loaded(image(8, { 1 }, { { 'BSCALE', 2 }, { 'BZERO', -128 } }, '\1')))
    assertClose(torch.FloatTensor { nan, 32769 }, loaded(image(16, { 2 }, { { 'BZERO', 32768 }, { 'BLANK', 7 } }, all(2, 7, 1))))
    assertClose(torch.FloatTensor { 32768.5 }, loaded(image(-32, { 1 }, { { 'BZERO', 32768 } }, '\63\0\0\0')))
  end)

  it('gives sizes in the other order, and empty images', function()
    local x = loaded(image(8, { 3, 2, 1 }, nil, '\1\2\3\4\5\6'))
    assertClose(torch.ByteTensor { { { 1, 2, 3 }, { 4, 5, 6 } } }, x)
    assert.same({ 1, 2, 3 }, fits.open(name)[1].sizes)
    local none = loaded(image(16, { 0, 4 }, { { 'BZERO', 32768 } }))
    assert.same({ 'torch.UInt16Tensor', 4, 0 }, { none:type(), none:size(1), none:size(2) })
    assert.equal('torch.IntTensor', loaded(image(32, { 0 }, { { 'BSCALE', 3 } })):type())
    assert.is_nil(loaded(image(8, {})))
    assert.same({}, fits.open(name)[1].sizes)
  end)

  it('finds parts behind each other', function()
    -- Two blocks of a header, END as the last card of a block, PCOUNT and GCOUNT, data of more than a block, a foreign extension.
    local long = {}
    for i = 1, 36 - 4 do long[i] = { 'KEY' .. i, i } end
    local exact = image(8, { 1 }, long, '\7')
    assert.equal(2 * 2880, #exact - 2880)
    local short = {}
    for i = 1, 36 - 5 do short[i] = { 'KEY' .. i, i } end
    local full = image(8, { 1 }, short, '\9')
    assert.equal(2 * 2880, #full)
    local function extension(kind, bits, sizes, more, data) return bytes.part({ 'XTENSION', kind }, bits, sizes, more, data) end
    local text = exact .. extension('IMAGE', 16, { 2 }, { { 'PCOUNT', 2 }, { 'GCOUNT', 400 }, { 'EXTNAME', 'MANY' } },
      all(2, 1, 2, 3, 4) .. ('\0'):rep(3200 - 8)) ..
      extension('FOREIGN', 8, { 3000 }, { { 'EXTNAME', 5 } }, ('x'):rep(3000)) ..
      extension('IMAGE', 8, { 1 }, { { 'EXTNAME', 'LAST' } }, '\8') .. 'XTENSION and other bytes'
    assertClose(torch.ByteTensor { 8 }, loaded(text, 'LAST'))
    local parts = fits.open(name)
    assert.equal(4, #parts)
    assert.same({ 'image', 'image', 'FOREIGN', 'image' }, { parts[1].kind, parts[2].kind, parts[3].kind, parts[4].kind })
    assert.same({ nil, 'MANY', nil, 'LAST' }, { parts[1].name, parts[2].name, parts[3].name, parts[4].name })
    assertClose(torch.ByteTensor { 7 }, parts[1]:read())
    assert.equal(32, (parts[1].header:get 'KEY32'))
    assertClose(torch.ShortTensor { 1, 2 }, parts[2]:read())
    assertClose(torch.ByteTensor { 9 }, loaded(full))
    assert.equal(1, #fits.open(name))
    -- The last data unit may end without its padding, and other bytes may follow it.
    assertClose(torch.ByteTensor { 1, 2 }, loaded(image(8, { 2 }, nil, '\1\2'):sub(1, 2882)))
    assertClose(torch.ByteTensor { 1, 2 }, loaded(image(8, { 2 }, nil, '\1\2') .. ('z'):rep(2880)))
    assert.equal(1, #fits.open(name))
    assertClose(torch.ByteTensor { 1, 2 }, loaded(image(8, { 2 }, nil, '\1\2') .. ('XTENSION'):rep(359)))
  end)

  it('steps over random groups', function()
    -- Section 6 of the standard: NAXIS1 = 0, GCOUNT groups of PCOUNT parameters and NAXIS2 x ... elements.
    local more = { { 'GROUPS', true }, { 'PCOUNT', 2 }, { 'GCOUNT', 300 } }
    local groups = image(16, { 0, 3, 2 }, more, ('\0'):rep(300 * (2 + 6) * 2))
    local text = groups .. bytes.part({ 'XTENSION', 'IMAGE' }, 8, { 1 }, { { 'EXTNAME', 'NEXT' } }, '\3')
    assertClose(torch.ByteTensor { 3 }, loaded(text, 'NEXT'))
    local parts = fits.open(name)
    assert.equal('random groups', parts[1].kind)
    local good, problem = pcall(parts[1].read, parts[1])
    assert.is_false(good)
    assert.matches('part 1: at byte 1: expected an image or a table, read random groups$', tostring(problem))
    assert.equal('image', (files.write(name, image(16, { 2 }, { { 'GROUPS', true } }, '\0\1\0\2')) or fits.open(name)[1].kind))
    assert.equal('image', (files.write(name, image(16, { 0 }, { { 'GROUPS', false } })) or fits.open(name)[1].kind))
  end)

  it('chooses the first part with data, a number or a name', function()
    local function extension(value, title)
      return bytes.part({ 'XTENSION', 'IMAGE' }, 8, { 1 }, { { 'EXTNAME', title } }, string.char(value))
    end
    local text = image(8, {}) .. extension(1, 'A') .. extension(2, 'B') .. extension(3, 'B')
    assert.equal(1, loaded(text)[1])
    assert.same({ 2, 2, 3 }, { loaded(text, 'B')[1], loaded(text, 3)[1], loaded(text, 4)[1] })
    assert.is_nil(loaded(text, 1))
    local _, header = fits.load(name, 2)
    assert.equal('A', (header:get 'EXTNAME'))
  end)

  it('says what is wrong with a file', function()
    local function message(text, ...)
      files.write(name, text)
      local good, problem = pcall(fits.load, name, ...)
      assert.is_false(good)
      return (tostring(problem):gsub('^.*fits%.load: ', ''):gsub('^' .. name:gsub('%p', '%%%0') .. ': ', ''):gsub('; this is .*$', ''))
    end
    local function header(...) return bytes.header { simple, ... } end
    assert.equal('at byte 1: expected BITPIX from -64 to 64, read nil', message(header { 'NAXIS', 0 }))
    assert.equal('at byte 1: expected BITPIX from -64 to 64, read -65', message(header { 'BITPIX', -65 }))
    assert.equal('at byte 1: expected BITPIX from -64 to 64, read 65', message(header { 'BITPIX', 65 }))
    assert.equal('at byte 1: expected BITPIX from -64 to 64, read 8.5', message(header { 'BITPIX', 8.5 }))
    assert.equal('at byte 1: expected BITPIX 8, 16, 32, 64, -32 or -64, read -8', message(header { 'BITPIX', -8 }))
    assert.equal('at byte 1: expected NAXIS from 0 to 999, read -1', message(header({ 'BITPIX', 8 }, { 'NAXIS', -1 })))
    assert.equal('at byte 1: expected NAXIS from 0 to 999, read 1000', message(header({ 'BITPIX', 8 }, { 'NAXIS', 1000 })))
    assert.equal('at byte 1: expected NAXIS1 from 0 to 9007199254740992, read nil', message(header({ 'BITPIX', 8 }, { 'NAXIS', 999 })))
    assert.equal('at byte 1: expected NAXIS2 from 0 to 9007199254740992, read -3', message(image(8, { 2, -3 })))
    assert.equal('at byte 1: expected NAXIS1 from 0 to 9007199254740992, read 1e+16', message(image(8, { '10000000000000000' })))
    assert.equal('at byte 1: expected at most 2^53 elements, read 1.80144e+16', message(image(8, { '9007199254740992', 2 })))
    assert.equal('at byte 1: expected at most 2^53 elements, read 1.80144e+16', message(image(8, { '9007199254740992', 0, 2 })))
    assert.equal('at byte 2881: expected 9007199254740992 bytes of data of part 1, read 0 bytes to the end of the file',
      message(image(8, { '9007199254740992' })))
    assert.equal('at byte 1: expected PCOUNT from 0 to 9007199254740992, read -1', message(image(8, { 1 }, { { 'PCOUNT', -1 } })))
    assert.equal('at byte 1: expected GCOUNT from 1 to 9007199254740992, read 0', message(image(8, { 1 }, { { 'GCOUNT', 0 } })))
    assert.equal('at byte 2881: expected 6 bytes of data of part 1, read 5 bytes to the end of the file',
      message(image(16, { 1 }, { { 'PCOUNT', 2 } }):sub(1, 2880) .. '12345'))
    assert.equal('at byte 2881: expected 4 bytes of data of part 1, read 3 bytes to the end of the file',
      message(image(16, { 2 }):sub(1, 2880) .. '123'))
    assert.equal('at byte 1: expected the card SIMPLE, read XTENSION', message(bytes.part({ 'XTENSION', 'IMAGE' }, 8, {})))
    assert.equal('at byte 1: expected the card SIMPLE, read nil', message(bytes.header {}))
    assert.equal('at byte 5761: expected BITPIX from -64 to 64, read nil',
      message(image(8, { 1 }, nil, '\1') .. bytes.header { { 'XTENSION', 'IMAGE' }, { 'NAXIS', 0 } }))
    assert.equal('at byte 5761: expected NAXIS from 0 to 999, read nil',
      message(image(8, { 1 }, nil, '\1') .. bytes.header { { 'XTENSION', 'IMAGE' }, { 'BITPIX', 8 } }))
    assert.equal('at byte 2881: expected a block of 2880 bytes with cards and END, read 2879 bytes to the end of the file',
      message((' '):rep(2880 + 2879)))
    local problem = message(bytes.card 'SIMPLE  =                    T' .. 'BITPIX  =          \0018' .. (' '):rep(2880))
    assert.equal('at byte 81: expected a card of printable characters, read "BITPIX  =          \\1"', problem)
    assert.equal('at byte 1: expected numbers as BSCALE and BZERO, read two and 0', message(image(8, { 1 }, { { 'BSCALE', 'two' } }, '\1')))
    assert.equal('at byte 1: expected numbers as BSCALE and BZERO, read 1 and T', message(image(8, { 1 }, { "BZERO   = 'T'" }, '\1')))
    assert.equal('at byte 2881: expected an image or a table, read true',
      message(image(8, {}) .. bytes.part({ 'XTENSION', true }, 8, { 1 }, nil, '\1')))
    local sizes = {}
    for i = 1, 65 do sizes[i] = 1 end
    assert.equal('at byte 1: expected an image of at most 64 dimensions, read 65', message(image(8, sizes, nil, '\1')))
    sizes[65] = nil
    assert.equal(64, loaded(image(8, sizes, nil, '\1')):dim())
    assert.equal('part 3, expected one of 1, 2', message(image(8, {}) .. bytes.part({ 'XTENSION', 'IMAGE' }, 8, {}), 3))
    assert.equal('part 0, expected one of 1', message(image(8, {}), 0))
    assert.equal('part: true, expected a number or a name', message(image(8, {}), true))
    assert.equal('options: size, expected one of scale, frame', message(image(8, {}), nil, { size = 1 }))
    assert.equal('scale: 1, expected true or false', message(image(8, {}), nil, { scale = 1 }))
    assert.equal('frame: 1, expected true or false', message(image(8, {}), nil, { frame = 1 }))
  end)
end)
