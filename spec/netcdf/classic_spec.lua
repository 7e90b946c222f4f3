-- Classic netCDF files made by hand (bytes.lua): each type and version, records, characters, packed values, and damage.
local torch = require 'torch'
local netcdf = require 'netcdf'
local files = require 'spec.support.files'
local bytes = require 'spec.netcdf.bytes'
local assertClose = require('spec.support.close').within { sameType = true, equalNan = true }

local all, big = bytes.all, bytes.big
local nan = 0 / 0

local name
before_each(function() name = os.tmpname() end)
after_each(function() os.remove(name) end)

local function opened(file)
  files.write(name, type(file) == 'string' and file or bytes.file(file))
  return netcdf.open(name)
end

local function messageOf(f, ...)
  local good, problem = pcall(f, ...)
  assert.is_false(good)
  return (tostring(problem):gsub('^[^ ]*:%d+: ', ''):gsub(name:gsub('%p', '%%%0') .. ': ', ''):gsub('; this is .*$', ''))
end

-- The numbers of the types, two elements of each, and what they are.
local types = {
  { 1, '\255\2', torch.CharTensor { -1, 2 } }, { 3, all(2, -2, 258), torch.ShortTensor { -2, 258 } }, { 4, all(4, -3, 7),
    torch.IntTensor { -3, 7 } },
  { 5, '\63\128\0\0\192\0\0\0', torch.FloatTensor { 1, -2 } },
  { 6, '\63\240' .. ('\0'):rep(6) .. '\192' .. ('\0'):rep(7), torch.DoubleTensor { 1, -2 } },
  { 7, '\255\2', torch.ByteTensor { 255, 2 } }, { 8, all(2, 65535, 1), torch.UInt16Tensor { 65535, 1 } },
  { 9, all(4, 2 ^ 32 - 1, 1), torch.UInt32Tensor { 2 ^ 32 - 1, 1 } }, { 10, all(8, -5, 258), torch.LongTensor { -5, 258 } },
  { 11, all(8, 258, 1), torch.UInt64Tensor { 258, 1 } },
}

