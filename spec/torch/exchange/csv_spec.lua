-- torch.csv: quoting, headers, columns, exact numbers, reading in parts, errors.
local torch = require 'torch'
local files = require 'spec.support.files'
local paths = require 'paths'

local name

local function writeAll(text) files.write(name, text) end

local function readAll() return files.read(name) end

local function rows(text, options)
  writeAll(text)
  local reader, list = torch.csv.open(name, options or { header = false }), {}
  for fields in reader:rows() do list[#list + 1] = fields end
  reader:close()
  return list
end

local function load(text, options)
  writeAll(text)
  return torch.csv.load(name, options)
end

before_each(function() name = paths.tmpname() end)

describe('rows of a CSV file', function()
  it('are fields between separators, quoted or not', function()
    local cases = {
      { 'a,b\nc,d\n', { { 'a', 'b' }, { 'c', 'd' } } },
      { 'a,b\r\nc,d', { { 'a', 'b' }, { 'c', 'd' } } },
      { '\n\na,b\n\r\n\nc,d\n\n', { { 'a', 'b' }, { 'c', 'd' } } },
      { ',\n', { { '', '' } } },
      { '"",x\n', { { '', 'x' } } },
      { '"a,b","c""d","e\nf",g\nh\n', { { 'a,b', 'c"d', 'e\nf', 'g' }, { 'h' } } },
      { '"a"\r\n"b"', { { 'a' }, { 'b' } } },
      { 'a"b,c\n', { { 'a"b', 'c' } } },
      { '\239\187\191a\n', { { 'a' } } },
      { '""\n', { { '' } } },
      { '', {} },
    }
    for _, case in ipairs(cases) do assert.same(case[2], rows(case[1]), case[1]) end
    assert.same({ { 'a', 'b' } }, rows('a;b\n', { separator = ';', header = false }))
  end)

  it('may be longer than any buffer, and have many fields', function()
    local long = { ('x'):rep(300000), '"' .. ('y\n'):rep(200000) .. '"' }
    local back = rows(table.concat(long, ',') .. '\n' .. ('z,'):rep(5000) .. '\nend\n')
    assert.equal(long[1], back[1][1])
    assert.equal(long[2], '"' .. back[1][2] .. '"')
    assert.equal(5001, #back[2])
    assert.same({ 'end' }, back[3])
  end)

  it('are read from a pipe as soon as they arrive', function()
    os.execute('mkfifo ' .. name)
    os.execute(('(echo a,1; echo b,2) >%s &'):format(name))
    local reader = torch.csv.open(name, { header = false })
    assert.same({ 'a', '1' }, reader:rows()())
    assert.same({ 'b', '2' }, reader:rows()())
    assert.is_nil(reader:rows()())
    reader:close()
  end)
end)

describe('torch.csv.load', function()
  it('finds a header, or is told of it', function()
    local x, names = load 'a,b\n1,2\n3,4\n'
    assert.same({ { 1, 2 }, { 3, 4 } }, x:totable())
    assert.same({ 'a', 'b' }, names)
    x, names = load '1,2\n3,4\n'
    assert.same({ 2, 2 }, x:size():totable())
    assert.is_nil(names)
    x, names = load('1,2\n3,4\n', { header = true })
    assert.same({ { 3, 4 } }, x:totable())
    assert.same({ '1', '2' }, names)
    assert.same({ 0, 2 }, load 'a,b\n':size():totable())
    assert.same({ 0, 0 }, load '':size():totable())
  end)

  it('takes the columns that it is asked for', function()
    local x = load('name,h,w\nbox,1,2\nbag,3,4\n', { columns = { 'w', 2 } })
    assert.same({ { 2, 1 }, { 4, 3 } }, x:totable())
    assert.error_matches(function() torch.csv.load(name, { colums = { 'a' } }) end,
      'torch.csv.load: options: colums, expected one of separator, header, columns, type, missing, encoding')
    assert.error_matches(function() torch.csv.save(name, torch.ones(2), { 'a' }) end,
      'torch.csv.save: options: 1, expected one of header, separator')
    assert.error_matches(function() torch.csv.load(name, { columns = { 'z' } }) end, 'columns: z, expected the name or number of one of 3')
  end)

  it('reads every form of a decimal number', function()
    local x = load('1,-2.5,+3e2,.5,5.,1E-3, 7 ,inf,-Inf,nan,0.1234567890123456789,123456789012345678901234567890\n')
    local expected = { 1, -2.5, 300, 0.5, 5, 0.001, 7, math.huge, -math.huge, nil, 0.1234567890123456789, 123456789012345678901234567890 }
    for i = 1, 12 do
      if i ~= 10 then assert.equal(expected[i], x[1][i]) end
    end
    assert.is_true(x[1][10] ~= x[1][10])
  end)

  it('keeps integers of 64 bits and numbers of every type exact', function()
    local x = load('9223372036854775807\n-9223372036854775808\n9007199254740993\n', { type = 'torch.LongTensor' })
    torch.csv.save(name, { { x[1][1], -9007199254740993LL, 18446744073709551615ULL, 1 - 2i } })
    assert.equal('9223372036854775807,-9007199254740993,18446744073709551615,1-2i\n', files.read(name))
    local p = x:data()
    assert.is_true(p[0] == 9223372036854775807LL and p[1] == -9223372036854775807LL - 1 and p[2] == 9007199254740993LL)
    for _, kind in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double' } do
      local y = torch[kind .. 'Tensor'](4, 3)
      for i = 1, 4 do
        for j = 1, 3 do y[i][j] = (7 * i + j) / (kind:find 'Float' and 30 or kind == 'Half' and 30 or kind == 'Double' and 30 or 1) end
      end
      torch.csv.save(name, y)
      assert.equal(torch.serialize(y), torch.serialize(torch.csv.load(name, { type = torch.type(y) })))
    end
  end)

  it('reads piece by piece', function()
    writeAll 'a,b\n1,2\n3,4\n5,6\n'
    local reader = torch.csv.open(name, { type = 'torch.IntTensor' })
    assert.same({ 'a', 'b' }, reader.header)
    assert.same({ { 1, 2 }, { 3, 4 } }, reader:read(2):totable())
    assert.same({ { 5, 6 } }, reader:read(2):totable())
    assert.is_nil(reader:read(2))
    reader:close()
  end)

  it('reads an empty field as NaN, or as the given value', function()
    local x = load '1,\n,2\n'
    assert.is_true(x[1][2] ~= x[1][2])
    assert.same({ { 1, -1 }, { -1, 2 } }, load('1,\n,2\n', { missing = -1, type = 'torch.IntTensor' }):totable())
  end)

  it('reports an error with its position', function()
    local cases = {
      { '1,2\n3,x\n', 'at byte 7: expected a number in line 2, column 2, read "x"' },
      { '1,2\n3\n', 'at byte 5: expected 2 fields in line 2, read 1' },
      { '"a\n1\n', 'at byte 1: expected a quote that closes the field of line 1, read the end of the file' },
      { '"a"b\n', 'at byte 4: expected a separator after the quoted field of line 1, read "b"' },
      { '1\n2.5\n', 'at byte 3: expected an integer of 64 bits in line 2, column 1, read "2.5"', 'torch.IntTensor' },
      { '1\n9223372036854775808\n', 'expected an integer of 64 bits in line 2', 'torch.LongTensor' },
      { '1\n300\n', 'expected an integer from 0 to 255 for a torch.ByteTensor in line 2, column 1, read "300"', 'torch.ByteTensor' },
      { '1\n\n\n"x\ny"\n', 'at byte 6: expected a number in line 4', nil },
      { '1,0x10\n2,3', 'expected a number in line 1, column 2, read "0x10"' },
      { '1,\n', 'expected an integer, or the option missing, in line 1, column 2, read ""', 'torch.IntTensor' },
    }
    for _, case in ipairs(cases) do
      writeAll(case[1])
      local _, message = pcall(torch.csv.load, name, { header = false, type = case[3] })
      assert.matches('torch.csv: [^:]*: ' .. case[2]:gsub('^expected', 'at byte %%d+: expected'), message)
    end
    local _, missing = pcall(function() torch.csv.load '/no/such' end)
    assert.matches('^[^:]*csv_spec.lua:%d+: torch.csv.load: cannot open /no/such: No such file', missing)
    assert.error_matches(function() torch.csv.load(name, { separator = '::' }) end, 'separator: "::", expected one character')
    assert.error_matches(function() torch.csv.load(name, { type = 'flot' }) end, 'type: flot, expected a tensor type')
  end)
end)

describe('torch.csv.save', function()
  it('writes numbers that are read back unchanged, with few digits if these suffice', function()
    torch.csv.save(name, torch.DoubleTensor { { 1, 0.1 }, { -2.5e-7, 1 / 3 }, { math.huge, 1e300 } }, { header = { 'a', 'b,c' } })
    assert.equal('a,"b,c"\n1,0.1\n-2.5e-07,0.33333333333333331\ninf,1e+300\n', readAll())
    torch.csv.save(name, torch.FloatTensor { 0.1, 1 / 3 })
    assert.equal('0.1\n0.333333343\n', readAll())
  end)

  it('writes rows of text, quoted where they must be; tabs for .tsv', function()
    local list = { { 'a', 'b c' }, { 'd"e', 'f\ng' }, { '', 1.5 } }
    torch.csv.save(name, list)
    assert.equal('a,b c\n"d""e","f\ng"\n"",1.5\n', readAll())
    torch.csv.save(name .. '.tsv', torch.IntTensor { { 1, 2 } })
    assert.same({ { 1, 2 } }, torch.csv.load(name .. '.tsv'):totable())
    os.rename(name .. '.tsv', name)
    assert.equal('1\t2\n', readAll())
  end)

  it('refuses what has no rows', function()
    assert.error_matches(function() torch.csv.save(name, torch.ones(1, 1, 1)) end, 'torch.csv.save: x: torch.DoubleTensor, expected')
    assert.error_matches(function() torch.csv.save(name, 'text') end, 'torch.csv.save: x: string')
    local flat = 'torch.csv.save: .*: row 1: number, expected a list of numbers and strings'
    assert.error_matches(function() torch.csv.save(name, { 1, 2 }) end, flat)
  end)
end)
