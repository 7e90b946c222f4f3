-- MAT-files of version 5 made by hand (bytes.lua) in both byte orders: classes, cells, structs, characters, compression, and damage.
local torch = require 'torch'
local matio = require 'matio'
local files = require 'spec.support.files'
local bytes = require 'spec.matio.bytes'
local assertClose = require('spec.support.close').within { sameType = true }

local cell, struct, object, char, sparse, double, single = 1, 2, 3, 4, 5, 6, 7
local complex, logical = 0x800, 0x200

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
  local m = bytes.of(isBig)
  local function one(...) return loaded(m:file(...), 'x', { strings = true }) end

  -- An array x of doubles with these sizes.
  local function doubles(title, sizes, ...) return m:array(double, 0, sizes, title, m:element(9, m:doubles(...))) end
  local function text(title, value) return m:array(char, 0, { 1, #value }, title, m:element(16, value)) end

  describe(('matio.load of version 5 with %s numbers'):format(isBig and 'big-endian' or 'little-endian'), function()
    it('reads each class and each type of elements', function()
      local kinds = { [8] = 'Char', [9] = 'Byte', [10] = 'Short', [11] = 'UInt16', [12] = 'Int', [13] = 'UInt32', [14] = 'Long',
        [15] = 'UInt64' }
      local types = { [8] = { 1, 1 }, [9] = { 2, 1 }, [10] = { 3, 2 }, [11] = { 4, 2 }, [12] = { 5, 4 }, [13] = { 6, 4 }, [14] = { 12, 8 },
        [15] = { 13, 8 } }
      for class, kind in pairs(kinds) do
        local type, size = unpack(types[class])
        local x = torch[kind .. 'Tensor'] { { 1, 3 }, { 2, class % 2 == 0 and -4 or 200 } }
        assertClose(x, one(m:array(class, 0, { 2, 2 }, 'x', m:element(type, m:all(size, 1, 2, 3, class % 2 == 0 and -4 or 200)))))
        -- Elements may have a smaller type than the class.
        assertClose(torch[kind .. 'Tensor'] { { 1, 2 } }, one(m:array(class, 0, { 1, 2 }, 'x', m:small(2, '\1\2'))))
        assertClose(torch.DoubleTensor { { 1, 2 } }, one(m:array(double, 0, { 1, 2 }, 'x', m:element(type, m:all(size, 1, 2)))))
      end
      assertClose(torch.DoubleTensor { { 1.5, -2 } }, one(doubles('x', { 1, 2 }, 1.5, -2)))
      assertClose(torch.FloatTensor { { 1.5 } }, one(m:array(single, 0, { 1, 1 }, 'x', m:element(9, m:doubles(1.5)))))
      assertClose(torch.FloatTensor { { 1 } }, one(m:array(single, 0, { 1, 1 }, 'x', m:element(7, m:all(4, 0x3f800000)))))
      assertClose(torch.BoolTensor { { 1, 0, 1 } }, one(m:array(9, logical, { 1, 3 }, 'x', m:small(2, '\1\0\7'))))
      assertClose(torch.BoolTensor { { 1, 0 } }, one(m:array(double, logical, { 1, 2 }, 'x', m:element(9, m:doubles(2, 0)))))
    end)

    it('reads complex numbers', function()
      local function parts(z) return { torch.real(z):totable(), torch.imag(z):totable() } end
      local z = one(m:array(double, complex, { 2, 1 }, 'x', m:element(9, m:doubles(1, 2)), m:element(9, m:doubles(3, -4))))
      assert.equal('torch.ComplexDoubleTensor', z:type())
      assert.same({ { { 1 }, { 2 } }, { { 3 }, { -4 } } }, parts(z))
      z = one(m:array(single, complex, { 1, 1 }, 'x', m:small(2, '\5'), m:small(2, '\6')))
      assert.same({ 'torch.ComplexFloatTensor', { { { 5 } }, { { 6 } } } }, { z:type(), parts(z) })
      z = one(m:array(12, complex, { 1, 1 }, 'x', m:small(2, '\5'), m:small(2, '\6')))
      assert.same({ 'torch.ComplexDoubleTensor', { { { 5 } }, { { 6 } } } }, { z:type(), parts(z) })
    end)

    it('reads arrays of several dimensions, and empty ones', function()
      local x = one(m:array(9, 0, { 2, 3, 2 }, 'x', m:element(2, '\1\2\3\4\5\6\7\8\9\10\11\12')))
      assertClose(torch.ByteTensor { { { 1, 7 }, { 3, 9 }, { 5, 11 } }, { { 2, 8 }, { 4, 10 }, { 6, 12 } } }, x)
      x = one(m:array(10, 0, { 2, 0, 3 }, 'x', m:element(3, '')))
      assert.same({ 'torch.ShortTensor', 2, 0, 3 }, { x:type(), x:size(1), x:size(2), x:size(3) })
      -- An array without any bytes is an empty one, as cells have it.
      x = one(m:array(cell, 0, { 1, 2 }, 'x', m:all(4, 14, 0), text('', 'a')))
      assert.same({ 'torch.DoubleTensor', 0, 0, 'a' }, { x[1]:type(), x[1]:size(1), x[1]:size(2), x[2] })
    end)

    it('reads cells of several dimensions', function()
      local list = {}
      for i = 1, 12 do list[i] = text('', string.char(96 + i)) end
      assert.same({ 'a', 'b', 'c' }, one(m:array(cell, 0, { 3, 1 }, 'x', unpack(list, 1, 3))))
      assert.same({ 'a', 'b', 'c' }, one(m:array(cell, 0, { 1, 1, 3 }, 'x', unpack(list, 1, 3))))
      assert.same({ 'a' }, one(m:array(cell, 0, { 1, 1 }, 'x', list[1])))
      assert.same({ { 'a', 'c', 'e' }, { 'b', 'd', 'f' } }, one(m:array(cell, 0, { 2, 3 }, 'x', unpack(list, 1, 6))))
      assert.same({ { { 'a', 'c', 'e' } }, { { 'b', 'd', 'f' } } }, one(m:array(cell, 0, { 2, 1, 3 }, 'x', unpack(list, 1, 6))))
      assert.same({ { { 'a', 'g' }, { 'c', 'i' }, { 'e', 'k' } }, { { 'b', 'h' }, { 'd', 'j' }, { 'f', 'l' } } },
        one(m:array(cell, 0, { 2, 3, 2 }, 'x', unpack(list))))
      for _, sizes in ipairs { { 0, 0 }, { 0, 5 }, { 3, 0, 2 } } do assert.same({}, one(m:array(cell, 0, sizes, 'x'))) end
      assert.same({ { 'a' }, { { 'b' } } }, one(m:array(cell, 0, { 1, 2 }, 'x', m:array(cell, 0, { 1, 1 }, '', list[1]),
        m:array(cell, 0, { 1, 1 }, '', m:array(cell, 0, { 1, 1 }, '', list[2])))))
    end)

    it('reads structs of several dimensions, and objects', function()
      local function fields(length, ...)
        local names = { ... }
        for i, field in ipairs(names) do names[i] = field .. ('\0'):rep(length - #field) end
        return m:small(5, m:all(4, length)) .. m:element(1, table.concat(names))
      end
      local function texts(letters)
        local list = {}
        for i = 1, #letters do list[i] = text('', letters:sub(i, i)) end
        return table.concat(list)
      end
      assert.same({ a = 'x', bb = 'y' }, one(m:array(struct, 0, { 1, 1 }, 'x', fields(5, 'a', 'bb'), texts 'xy')))
      assert.same({ { a = 'x', b = 'y' }, { a = 'z', b = 'w' } }, one(m:array(struct, 0, { 2, 1 }, 'x', fields(2, 'a', 'b'), texts 'xyzw')))
      assert.same({ { { a = 'p' }, { a = 'r' } }, { { a = 'q' }, { a = 's' } } },
        one(m:array(struct, 0, { 2, 2 }, 'x', fields(2, 'a'), texts 'pqrs')))
      assert.same({}, one(m:array(struct, 0, { 0, 0 }, 'x', fields(2, 'a'))))
      assert.same({}, one(m:array(struct, 0, { 1, 1 }, 'x', m:small(5, m:all(4, 1)), m:element(1, ''))))
      assert.same({ {}, {}, {} }, one(m:array(struct, 0, { 1, 3 }, 'x', fields(3))))
      assert.same({ a = 'x', _2_a = 'y' }, one(m:array(struct, 0, { 1, 1 }, 'x', fields(2, 'a', 'a'), texts 'xy')))
      assert.same({ abc = 'x', d = 'y' }, one(m:array(struct, 0, { 1, 1 }, 'x', fields(3, 'abc', 'd'), texts 'xy')))
      assert.same({ __class = 'point', a = 'x' },
        one(m:array(object, 0, { 1, 1 }, 'x', m:element(1, 'point\0\0'), fields(2, 'a'), texts 'x')))
      assert.is_nil(one(m:array(struct, 0, { 1, 1 }, 'x', fields(2, 'a'), texts 'x')).__class)
    end)

    it('reads characters of each type', function()
      local function chars(type, data, count) return one(m:array(char, 0, { 1, count }, 'x', m:element(type, data))) end
      local euro = '\226\130\172'
      assert.equal('ab', chars(2, 'ab', 2))
      assert.equal('\195\188', chars(2, '\252', 1))
      assert.equal('\195\188', chars(1, '\252', 1))      -- bytes, although their type has a sign
      assert.equal('a' .. euro, chars(4, m:all(2, 97, 0x20ac), 2))
      assert.equal('a' .. euro, chars(17, m:all(2, 97, 0x20ac), 2))
      assert.equal('a' .. euro, chars(6, m:all(4, 97, 0x20ac), 2))
      assert.equal('a\240\159\152\128', chars(18, m:all(4, 97, 0x1f600), 2))
      assert.equal('a' .. euro, chars(16, 'a' .. euro, 2))
      assert.equal('\240\159\152\128', chars(16, '\240\159\152\128', 1))
      assert.equal('\240\159\152\128', chars(16, '\240\159\152\128', 2))      -- sizes count units of UTF-16
      assert.equal('\240\159\152\128', chars(4, m:all(2, 0xd83d, 0xde00), 2))
      assert.equal('\239\191\189a', chars(4, m:all(2, 0xd83d, 97), 2))      -- half of a pair
      assert.equal('\239\191\189a', chars(4, m:all(2, 0xde00, 97), 2))
      assert.equal('a\239\191\189', chars(4, m:all(2, 97, 0xd83d), 2))
      assert.equal('\238\128\128', chars(4, m:all(2, 0xe000), 1))
      assert.equal('\237\159\191', chars(4, m:all(2, 0xd7ff), 1))
      assert.equal('\240\144\128\128\244\143\191\191', chars(4, m:all(2, 0xd800, 0xdc00, 0xdbff, 0xdfff), 4))
      assert.equal('\239\191\189\239\191\189b', chars(4, m:all(2, 0xd800, 0xd800, 98), 3))
      assert.equal('\239\191\189b', chars(16, '\255b', 2))
      assert.equal('   ', chars(16, '', 3))      -- without bytes: blanks
      assert.equal('', chars(16, '', 0))
      local rows = m:array(char, 0, { 2, 3 }, 'x', m:element(16, 'axbycz'))
      assert.same({ 'abc', 'xyz' }, one(rows))
      assertClose(torch.CharTensor { { 97, 98, 99 }, { 120, 121, 122 } }, (loaded(m:file(rows), 'x')))
      assert.same({ 'abcd', 'wxyz' }, one(m:array(char, 0, { 2, 2, 2 }, 'x', m:element(16, 'awbxcydz'))))
      -- Rows of different numbers of bytes get blanks.
      assertClose(torch.CharTensor { { -61, -68 }, { 97, 32 } }, (loaded(m:file(m:array(char, 0, { 2, 1 }, 'x', m:element(2, '\252a'))),
        'x')))
      assert.same({ 3, 0 }, loaded(m:file(m:array(char, 0, { 3, 0 }, 'x', m:element(16, ''))), 'x'):size():totable())
      assert.equal('', one(m:array(char, 0, { 3, 0 }, 'x', m:element(16, ''))))
    end)

    it('reads sparse matrices', function()
      local function sparse_(flags, sizes, rows, starts, ...)
        return one(m:array(sparse, flags, sizes, 'x', m:element(5, m:all(4, unpack(rows))), m:element(5, m:all(4, unpack(starts))), ...))
      end
      local s = sparse_(0, { 3, 2 }, { 0, 2, 1 }, { 0, 2, 3 }, m:element(9, m:doubles(5, 6, 7)))
      assertClose(torch.DoubleTensor { { 5, 0 }, { 0, 7 }, { 6, 0 } }, s:dense())
      -- There may be room behind the entries.
      s = sparse_(0, { 3, 2 }, { 0, 2, 9, 9 }, { 0, 1, 2 }, m:element(9, m:doubles(5, 6, 7)))
      assertClose(torch.DoubleTensor { { 5, 0 }, { 0, 0 }, { 0, 6 } }, s:dense())
      s = sparse_(logical, { 2, 2 }, { 1 }, { 0, 0, 1 }, m:element(9, '\1'))      -- bytes, which MATLAB calls doubles
      assertClose(torch.BoolTensor { { 0, 0 }, { 0, 1 } }, s:dense())
      s = sparse_(complex, { 1, 2 }, { 0 }, { 0, 0, 1 }, m:element(9, m:doubles(3)), m:element(9, m:doubles(4)))
      assert.same({ 3, 4 }, { torch.real(s:values())[1], torch.imag(s:values())[1] })
      s = sparse_(0, { 2, 3 }, { 0 }, { 0, 0, 0, 0 }, m:element(9, m:doubles(0)))
      assert.same({ 2, 3, 0 }, { s:size(1), s:size(2), s:values():nElement() })
      assert.equal(0, sparse_(0, { 0, 0 }, {}, { 0 }, m:element(9, '')):size(1))
    end)

    it('names what it cannot represent', function()
      local opaque = m:element(14, m:element(6, m:all(4, 17, 0)) .. m:element(1, 'o') .. m:element(1, 'MCOS'))
      local x, others = loaded(m:file(doubles('x', { 1, 1 }, 3), m:array(16, 0, { 1, 1 }, 'f', ''), opaque, m:array(99, 0, { 1, 1 }, 'c',
        '')))
      assert.equal(3, x.x[1][1])
      local expected = 'expected numbers, characters, cells or structs, read '
      assert.same({ f = expected .. 'a function handle', o = expected .. 'an object of a class', c = expected .. 'class 99' }, others)
      assert.is_nil(x.f)
      assert.equal('variable f: ' .. expected .. 'a function handle', messageOf(files.read(name), 'f'))
      assert.equal('variable z: the file has no such variable, but x, f, o, c', messageOf(files.read(name), { 'x', 'z' }))
      assert.equal('variable z: the file has no such variable, but none', messageOf(m:file(), 'z'))
      assert.same({}, loaded(m:file()))
      assert.is_nil((select(2, loaded(m:file(doubles('x', { 1, 1 }, 3))))))
    end)

    it('omits data without a name', function()
      assert.same({ 'x' }, (files.write(name, m:file(doubles('', { 1, 1 }, 1), doubles('x\0\0', { 1, 1 }, 2))) or matio.names(name)))
    end)

    it('unpacks compressed variables of any size', function()
      for _, count in ipairs { 0, 1, 100, 120, 121, 122, 123, 124, 125, 128, 129, 500, 5000 } do
        local data = {}
        for i = 1, count do data[i] = i * 0.37 end
        local array = m:array(double, 0, { 1, count }, 'x', m:element(9, m:doubles(unpack(data))))
        local x = one(m:compressed(array), m:compressed(text('y', 'after')))
        assert.same({ 1, count }, x:size():totable())
        if count > 0 then assert.same({ data }, x:totable()) end
        assert.equal('after', matio.load(name, 'y', { strings = true }))
        assert.same({ 'x', 'y' }, matio.names(name))
      end
    end)

    it('finds the name of a compressed variable behind many sizes', function()
      local sizes = {}
      for i = 1, 32 do sizes[i] = 1 end
      local title = ('n'):rep(1500)
      files.write(name, m:file(m:compressed(m:array(9, 0, sizes, title, m:small(2, '\7')))))
      assert.same({ title }, matio.names(name))
      assert.equal(32, matio.load(name)[title]:dim())
    end)
  end)

  describe(('matio.load of damage with %s numbers'):format(isBig and 'big-endian' or 'little-endian'), function()
    local function message(...) return messageOf(m:file(...)) end
    local flags = m:element(6, m:all(4, double, 0))
    local function sizes(...) return m:element(5, m:all(4, ...)) end

    it('refuses tags that are not', function()
      assert.equal('at byte 129: expected a variable of 8 bytes or more, read 7 to the end', message(('\0'):rep(7)))
      assert.equal('at byte 129: expected a variable of at most 4 bytes in its tag, read 5', message(m.isBig and m:all(2, 5, 14) ..
        '\0\0\0\0' or
        m:all(2, 14, 5) .. '\0\0\0\0'))
      assert.equal('at byte 133: expected a variable of 1 bytes, read 0 bytes to the end', message(m:all(4, 14, 1)))
      assert.equal('at byte 133: expected a variable of 4294967295 bytes, read 8 bytes to the end', message(m:all(4, 14, -1) ..
        ('\0'):rep(8)))
      assert.equal('at byte 129: expected an array (14), read 9', message(m:element(9, m:doubles(1))))
      assert.equal('at byte 137: expected flags of 8 bytes or more, read 7 to the end', message(m:all(4, 14, 7) .. ('\0'):rep(7)))
      assert.equal('at byte 137: expected flags of 8 bytes (6), read 8 bytes (5)', message(m:element(14, m:element(5, m:all(4, double,
        0)))))
      assert.equal('at byte 137: expected flags of 8 bytes (6), read 4 bytes (6)', message(m:element(14, m:element(6, m:all(4, double)))))
      assert.equal('at byte 153: expected sizes of 8 bytes or more, read 0 to the end', message(m:element(14, flags)))
      assert.equal('at byte 169: expected a name of 8 bytes or more, read 0 to the end', message(m:element(14, flags .. sizes(1, 1))))
      assert.equal('at byte 169: expected a name as bytes (1), read 2', message(m:element(14, flags .. sizes(1, 1) .. m:element(2, 'x'))))
      assert.equal(3, loaded(m:file(m:element(14, flags .. sizes(1, 1) .. m:element(16, 'x') .. m:small(2, '\3')))).x[1][1])
    end)

    it('refuses sizes that are not', function()
      assert.equal('at byte 153: expected sizes as integers of 4 bytes (5), read 9', message(m:element(14, flags .. m:element(9,
        m:doubles(1)))))
      assert.equal(3, loaded(m:file(m:element(14, flags .. m:element(6, m:all(4, 1, 1)) .. m:element(1, 'x') .. m:small(2, '\3')))).x[1][1])
      for _, data in ipairs { m:all(4, 1), m:all(4, 1, 1) .. '\0', m:all(4, unpack(torch.ones(33):totable())), '' } do
        assert.equal(('at byte 153: expected 2 to 32 sizes, read %d bytes'):format(#data), message(m:element(14, flags .. m:element(5,
          data))))
      end
      assert.equal('at byte 165: expected a size of 0 or more, read -1', message(m:element(14, flags .. sizes(1, -1))))
      assert.equal('at byte 161: expected a size of 0 or more, read -5', message(m:element(14, flags .. sizes(-5, 1))))
      assert.equal('at byte 161: expected at most 2^53 elements, read 134217728 x 134217728', message(m:element(14, flags .. sizes(2 ^ 27,
        2 ^ 27))))
      assert.equal('at byte 161: expected at most 2^53 elements, read 134217728 x 134217728 x 0',
        message(m:element(14, flags .. sizes(2 ^ 27, 2 ^ 27, 0))))
      local whole = m:array(double, 0, { 2 ^ 26, 2 ^ 27 }, 'x', m:element(9, ''))
      assert.equal('at byte 185: expected elements of 72057594037927936 bytes, read 0', message(whole))
    end)

    it('refuses elements of another number or type', function()
      local function elements(...) return message(m:array(double, 0, { 1, 2 }, 'x', ...)) end
      assert.equal('at byte 185: expected elements of 8 bytes or more, read 0 to the end', elements '')
      assert.equal('at byte 185: expected elements of a type of numbers (1 to 7, 9, 12, 13), read 8', elements(m:element(8, m:doubles(1,
        2))))
      assert.equal('at byte 185: expected elements of 16 bytes, read 8', elements(m:element(9, m:doubles(1))))
      assert.equal('at byte 185: expected elements of 16 bytes, read 24', elements(m:element(9, m:doubles(1, 2, 3))))
      assert.equal('at byte 185: expected elements of 2 bytes, read 3', elements(m:small(2, '\1\2\3')))
      assert.equal('at byte 201: expected imaginary parts of 4 bytes, read 8',
        message(m:array(double, complex, { 1, 2 }, 'x', m:element(3, m:all(2, 1, 2)), m:element(3, m:all(2, 1, 2, 3, 4)))))
      assert.equal('at byte 201: expected imaginary parts of 8 bytes or more, read 0 to the end',
        message(m:array(double, complex, { 1, 2 }, 'x', m:element(3, m:all(2, 1, 2)))))
    end)

    it('refuses cells and structs that have no room', function()
      local function array(class, sizes_, ...) return message(m:array(class, 0, sizes_, 'x', ...)) end
      assert.equal('at byte 185: expected 2 cells, read 8 bytes to the end', array(cell, { 1, 2 }, m:all(4, 14, 0)))
      assert.equal('at byte 185: expected 4503599627370496 cells, read 8 bytes to the end', array(cell, { 2 ^ 26, 2 ^ 26 }, m:all(4, 14,
        0)))
      assert.equal('at byte 185: expected an array (14), read 9', array(cell, { 1, 1 }, m:element(9, m:doubles(1))))
      local length = m:small(5, m:all(4, 2))
      assert.equal('at byte 209: expected 3 fields, read 16 bytes to the end',
        array(struct, { 1, 3 }, length, m:element(1, 'a\0'), m:all(4, 14, 0, 14, 0)))
      assert.equal('at byte 209: expected 4 fields, read 0 bytes to the end', array(struct, { 1, 2 }, length, m:element(1, 'a\0b\0')))
      assert.equal('at byte 201: expected at most 65536 structs without fields, read 65537', array(struct, { 1, 65537 }, length,
        m:element(1, '')))
      assert.equal(65536, #loaded(m:file(m:array(struct, 0, { 1, 65536 }, 'x', length, m:element(1, '')))).x)
      assert.equal('at byte 185: expected a length of names, 1 or more, read 0', array(struct, { 1, 1 }, m:small(5, m:all(4, 0)),
        m:element(1, '')))
      assert.equal('at byte 185: expected a length of names, 1 or more, read -1', array(struct, { 1, 1 }, m:small(5, m:all(4, -1)),
        m:element(1, '')))
      assert.equal('at byte 185: expected a length of names, 1 or more, read 0', array(struct, { 1, 1 }, m:small(6, m:all(4, 2)),
        m:element(1, '')))
      assert.equal('at byte 185: expected a length of names, 1 or more, read 0', array(struct, { 1, 1 }, m:element(5, m:all(4, 2, 2)),
        m:element(1, '')))
      assert.equal('at byte 193: expected names of fields of 8 bytes or more, read 0 to the end', array(struct, { 1, 1 }, length))
      assert.equal('at byte 185: expected a name as bytes (1), read 2', array(object, { 1, 1 }, m:element(2, 'x'), length))
    end)

    it('refuses arrays that are too deep', function()
      local function nested(depth)
        local inner = m:array(9, 0, { 1, 1 }, depth == 1 and 'x' or '', m:small(2, '\7'))
        for i = depth - 1, 1, -1 do inner = m:array(cell, 0, { 1, 1 }, i == 1 and 'x' or '', inner) end
        return inner
      end
      local x = loaded(m:file(nested(100))).x
      for _ = 1, 99 do x = x[1] end
      assertClose(torch.ByteTensor { { 7 } }, x)
      -- Each cell has 48 bytes before its array, x 56.
      assert.equal(('at byte %d: expected at most 100 arrays in each other, read more'):format(128 + 56 + 99 * 48 + 1),
        (message(nested(101))))
    end)

    it('refuses characters that are not', function()
      local function chars(type, data, count) return message(m:array(char, 0, { 1, count }, 'x', m:element(type, data))) end
      assert.equal('at byte 185: expected 3 characters, read 2', chars(16, 'ab', 3))
      assert.equal('at byte 185: expected characters of 6 bytes, read 2', chars(4, m:all(2, 1), 3))
      assert.equal('at byte 193: expected codes of characters, read 1114112', chars(18, m:all(4, 0x110000), 1))
      assert.equal('at byte 193: expected codes of characters, read 1.5', chars(9, m:doubles(1.5), 1))
      assert.equal('at byte 193: expected codes of characters, read -1', chars(3, m:all(2, -1), 1))
      assert.equal('at byte 185: expected 65537 characters, read 0', chars(16, '', 65537))
      assert.equal(65536, #loaded(m:file(m:array(char, 0, { 1, 65536 }, 'x', m:element(16, ''))), 'x', { strings = true }))
    end)

    it('refuses sparse matrices that are not', function()
      local function matrix(sizes_, rows, starts, data)
        return message(m:array(sparse, 0, sizes_, 'x', m:element(5, m:all(4, unpack(rows))), m:element(5, m:all(4, unpack(starts))),
          m:element(9, data)))
      end
      local at = 'at byte 185: expected a sparse array, read '
      assert.matches('^at byte %d+: expected two sizes of a sparse array, read 3$', matrix({ 1, 1, 1 }, { 0 }, { 0, 1 }, m:doubles(1)))
      assert.equal('at byte 201: expected starts of columns of 12 bytes, read 8', matrix({ 2, 2 }, { 0, 1 }, { 0, 1 }, m:doubles(1)))
      assert.equal(at .. '1 rows and 2 values for 2 entries', matrix({ 2, 1 }, { 0 }, { 0, 2 }, m:doubles(1, 2)))
      assert.equal(at .. '2 rows and 1 values for 2 entries', matrix({ 2, 1 }, { 0, 1 }, { 0, 2 }, m:doubles(1)))
      assert.equal(at .. '1 rows and 1 values for 1 entries', matrix({ 2, 1 }, { 0 }, { 1, 1 }, m:doubles(1)))
      assert.equal(at .. '1 rows and 1 values for -1 entries', matrix({ 2, 1 }, { 0 }, { 0, -1 }, m:doubles(1)))
      assert.equal(at .. 'columns that end before they begin', matrix({ 2, 2 }, { 0, 1 }, { 0, 2, 1 }, m:doubles(1, 2)))
      assert.equal(at .. 'row -1 of 2', matrix({ 2, 1 }, { -1 }, { 0, 1 }, m:doubles(1)))
      assert.equal(at .. 'row 3 of 2', matrix({ 2, 1 }, { 2 }, { 0, 1 }, m:doubles(1)))
      assert.equal(at .. 'row 4 of 2', matrix({ 2, 1 }, { 0, 3 }, { 0, 2 }, m:doubles(1, 2)))
    end)

    it('refuses compressed variables that are not', function()
      local function tag(data) return m:all(4, 15, #data) .. data end
      local array = doubles('x', { 1, 500 }, unpack(torch.range(1, 500):totable()))
      local good = m:compressed(array):sub(9)
      local size = #array
      assert.equal('at byte 129: expected a compressed variable, read something else', message(tag 'nothing of this kind'))
      assert.equal('at byte 129: expected a compressed variable of 8 bytes or more, read 7', message(m:compressed(('\0'):rep(7))))
      assert.equal('at byte 129: expected a compressed array, read 24 bytes of type 9 from 22 compressed ones',
        (message(m:compressed(m:element(9, m:doubles(1, 2)))):gsub('%d+ compressed', '22 compressed')))
      assert.matches('^at byte 129: expected a compressed array, read 4294967303 bytes of type 14 from %d+ compressed ones$',
        message(m:compressed(m:all(4, 14, -1) .. ('\0'):rep(100))))
      local function short(expected,
        data) assert.equal(('at byte 129: expected a compressed variable of %d bytes, and its checksum, read %d bytes')
        :format(size, expected), message(tag(data))) end
      short(size, good:sub(1, -5))      -- without the checksum
      short(size, good:sub(1, -2))
      assert.matches('a compressed variable', message(tag(good:sub(1, -2) .. string.char((good:byte(-1) + 1) % 256))))
      assert.matches('expected a compressed variable of ' .. size .. ' bytes, and its checksum, read %d+ bytes$', message(tag(good:sub(1,
        math.floor(#good / 2)))))
      -- More bytes than the array has, or fewer.
      short(size, m:compressed(array .. 'more'):sub(9))
      short(size - 1, m:compressed(array:sub(1, -2)):sub(9))
      local little = doubles('x', { 1, 1 }, 5)
      assert.equal(('at byte 129: expected a compressed variable of %d bytes, and its checksum, read %d bytes'):format(#little,
        #little + 4),
        message(m:compressed(little .. 'more')))
      assert.equal(('at byte 129: expected a compressed variable of %d bytes, and its checksum, read %d bytes'):format(#little,
        #little - 1),
        message(m:compressed(little:sub(1, -2))))
      assert.equal('at byte 129: expected a variable with sizes of 8 bytes or more at byte 25 of what was compressed, read 0 to the end',
        message(m:compressed(m:element(14, flags))))
      assert.equal('at byte 129: expected a variable with flags of 8 bytes or more at byte 9 of what was compressed, read 7 to the end',
        message(m:compressed(m:all(4, 14, 7) .. ('\0'):rep(7))))
      assert.equal('at byte 129: expected a variable with elements of 16 bytes at byte 57 of what was compressed, read 8',
        message(m:compressed(doubles('x', { 1, 2 }, 5))))
      local _, others = loaded(m:file(m:compressed(m:array(16, 0, { 1, 1 }, 'f', ''))))
      assert.equal('expected a variable with numbers, characters, cells or structs at byte 57 of what was compressed, ' ..
        'read a function handle', others.f)
    end)
  end)
end
