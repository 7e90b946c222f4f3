-- MAT-files of version 4 made by hand (bytes.lua) in both byte orders: types, characters, complex and sparse matrices, and damage.
local torch = require 'torch'
local matio = require 'matio'
local files = require 'spec.support.files'
local bytes = require 'spec.matio.bytes'
local assertClose = require('spec.support.close').within { sameType = true }

local name
before_each(function() name = os.tmpname() end)
after_each(function() os.remove(name) end)

local function loaded(text, ...)
  files.write(name, text)
  return matio.load(name, ...)
end

local function messageOf(text, ...)
  files.write(name, text)
  local good, problem = pcall(matio.load, name, ...)
  assert.is_false(good)
  return (tostring(problem):gsub('^.*matio%.load: ' .. name:gsub('%p', '%%%0') .. ': ', ''):gsub('; this is .*$', ''))
end

for _, isBig in ipairs { false, true } do
  local m, order = bytes.of(isBig), isBig and 1000 or 0
  -- Precision: 0 double, 1 single, 2 int32, 3 int16, 4 uint16, 5 uint8. Kind: 0 numbers, 1 text, 2 sparse.
  local function matrix(precision, kind, rows, columns, data, isComplex, title)
    return m:matrix4(order + 10 * precision + kind, rows, columns, isComplex, title or 'x', data)
  end

  describe(('matio.load of version 4 with %s numbers'):format(isBig and 'big-endian' or 'little-endian'), function()
    it('reads each type', function()
      local function x(...) return loaded(matrix(...), 'x') end
      assertClose(torch.DoubleTensor { { 1, 3 }, { 2, 4.5 } }, x(0, 0, 2, 2, m:doubles(1, 2, 3, 4.5)))
      assertClose(torch.FloatTensor { { 1, -2 } }, x(1, 0, 1, 2, m:all(4, 0x3f800000, 0xc0000000)))
      assertClose(torch.IntTensor { { -7, 70000 } }, x(2, 0, 1, 2, m:all(4, -7, 70000)))
      assertClose(torch.ShortTensor { { -7 }, { 258 } }, x(3, 0, 2, 1, m:all(2, -7, 258)))
      assertClose(torch.UInt16Tensor { { 65535, 1 } }, x(4, 0, 1, 2, m:all(2, 65535, 1)))
      assertClose(torch.ByteTensor { { 255, 1, 2 } }, x(5, 0, 1, 3, '\255\1\2'))
      for _, sizes in ipairs { { 0, 0 }, { 0, 3 }, { 3, 0 } } do
        assert.same(sizes, x(0, 0, sizes[1], sizes[2], ''):size():totable())
      end
    end)

    it('reads complex matrices', function()
      local function parts(z) return { z:type(), torch.real(z):totable(), torch.imag(z):totable() } end
      assert.same({ 'torch.ComplexDoubleTensor', { { 1, 2 } }, { { 3, -4 } } }, parts(loaded(matrix(0, 0, 1, 2, m:doubles(1, 2, 3, -4),
        true), 'x')))
      assert.same({ 'torch.ComplexFloatTensor', { { 1 } }, { { -2 } } },
        parts(loaded(matrix(1, 0, 1, 1, m:all(4, 0x3f800000, 0xc0000000), true), 'x')))
      assert.same({ 'torch.ComplexDoubleTensor', { { 5 } }, { { -6 } } }, parts(loaded(matrix(3, 0, 1, 1, m:all(2, 5, -6), true), 'x')))
    end)

    it('reads texts, as doubles or smaller numbers', function()
      local function text(...) return loaded(matrix(...), 'x', { strings = true }) end
      assert.equal('hi', text(0, 1, 1, 2, m:doubles(104, 105)))
      assert.equal('hi\195\188', text(5, 1, 1, 3, 'hi\252'))
      assert.same({ 'ab', 'xy' }, text(5, 1, 2, 2, 'axby'))
      assertClose(torch.CharTensor { { 97, 98 }, { 120, 121 } }, (loaded(matrix(5, 1, 2, 2, 'axby'), 'x')))
      assert.equal('', text(5, 1, 0, 0, ''))
      assert.equal('\244\143\191\191', text(2, 1, 1, 1, m:all(4, 0x10ffff)))
      local expected = ('at byte %d: expected codes of characters, read %%s as number %%d'):format(20 + 2 + 1)
      assert.equal(expected:format('1.11411e+06', 1), messageOf(matrix(2, 1, 1, 1, m:all(4, 0x110000))))
      assert.equal(expected:format('-1', 2), messageOf(matrix(3, 1, 1, 2, m:all(2, 97, -1))))
      assert.equal(expected:format('97.5', 1), messageOf(matrix(0, 1, 1, 1, m:doubles(97.5))))
      assert.matches('read %-?nan as number 1$', messageOf(matrix(0, 1, 1, 1, m:doubles(0 / 0))))
    end)

    it('reads sparse matrices', function()
      -- Rows of a place, a value; the last one has the sizes.
      local function s(...) return loaded(matrix(0, 2, ...), 'x') end
      local x = s(4, 3, m:doubles(1, 2, 2, 2, 3, 1, 2, 3, 5, 6, 7, 0))
      assertClose(torch.DoubleTensor { { 0, 0, 5 }, { 6, 7, 0 } }, x:dense())
      x = s(2, 4, m:doubles(1, 1, 1, 2, 5, 0, 6, 0))
      assert.same({ 1, 2, 5, 6 }, { x:size(1), x:size(2), torch.real(x:values())[1], torch.imag(x:values())[1] })
      x = s(1, 3, m:doubles(3, 2, 0))
      assert.same({ 3, 2, 0 }, { x:size(1), x:size(2), x:values():nElement() })
      x = s(3, 3, m:doubles(1, 1, 1, 1, 1, 1, 2, 3, 0))
      assertClose(torch.DoubleTensor { { 5 } }, x:dense())      -- places that occur twice are added
      local at = ('at byte %d: '):format(20 + 2 + 1)
      local function message(...) return messageOf(matrix(0, 2, ...)) end
      for _, columns in ipairs { 2, 5 } do
        assert.equal(at .. 'expected the 3 or 4 columns of a sparse matrix, read ' .. columns,
          message(1, columns, m:doubles(unpack(torch.ones(columns):totable()))))
      end
      assert.equal(at .. 'expected the 3 or 4 columns of a sparse matrix, read 3', message(0, 3, ''))
      for _, sizes in ipairs { { -1, 2 }, { 2, -1 }, { 1.5, 2 }, { 2, 1.5 }, { 2 ^ 31, 2 }, { 2, 2 ^ 31 } } do
        assert.equal(at .. ('expected the sizes of a sparse matrix, read %g and %g'):format(unpack(sizes)), message(1, 3,
          m:doubles(sizes[1], sizes[2], 0)))
      end
      for _, place in ipairs { { 0, 1 }, { 1, 0 }, { 3, 1 }, { 1, 3 } } do
        assert.matches('^at byte 23: expected places of a sparse matrix, read ', message(2, 3, m:doubles(place[1], 2, place[2], 2, 5, 0)))
      end
    end)

    it('reads several variables', function()
      local text = matrix(3, 0, 1, 1, m:all(2, 7), false, 'first') .. matrix(0, 0, 1, 1, m:doubles(8), false, 'second') .. matrix(5, 1, 1,
        2, 'hi', false, 'third')
      local x = loaded(text, nil, { strings = true })
      assert.same({ 7, 8, 'hi' }, { x.first[1][1], x.second[1][1], x.third })
      assert.same({ 'first', 'second', 'third' }, matio.names(name))
      assert.equal(8, matio.load(name, 'second')[1][1])
    end)

    it('says what is wrong with a file', function()
      local good = matrix(3, 0, 1, 1, m:all(2, 7))
      local second = ('at byte %d: '):format(#good + 1)
      assert.equal(second .. 'expected a matrix of 20 bytes or more, read 19 to the end', messageOf(good .. ('\0'):rep(19)))
      for _, word in ipairs { 2000, 60, 3, 100, 1100, 5000 } do
        assert.equal(second .. 'expected the type of a matrix, as 0 or 1011, read ' .. word, messageOf(good .. m:matrix4(word, 1, 1, false,
          'y', ('\0'):rep(8))))
      end
      local third = ('at byte %d: '):format(#good + 5)
      assert.equal(third .. 'expected two sizes of 0 or more, read -1 and 1', messageOf(good .. matrix(0, 0, -1, 1, ('\0'):rep(8))))
      assert.equal(third .. 'expected two sizes of 0 or more, read 1 and -1', messageOf(good .. matrix(0, 0, 1, -1, ('\0'):rep(8))))
      local function named(length, rest) return good .. m:all(4, order, 0, 0, 0, length) .. rest end
      local fourth = ('at byte %d: '):format(#good + 17)
      for _, length in ipairs { 0, -1, 3, 4097 } do
        assert.equal(fourth .. 'expected a name of 1 to 4096 bytes, read ' .. length, messageOf(named(length,
          length == 4097 and ('n'):rep(5000) or 'y\0')))
      end
      assert.same({ 'x', ('n'):rep(4096) }, (files.write(name, named(4096, ('n'):rep(4096))) or matio.names(name)))
      assert.same({ 'x', 'y' }, (files.write(name, named(1, 'y')) or matio.names(name)))
      assert.equal('at byte 23: expected 2 elements of 8 bytes, read 15 bytes to the end of the file', messageOf(matrix(0, 0, 2, 1,
        ('\0'):rep(15))))
      assert.equal('at byte 23: expected 2 elements of 8 bytes, read 15 bytes to the end of the file', messageOf(matrix(0, 0, 1, 1,
        ('\0'):rep(15), true)))
      assert.equal('at byte 23: expected 4611686014132420609 elements of 1 bytes, read 0 bytes to the end of the file',
        (messageOf(matrix(5, 0, 2 ^ 31 - 1, 2 ^ 31 - 1, '')):gsub('expected %d+', 'expected 4611686014132420609')))
    end)
  end)
end

describe('matio.load of other files', function()
  it('finds no start of any version', function()
    local function refused(text) assert.matches('^at byte 1: expected the start of a MAT%-file of version 4, 5 or 7%.3, read ',
      messageOf(text)) end
    refused ''
    assert.equal("at byte 1: expected the start of a MAT-file of version 4, 5 or 7.3, read \"ab\"", messageOf 'ab')
    -- A header of 20 bytes, and no name.
    assert.equal('at byte 17: expected a name of 1 to 4096 bytes, read 1', messageOf(bytes.of(false):all(4, 0, 0, 0, 0, 1)))
    refused(('\0'):rep(19))
    refused(('\0'):rep(40))      -- a name of no bytes
    refused('MATLAB' .. ('x'):rep(200))
    refused(('MATLAB 5.0 MAT-file' .. (' '):rep(97)) .. ('\0'):rep(8) .. '\0\1I')      -- 127 bytes
    refused(('\0\0\0\99'):rep(31) .. '\0\1IM')
    assert.same({}, loaded(bytes.of(false):file()))
  end)
end)
