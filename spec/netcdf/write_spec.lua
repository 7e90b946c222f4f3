-- The bytes of classic netCDF files that save writes, as made by hand (bytes.lua), and what it refuses.
local torch = require 'torch'
local netcdf = require 'netcdf'
local files = require 'spec.support.files'
local bytes = require 'spec.netcdf.bytes'
local assertClose = require('spec.support.close').within { sameType = true }

local all, big = bytes.all, bytes.big

local name
before_each(function() name = os.tmpname() end)
after_each(function() os.remove(name) end)

local function written(...)
  netcdf.save(name, ...)
  return files.read(name)
end

-- Kind, number of the type, elements, and their bytes.
local types = {
  { 'Char', 1, { -1, 2 }, '\255\2' }, { 'Short', 3, { -2, 258 }, all(2, -2, 258) }, { 'Int', 4, { -3, 7 }, all(4, -3, 7) },
  { 'Float', 5, { 1, -2 }, '\63\128\0\0\192\0\0\0' }, { 'Double', 6, { 1, -2 }, '\63\240' .. ('\0'):rep(6) .. '\192' .. ('\0'):rep(7) },
  { 'Byte', 7, { 255, 2 }, '\255\2' }, { 'UInt16', 8, { 65535, 1 }, all(2, 65535, 1) }, { 'UInt32', 9, { 2 ^ 32 - 1, 1 }, all(4,
    2 ^ 32 - 1, 1) },
  { 'Long', 10, { -5, 258 }, all(8, -5, 258) }, { 'UInt64', 11, { 258, 1 }, all(8, 258, 1) },
  { 'Bool', 1, { 1, 0 }, '\1\0' }, { 'Half', 5, { 1, -2 }, '\63\128\0\0\192\0\0\0' }, { 'BFloat16', 5, { 1, -2 }, '\63\128\0\0\192\0\0\0' },
}