describe('netcdf.open of classic files', function()
  for _, version in ipairs { 1, 2, 5 } do
    it('reads each type of version ' .. version, function()
      local variables, attributes, count = {}, {}, version == 5 and 10 or 5
      for i = 1, count do
        local number, data = types[i][1], types[i][2]
        variables[i] = { name = 'v' .. number, type = number, dimensions = { 0 }, data = data }
        attributes[i] = { 'a' .. number, number, 2, data }
        attributes[count + i] = { 'one' .. number, number, 1, data:sub(1, #data / 2) }
      end
      attributes[#attributes + 1] = { 'text', 2, 5, 'abc\0\0' }
      attributes[#attributes + 1] = { 'none', 2, 0, '' }
      attributes[#attributes + 1] = { 'empty', 4, 0, '' }
      variables[#variables + 1] = { name = 'c', type = 2, dimensions = { 0 }, data = 'x\0' }
      variables[#variables + 1] = { name = 'scalar', type = 4, data = big(9, 4), attributes = { { 'unit', 2, 1, 'm' } } }
      local file = opened { version = version, dimensions = { { 'two', 2 } }, attributes = attributes, variables = variables }
      for i = 1, count do
        local number, expected = types[i][1], types[i][3]
        assertClose(expected, file:read('v' .. number))
        assertClose(expected, file.attributes['a' .. number])
        assert.equal(tostring(expected[1]), tostring(file.attributes['one' .. number]))
        assert.equal(expected:type(), ('torch.%sTensor'):format(file:variable('v' .. number).type))
        assertClose(expected:narrow(1, 2, 1), file:read('v' .. number, { first = 2 }))
      end
      assert.same({ 'abc', '' }, { file.attributes.text, file.attributes.none })
      assert.same({ 'torch.IntTensor', 0 }, { file.attributes.empty:type(), file.attributes.empty:nElement() })
      assert.equal('x', file:read 'c')
      assert.same({ type = 'char', dimensions = { 'two' }, sizes = { 2 }, attributes = {} }, file:variable 'c')
      assertClose(torch.IntTensor { 9 }, file:read 'scalar')
      assert.same({ type = 'Int', dimensions = {}, sizes = {}, attributes = { unit = 'm' } }, file:variable 'scalar')
      assert.same({ { name = 'two', size = 2, isUnlimited = false } }, file.dimensions)
      assert.equal('v1', file:names()[1])
      file:close()
      file:close()
    end)

    it('reads records of version ' .. version, function()
      -- A record has the padded bytes of each variable: 4 (3 of a, with 1 of padding), 8 (of b), 4 (2 of c).
      local record = '%s.' .. '%s' .. '%s..'
      local data = record:format('abc', all(4, 1, 2), all(2, 7)) .. record:format('de\0', all(4, 3, 4), all(2, 8)) ..
        record:format('\0\0\0', all(4, 5, 6), all(2, 9))
      local file = opened {
        version = version, records = 3, dimensions = { { 't', 0 }, { 'x', 3 }, { 'y', 2 } }, data = data,
        variables = { { name = 'a', type = 2, dimensions = { 0, 1 }, offset = 0 }, { name = 'b', type = 4, dimensions = { 0, 2 },
          offset = 4 },
                      { name = 'c', type = 3, dimensions = { 0 }, offset = 12 } },
      }
      assert.same({ 'abc', 'de', '' }, file:read 'a')
      assertClose(torch.IntTensor { { 1, 2 }, { 3, 4 }, { 5, 6 } }, file:read 'b')
      assertClose(torch.ShortTensor { 7, 8, 9 }, file:read 'c')
      assert.same({ 'de', '' }, file:read('a', { first = 2 }))
      assertClose(torch.IntTensor { { 3, 4 } }, file:read('b', { first = 2, count = 1 }))
      assertClose(torch.ShortTensor { 7, 8 }, file:read('c', { count = 2 }))
      assert.same({ 0, 2 }, file:read('b', { first = 4 }):size():totable())
      assert.same({ 0, 2 }, file:read('b', { count = 0 }):size():totable())
      assert.same({}, file:read('a', { first = 4 }))
      assertClose(torch.ShortTensor { 9 }, file:read('c', { first = 3 }))
      assert.same({ name = 't', size = 3, isUnlimited = true }, file.dimensions[1])
      assert.same({ 3, 3 }, file:variable('a').sizes)
      for _, count in ipairs { 4, 5 } do
        assert.equal(('netcdf.File:read: count: %d, expected a whole number from 0 to 3'):format(count), messageOf(file.read, file, 'c',
          { count = count }))
      end
      assert.equal('netcdf.File:read: first: 5, expected a whole number from 1 to 4', messageOf(file.read, file, 'c', { first = 5 }))
      assert.equal('netcdf.File:read: first: 0, expected a whole number from 1 to 4', messageOf(file.read, file, 'c', { first = 0 }))
    end)
  end

  it('reads records of one variable without padding', function()
    local file = opened { records = 3, dimensions = { { 't', 0 } }, data = all(2, 1, 2, 3), variables = {
      { name = 'fixed', type = 4, data = big(5, 4) }, { name = 'a', type = 3, dimensions = { 0 }, offset = 4 } } }
    assertClose(torch.ShortTensor { 1, 2, 3 }, file:read 'a')
    assertClose(torch.ShortTensor { 3 }, file:read('a', { first = 3 }))
  end)

  it('counts records that the header does not', function()
    -- 2^32 - 1 records: those for which the file has room.
    local function rows(data, second)
      local variables = { { name = 'a', type = 4, dimensions = { 0 }, offset = 0 } }
      if second then variables[2] = { name = 'b', type = 4, dimensions = { 0 }, offset = 4 } end
      return opened({ records = 2 ^ 32 - 1, dimensions = { { 't', 0 } }, data = data, variables = variables }):variable('a').sizes[1]
    end
    assert.same({ 2, 2, 1, 0, 1 }, { rows(all(4, 1, 2)), rows(all(4, 1, 2) .. '...'), rows(all(4, 1, 2), true), rows '', rows(all(4, 1, 2,
      3), true) })
    assert.equal(0, opened({ records = 2 ^ 32 - 1, dimensions = { { 't', 0 } } }).dimensions[1].size)
  end)

  it('reads rows of variables without records, and of several dimensions', function()
    local file = opened { dimensions = { { 'x', 3 }, { 'y', 2 }, { 'z', 2 } }, variables = {
      { name = 'a', type = 3, dimensions = { 0, 1 }, data = all(2, 1, 2, 3, 4, 5, 6) },
      { name = 'c', type = 2, dimensions = { 0, 1, 2 }, data = 'abcdef\0\0i\0\0\0' }, { name = 'd', type = 2, dimensions = { 0, 1 },
        data = 'abcde\0' },
      { name = 'n', type = 1, data = '\3' } } }
    assertClose(torch.ShortTensor { { 3, 4 }, { 5, 6 } }, file:read('a', { first = 2 }))
    assertClose(torch.ShortTensor { { 3, 4 } }, file:read('a', { first = 2, count = 1 }))
    assert.same({ { 'ab', 'cd' }, { 'ef', '' }, { 'i', '' } }, file:read 'c')
    assert.same({ { 'ef', '' } }, file:read('c', { first = 2, count = 1 }))
    assert.same({ 'ab', 'cd', 'e' }, file:read 'd')
    assert.same({ 'cd', 'e' }, file:read('d', { first = 2 }))
    assert.equal('netcdf.File:read: first: the variable n has no dimensions', messageOf(file.read, file, 'n', { count = 1 }))
    assert.equal('netcdf.File:read: options: last, expected one of unpack, first, count', messageOf(file.read, file, 'n', { last = 1 }))
    assert.equal('netcdf.File:read: unpack: 1, expected true or false', messageOf(file.read, file, 'n', { unpack = 1 }))
    assert.equal('netcdf.File:variable: variable q: the file has no such variable, but a, c, d, n', messageOf(file.variable, file, 'q'))
    assert.equal('netcdf.File:read: name: a table, expected a string', messageOf(file.read, file, {}))
    file:close()
    assert.equal('netcdf.File:variable: the file is closed', messageOf(file.variable, file, 'a'))
  end)

  it('unpacks by scale_factor, add_offset and missing values', function()
    local function unpacked(attributes, number, data)
      return opened({ dimensions = { { 'x', 2 } }, variables = { { name = 'v', type = number or 3, dimensions = { 0 },
        attributes = attributes,
                                                                  data = data or all(2, 3, -4) } } }):read('v', { unpack = true })
    end
    local half, ten, floats = '\63\224' .. ('\0'):rep(6), '\64\36' .. ('\0'):rep(6), '\63\128\0\0\192\0\0\0'
    assertClose(torch.ShortTensor { 3, -4 }, unpacked())
    assertClose(torch.DoubleTensor { 1.5, -2 }, unpacked { { 'scale_factor', 6, 1, half } })
    assertClose(torch.DoubleTensor { 13, 6 }, unpacked { { 'add_offset', 6, 1, ten } })
    assertClose(torch.DoubleTensor { 11.5, 8 }, unpacked { { 'add_offset', 6, 1, ten }, { 'scale_factor', 6, 1, half } })
    assertClose(torch.DoubleTensor { 3, nan }, unpacked { { '_FillValue', 3, 1, all(2, -4) } })
    assertClose(torch.DoubleTensor { nan, -4 }, unpacked { { 'missing_value', 3, 1, all(2, 3) } })
    assertClose(torch.DoubleTensor { nan, nan }, unpacked { { 'missing_value', 3, 1, all(2, 3) }, { '_FillValue', 3, 1, all(2, -4) } })
    -- Missing values are those in the file, not the scaled ones.
    assertClose(torch.DoubleTensor { 1.5, -2 }, unpacked { { 'missing_value', 3, 1, all(2, -2) }, { 'scale_factor', 6, 1, half } })
    assertClose(torch.FloatTensor { 1, nan }, unpacked({ { '_FillValue', 5, 1, '\192\0\0\0' } }, 5, floats))
    assertClose(torch.DoubleTensor { 0.5, -1 }, unpacked({ { 'scale_factor', 6, 1, half } }, 5, floats))
    assertClose(torch.DoubleTensor { 11, 8 }, unpacked({ { 'add_offset', 6, 1, ten } }, 5, floats))
    -- Attributes that are no numbers mean nothing.
    assertClose(torch.ShortTensor { 3, -4 }, unpacked { { 'scale_factor', 2, 1, 'x' }, { 'missing_value', 3, 2, all(2, 3, 4) } })
    assert.equal('ab', opened({ dimensions = { { 'x', 2 } }, variables = { { name = 'v', type = 2, dimensions = { 0 }, data = 'ab',
      attributes = { { 'scale_factor', 6, 1, half } } } } }):read('v', { unpack = true }))
  end)
end)

describe('netcdf.load of a damaged classic file', function()
  local function message(file) return messageOf(opened, file) end
  local open = 'netcdf.open: '

  it('is refused: the start, counts and lengths', function()
    assert.equal(open .. 'at byte 1: expected the bytes CDF and 1, 2 or 5, read "CDF\\3"', message('CDF\3' .. ('\0'):rep(40)))
    assert.equal(open .. 'at byte 1: expected the bytes CDF and 1, 2 or 5, read "CDF\\4"', message('CDF\4' .. ('\0'):rep(40)))
    assert.equal(open .. 'at byte 1: expected the bytes CDF and 1, 2 or 5, read "CDF"', message 'CDF')
    assert.equal(open .. 'at byte 5: expected the number of records of 4 bytes, read 3 bytes to the end of the file', message 'CDF\1\0\0\0')
    assert.equal(open .. 'at byte 5: expected the number of records of 8 bytes, read 7 bytes to the end of the file', message('CDF\5' ..
      ('\0'):rep(7)))
    assert.equal(open .. 'at byte 5: expected the number of records up to 2^53, read 9007199254740994',
      message('CDF\5' .. big(2 ^ 53 + 2, 8) .. ('\0'):rep(40)))
    assert.same({}, opened('CDF\1' .. ('\0'):rep(28)):names())
    for size = 4, 31 do assert.matches('at byte %d+: expected .* to the end of the file$', message('CDF\1' .. ('\0'):rep(size - 4))) end
    local function lists(...) return 'CDF\1' .. big(0, 4) .. all(4, ...) end
    assert.equal(open .. 'at byte 9: expected the list of dimensions (10), read 11', message(lists(11, 1, 0, 0, 0, 0)))
    assert.equal(open .. 'at byte 9: expected the list of dimensions (10), read 0', message(lists(0, 1, 0, 0, 0, 0)))
    assert.equal(open .. 'at byte 9: expected the list of dimensions (10), read 11', message(lists(11, 0, 0, 0, 0, 0)))
    assert.same({}, opened(lists(10, 0, 12, 0, 11, 0)):names())
    assert.equal(open .. 'at byte 17: expected the list of attributes (12), read 10', message(lists(0, 0, 10, 0, 0, 0)))
    assert.equal(open .. 'at byte 25: expected the list of variables (11), read 12', message(lists(0, 0, 0, 0, 12, 0)))
    -- Entries have 8, 12 or 28 bytes at least.
    local function room(at, what, n) return open ..
      ('at byte %d: expected the number of %s that the file has room for, read %d'):format(at, what, n) end
    assert.equal(room(13, 'dimensions', 3), message(lists(10, 3) .. ('\0'):rep(23)))
    assert.equal(room(21, 'attributes', 2), message(lists(0, 0, 12, 2) .. ('\0'):rep(23)))
    assert.equal(room(29, 'variables', 1), message(lists(0, 0, 0, 0, 11, 1) .. ('\0'):rep(27)))
    assert.equal(room(41, 'dimensions', 7), message(lists(0, 0, 0, 0, 11, 1, 1) .. 'v\0\0\0' .. all(4, 7) .. ('\0'):rep(27)))
    assert.equal(open .. "at byte 17: expected the length of a dimension's name that the file has room for, read 17",
      message(lists(10, 1, 17, 0, 0, 0, 0)))
    assert.equal(open .. 'at byte 26: expected padding of 3 bytes, read 0 bytes to the end of the file', message(lists(10, 1, 5) ..
      'abcde'))
    assert.equal(open .. 'at byte 26: expected padding of 3 bytes, read 2 bytes to the end of the file', message(lists(10, 1, 5) ..
      'abcde\0\0'))
  end)

  it('is refused: types, dimensions and places', function()
    local function variable(v, version, dimensions)
      v.name, v.type = v.name or 'v', v.type or 4
      return { version = version, dimensions = dimensions or { { 'x', 2 }, { 't', 0 } }, variables = { v }, records = 1 }
    end
    for version, most in pairs { [1] = 6, [2] = 6, [5] = 11 } do
      for _, number in ipairs { 0, most + 1 } do
        local expected = open .. 'at byte %d: expected a type from 1 to %d, read %d'
        assert.equal(expected:format(version == 5 and 81 or 53, most, number), message { version = version, variables = { { name = 'v',
          type = number } } })
        assert.equal(expected:format(version == 5 and 49 or 33, most, number), message { version = version, attributes = { { 'a', number,
          0, '' } } })
      end
    end
    assert.equal(open .. "at byte 37: expected an attribute's length that the file has room for, read 5",
      message { attributes = { { 'ab', 4, 5, '' } }, data = ('\0'):rep(8) }:gsub('byte %d+', 'byte 37'))
    -- Two dimensions end at byte 40, the name and number of dimensions of v at byte 68.
    assert.equal(open .. 'at byte 69: expected a dimension from 0 to 1, read 2', message(variable { dimensions = { 2 }, data = '' }))
    assert.equal(open .. 'at byte 73: expected the unlimited dimension first, read as number 2', message(variable { dimensions = { 0, 1 },
      data = '' }))
    assert.equal(open .. 'at byte 69: expected a dimension from 0 to -1, read 0', message(variable({ dimensions = { 0 }, data = '....' },
      1, {})):gsub('byte %d+', 'byte 69'))
    assert.same({ 2 ^ 53 }, opened(variable({ dimensions = { 0 }, at = 0 }, 5, { { 'x', 2 ^ 53 } })):variable('v').sizes)
    local zeros = torch.zeros(1025):totable()
    assert.equal(open .. 'at byte 65: expected at most 1024 dimensions, read 1025', message(variable { dimensions = zeros, data = '' }))
    local names = {}
    for i = 1, 1024 do names[i] = 0 end
    local file = opened(variable({ dimensions = names, data = '....' }, 1, { { 'x', 1 } }))
    assert.equal(1024, #file:variable('v').sizes)
    local place = #files.read(name) - 4 + 1      -- of the only element
    assert.equal(('netcdf.File:read: variable v: at byte %d: expected a variable of at most 64 dimensions, read 1024'):format(place),
      messageOf(file.read, file, 'v'))
    names = { unpack(names, 1, 64) }
    file = opened(variable({ dimensions = names, data = '....' }, 1, { { 'x', 1 } }))
    assert.equal(64, file:read('v'):dim())
    local expected = 'at byte 5: expected at most 2^53 elements of v, read 1.80144e+16'
    assert.equal(open .. expected, message(variable({ dimensions = { 0, 1 }, at = 0 }, 5, { { 'x', 2 ^ 53 }, { 'y', 2 } })))
    assert.equal(open .. expected, message(variable({ dimensions = { 0, 1, 1 }, at = 0 }, 5, { { 't', 0 }, { 'y', 2 ^ 27 }, { 'z',
      1 } })):gsub('read .*', 'read 1.80144e+16'))
    assert.matches("expected a dimension's size up to 2%^53, read 9007199254740994$", message { version = 5, dimensions = { { 'x',
      2 ^ 53 + 2 } } })
  end)

  it('is refused: variables behind the end', function()
    local function problem(v, records, dimensions, version)
      v.name = 'v'
      local file = opened { version = version, records = records, dimensions = dimensions, variables = { v }, data = ('\0'):rep(8) }
      return (messageOf(file.read, file, 'v'):gsub('at byte %d+', 'at byte N'))
    end
    local read = 'netcdf.File:read: variable v: at byte N: expected the variable v of %d bytes, read %d bytes to the end of the file'
    assert.equal(read:format(12, 8), problem({ type = 4, dimensions = { 0 }, offset = 0 }, 0, { { 'x', 3 } }))
    assert.equal(read:format(8, 7), problem({ type = 4, dimensions = { 0 }, offset = 1 }, 0, { { 'x', 2 } }))
    assert.equal(read:format(12, 8), problem({ type = 4, dimensions = { 0 }, offset = 0 }, 3, { { 't', 0 } }))
    assert.equal(read:format(8, 7), problem({ type = 4, dimensions = { 0 }, offset = 1 }, 2, { { 't', 0 } }))
    assert.equal(read:format(4, 0), problem({ type = 4, at = 2 ^ 32 - 4 }, 0, {}))
    assert.equal(read:format(4, 0), problem({ type = 4, at = 2 ^ 53 }, 0, {}, 2))
    assert.equal("netcdf.open: at byte 61: expected a variable's place up to 2^53, read 9007199254740994",
      message { version = 2, variables = { { name = 'v', type = 4, at = 2 ^ 53 + 2 } } })
    assert.equal(read:format(4, 3), problem({ type = 4, offset = 5 }, 0, {}))
    local file = opened { records = 2, dimensions = { { 't', 0 } }, variables = { { name = 'v', type = 4, dimensions = { 0 },
      offset = 0 } }, data = ('\0'):rep(8) }
    assert.equal(2, file:read('v'):nElement())
    -- No records need no bytes, wherever they begin.
    file = opened { records = 0, dimensions = { { 't', 0 } }, variables = { { name = 'v', type = 4, dimensions = { 0 }, at = 2 ^ 31 } } }
    assert.same({ 0 }, file:read('v'):size():totable())
  end)
end)