describe('netcdf.save of classic files', function()
  it('writes each type, of variables and attributes', function()
    for _, row in ipairs(types) do
      local kind, number, values, data = unpack(row)
      local x = torch[kind .. 'Tensor'](values)
      local version = number > 6 and 5 or 1
      local size = #data + -#data % 4
      local expected = { dimensions = { { 'v_1', 2 } }, variables = { { name = 'v', type = number, dimensions = { 0 }, data = data,
        bytes = size } } }
      expected.version = version
      assert.equal(bytes.file(expected), written { v = x }, kind)
      local file = { version = version, attributes = { { 'a', number, 2, data } }, dimensions = { { 'v_1', 1 } },
                     variables = { { name = 'v', type = 3, dimensions = { 0 }, data = '\0\1', bytes = 4 } } }
      assert.equal(bytes.file(file), written({ v = torch.ShortTensor { 1 } }, { attributes = { a = x } }), kind)
      local variable = file.variables[1]
      file.attributes, variable.attributes, variable.offset = nil, { { 'a', number, 2, data } }, nil
      assert.equal(bytes.file(file), written { v = { data = torch.ShortTensor { 1 }, attributes = { a = x } } }, kind)
    end
  end)

  it('writes numbers, texts and attributes of each form', function()
    local ten = '\64\36' .. ('\0'):rep(6)
    assert.equal(bytes.file {
      dimensions = { { 'd_1', 3 }, { 'word', 2 }, { 'e_2', 2 } }, attributes = { { 'n', 6, 1, ten }, { 'none', 4, 0, '' }, { 'title', 2, 5,
        'title' } },
      variables = {
        { name = 'd', type = 2, dimensions = { 0 }, data = 'abc', bytes = 4, attributes = { { 'x', 2, 0, '' } } },
        { name = 'e', type = 2, dimensions = { 1, 2 }, data = 'a\0bc', bytes = 4 }, { name = 'f', type = 6, data = ten, bytes = 8 },
      },
    }, written({ d = { data = 'abc', attributes = { x = '' } }, e = { data = { 'a', 'bc' }, dimensions = { 'word' } }, f = 10 },
      { attributes = { title = 'title', n = 10, none = torch.IntTensor(0) } }))
    assert.equal(bytes.file { variables = {} }, written {})
    assert.equal(bytes.file { attributes = { { 'a', 2, 1, 'b' } } }, written({}, { attributes = { a = 'b' } }))
    -- Files have no dimension of 0.
    assert.equal(bytes.file { dimensions = { { 'd_1', 1 } }, variables = { { name = 'd', type = 2, dimensions = { 0 }, data = '\0',
      bytes = 4 } } },
      written { d = '' })
  end)

  for _, version in ipairs { 1, 2, 5 } do
    it('writes records of version ' .. version, function()
      local values = {
        a = { data = { 'abc', 'd' }, dimensions = { 't', 'letters' } }, b = { data = torch.IntTensor { { 1, 2 }, { 3, 4 } },
          dimensions = { 't', 'x' } },
        c = { data = torch.ShortTensor { 7, 8 }, dimensions = { 't' } }, fixed = { data = torch.CharTensor { 5, 6 }, dimensions = { 'x' } },
      }
      local expected = {
        version = version, records = 2, dimensions = { { 't', 0 }, { 'letters', 3 }, { 'x', 2 } },
        variables = { { name = 'a', type = 2, dimensions = { 0, 1 }, bytes = 4, offset = 4 }, { name = 'b', type = 4, dimensions = { 0,
          2 }, bytes = 8, offset = 8 },
                      { name = 'c', type = 3, dimensions = { 0 }, bytes = 4, offset = 16 }, { name = 'fixed', type = 1, dimensions = { 2 },
                        bytes = 4, offset = 0 } },
        data = '\5\6\0\0' .. 'abc\0' .. all(4, 1, 2) .. '\0\7\0\0' .. 'd\0\0\0' .. all(4, 3, 4) .. '\0\8\0\0',
      }
      assert.equal(bytes.file(expected), written(values, { unlimited = 't', version = version }))
    end)
  end

  it('writes records of one variable without padding', function()
    assert.equal(bytes.file {
      records = 3, dimensions = { { 't', 0 } }, data = all(2, 1, 2, 3), variables = { { name = 'v', type = 3, dimensions = { 0 },
        bytes = 4, offset = 0 } },
    }, written({ v = { data = torch.ShortTensor { 1, 2, 3 }, dimensions = { 't' } } }, { unlimited = 't' }))
    assert.equal(bytes.file { records = 0, dimensions = { { 't', 0 } }, variables = { { name = 'v', type = 3, dimensions = { 0 },
      bytes = 0, offset = 0 } } },
      written({ v = { data = torch.ShortTensor(0), dimensions = { 't' } } }, { unlimited = 't' }))
  end)

  it('writes tensors of any layout', function()
    local x = torch.range(1, 6):int():view(2, 3):t()
    assert.equal(bytes.file { dimensions = { { 'v_1', 3 }, { 'v_2', 2 } },
                              variables = { { name = 'v', type = 4, dimensions = { 0, 1 }, data = all(4, 1, 4, 2, 5, 3, 6),
                                bytes = 24 } } }, written { v = x })
    assertClose(x:clone(), (netcdf.load(name, 'v')))
  end)

  it('shares dimensions between variables', function()
    netcdf.save(name, { a = { data = torch.ones(2, 3), dimensions = { 'x', 'y' } }, b = { data = torch.ones(3), dimensions = { 'y' } } })
    local file = netcdf.open(name)
    assert.same({ { name = 'x', size = 2, isUnlimited = false }, { name = 'y', size = 3, isUnlimited = false } }, file.dimensions)
    assert.same({ 'y' }, file:variable('b').dimensions)
  end)

  it('takes the version that a program asks for', function()
    for _, version in ipairs { 1, 2, 5 } do
      assert.equal(version, written({ v = torch.ones(1) }, { version = version }):byte(4))
      assertClose(torch.ones(1), (netcdf.load(name, 'v')))
    end
    assert.equal(5, written({ v = torch.ones(1) }, { attributes = { a = torch.LongTensor { 1 } } }):byte(4))
    assert.equal(5, written({ v = { data = torch.ones(1), attributes = { a = torch.LongTensor { 1 } } } }):byte(4))
    assert.equal(5, written({ v = torch.UInt16Tensor { 1 } }, { version = 5 }):byte(4))
  end)

  it('refuses what files cannot hold', function()
    local function refused(expected, ...)
      local good, problem = pcall(netcdf.save, name, ...)
      assert.is_false(good)
      assert.equal('netcdf.save: ' .. expected, (tostring(problem):gsub('^[^ ]*:%d+: ', '')))
    end
    local x = torch.ones(2)
    refused('options: versions, expected one of attributes, unlimited, version, compressed', { x = x }, { versions = 1 })
    refused('variables: 3, expected a table', 3)
    refused('unlimited: a table, expected a string', { x = x }, { unlimited = {} })
    refused('version: 6, expected a whole number from 1 to 5', { x = x }, { version = 6 })
    refused('version: 0, expected a whole number from 1 to 5', { x = x }, { version = 0 })
    refused('version: 3, expected 1, 2 or 5 (all of netCDF 3), or 4', { x = x }, { version = 3 })
    refused('compressed: 1, expected true or false', { x = x }, { compressed = 1 })
    refused('compressed: expected the version 4', { x = x }, { version = 5, compressed = true })
    refused('version: 1, expected 5, as unsigned and 8-byte integers need it', { x = x }, { version = 1,
      attributes = { a = torch.ByteTensor { 1 } } })
    local form = ', expected a string without / and control characters'
    refused("variables: the name ''" .. form, { [''] = x })
    refused('variables: the name 1' .. form, { x })
    refused('x dimensions: the name 5' .. form, { x = { data = x, dimensions = { 5 } } })
    refused("x attributes: the name 'a/b'" .. form, { x = { data = x, attributes = { ['a/b'] = 1 } } })
    refused("the file attributes: the name 'a/b'" .. form, { x = x }, { attributes = { ['a/b'] = 1 } })
    refused('x: options: dat, expected one of data, dimensions, attributes', { x = { data = x, dat = 1 } })
    refused('x dimensions: 3, expected a table', { x = { data = x, dimensions = 3 } })
    refused('attributes: 3, expected a table', { x = x }, { attributes = 3 })
    refused('x: dimensions: 0 names, expected 1', { x = { data = x, dimensions = {} } })
    refused('x: dimensions: 0 names, expected 2', { x = { data = { 'a' }, dimensions = {} } })
    refused('x: dimensions: 3 names, expected 2', { x = { data = { 'a' }, dimensions = { 'a', 'b', 'c' } } })
    refused('x: dimensions: 1 names, expected 2', { x = { data = torch.ones(1, 1), dimensions = { 'a' } } })
    refused('x: element 2: 3, expected a string', { x = { 'a', 3 } })
    refused('x attribute a: torch.ComplexDoubleTensor, expected a type of real numbers', { x = { data = x,
      attributes = { a = torch.complex(x, x) } } })
    local expected = 'expected a number, string or tensor of one dimension'
    refused('x attribute a: a torch.DoubleTensor, ' .. expected, { x = { data = x, attributes = { a = torch.ones(1, 2) } } })
    refused('the file attribute a: true, ' .. expected, { x = x }, { attributes = { a = true } })
    refused('dimension x_2: size 0, expected 1 or more, or the unlimited one', { x = torch.Tensor(2, 0) })
    refused('x: the unlimited dimension t as number 2, expected it first', { x = { data = torch.Tensor(2, 0), dimensions = { 'a',
      't' } } }, { unlimited = 't' })
    refused('dimension t: sizes 2 and 0, expected one', { a = { data = x, dimensions = { 't' } }, b = { data = torch.Tensor(0, 1),
      dimensions = { 't', 'u' } } },
      { unlimited = 't' })
    refused('x: a tensor without dimensions, expected 1 or more', { x = torch.Tensor() })
    local _, problem = pcall(netcdf.save, '/nowhere/x.nc', { x = x })
    assert.matches('netcdf%.save: /nowhere/x%.nc: No such file or directory$', tostring(problem))
  end)

  it('writes integers of 8 bytes whole', function()
    local x = torch.LongTensor { 0, -1 }
    x[1] = 9007199254740993LL
    assert.equal(big(2 ^ 53, 8):sub(1, 7) .. '\1' .. ('\255'):rep(8), written({ v = x }):sub(-16))
  end)
end)

describe('netcdf.load', function()
  it('reads one variable, some, or all, and the attributes', function()
    netcdf.save(name, { a = torch.ones(1), b = torch.zeros(2), c = 'x' }, { attributes = { t = 'u' } })
    local a, attributes = netcdf.load(name, 'a')
    assertClose(torch.ones(1), a)
    assert.same({ t = 'u' }, attributes)
    local two = netcdf.load(name, { 'b', 'c' })
    assertClose(torch.zeros(2), two.b)
    assert.same({ 'x', nil }, { two.c, two.a })
    local function refused(expected, ...)
      local good, problem = pcall(netcdf.load, name, ...)
      assert.is_false(good)
      assert.equal('netcdf.load: ' .. expected, (tostring(problem):gsub('^[^ ]*:%d+: ', '')))
    end
    refused('variables: 3, expected a table', 3)
    refused('variable 1: a table, expected a string', { {} })
    refused('options: first, expected one of unpack', 'a', { first = 1 })
    refused('unpack: 1, expected true or false', 'a', { unpack = 1 })
  end)

  it('names at most 200 bytes of variables that a file has', function()
    local values = {}
    for i = 100, 199 do values['variable' .. i] = 1 end
    netcdf.save(name, values)
    local names = {}
    for i = 100, 199 do names[#names + 1] = 'variable' .. i end
    local _, problem = pcall(netcdf.load, name, 'x')
    assert.equal(table.concat(names, ', '):sub(1, 200), (tostring(problem):match 'no such variable, but (.*)$'))
  end)

  it('refuses to read all variables if they have the same bytes many times', function()
    local variables = {}
    for i = 1, 20 do variables[i] = { name = 'v' .. i, type = 6, dimensions = { 0 }, offset = 0 } end
    files.write(name, bytes.file { dimensions = { { 'x', 100 } }, variables = variables, data = ('\0'):rep(800) })
    local size = #files.read(name)
    local _, problem = pcall(netcdf.load, name)
    assert.equal(('variables of %d bytes, expected at most those of the file, %d'):format(math.floor(size / 800 + 1) * 800, size),
      (tostring(problem):gsub('^.*' .. name:gsub('%p', '%%%0') .. ': ', '')))
    assert.equal(100, netcdf.load(name, 'v20'):nElement())
    assert.equal(100, netcdf.load(name, { 'v1', 'v2', 'v3', 'v4' }).v4:nElement())
  end)
end)
