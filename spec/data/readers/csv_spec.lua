-- Text tables with typed columns: inferred and given types, missing values, dates, chunks, and errors for damage.
local torch = require 'torch'
local paths = require 'paths'
local files = require 'spec.support.files'
local csv = require('data.readers').csv

local name
before_each(function() name = paths.tmpname() end)
after_each(function() os.remove(name) end)

local function load(text, options)
  files.write(name, text)
  return csv.load(name, options)
end

local function values(column)
  local list = torch.isTensor(column) and column:totable() or column
  for i, value in ipairs(list) do list[i] = value == value and value or 'nan' end
  return list
end

describe('data.csv.load', function()
  it('infers a type a column', function()
    local f = load 'i,x,b,d,t\n1,1.5,true,2021-03-04,a\n-2,3,FALSE,1970-01-02,"b, c"\n'
    assert.same({ 'i', 'x', 'b', 'd', 't' }, f.names)
    assert.same({ i = 'torch.LongTensor', x = 'torch.DoubleTensor', b = 'torch.BoolTensor', d = 'date', t = 'text' }, f.types)
    assert.equal(2, f:size())
    assert.same({ 1, -2 }, values(f.columns.i))
    assert.same({ 1.5, 3 }, values(f.columns.x))
    assert.same({ 1614816000, 86400 }, values(f.columns.d))
    assert.same({ 'a', 'b, c' }, f.columns.t)
    assert.same({ i = -2, x = 3, b = false, d = 86400, t = 'b, c' }, f:get(2))
  end)

  it('keeps the types of columns with missing values, and converts mixed columns to texts', function()
    local f = load 'a,b,c,d\n1,1,true,2021-01-01\nNA,x,,null\n3,,false,\n'
    assert.same({ a = 'torch.LongTensor', b = 'text', c = 'torch.BoolTensor', d = 'date' }, f.types)
    assert.same({ 1, 0, 3 }, values(f.columns.a))
    assert.same({ '1', 'x', '' }, f.columns.b)
    assert.same({ 1, 0, 0 }, f.columns.c:byte():totable())
    for name_, mask in pairs { a = { 0, 1, 0 }, b = { 0, 0, 1 }, c = { 0, 1, 0 }, d = { 0, 1, 1 } } do
      assert.same(mask, f:isMissing(name_):byte():totable())
    end
    assert.same({ 1609459200, 'nan', 'nan' }, values(f.columns.d))
    assert.same({ 'nan', 'nan' }, values(load('a,b\n,1\n-,2\n', { absent = { '-' } }).columns.a))
    f = load('a,b\nNA,1\n-,2\n,3\nnull,NA\n', { absent = { '-' }, onlyAbsent = true })
    assert.same({ { 'NA', '', '', 'null' }, { '1', '2', '3', 'NA' } }, { f.columns.a, f.columns.b })
    assert.same({ 0, 1, 1, 0 }, f:isMissing('a'):byte():totable())
  end)

  it('takes all rows into account, wherever the one that differs is', function()
    for last, expected in pairs { ['2.5'] = 'torch.DoubleTensor', x = 'text', ['7'] = 'torch.LongTensor', [''] = 'torch.LongTensor' } do
      local f = load(('a,b\n' .. ('1,2\n'):rep(3000)) .. last .. ',9\n')
      assert.equal(expected, f.types.a)
      assert.equal('torch.LongTensor', f.types.b)
      assert.equal(3001, #values(f.columns.a))
      assert.same({ last == '' and 0 or tonumber(last) and expected ~= 'text' and tonumber(last) or last },
        { values(f.columns.a)[3001] })
      assert.equal(expected == 'text' and '1' or 1, f.columns.a[1])
    end
    local f = load('t,u\n' .. ('2021-01-01,true\n'):rep(2000) .. '1,1\n')
    assert.same({ t = 'text', u = 'text' }, f.types)
    assert.equal('2021-01-01', f.columns.t[1])
    assert.equal('1', f.columns.u[2001])
  end)

  it('takes the type of a column that begins with many missing values', function()
    local f = load('a,b,c\n' .. (',,\n'):rep(1500) .. '7,2024-01-01,x\n')
    assert.same({ 'torch.DoubleTensor', 'date', 'text' }, { f.types.a, f.types.b, f.types.c })
    assert.same({ 7, 1704067200, 'x' }, { f.a[1501], f.b[1501], f.c[1501] })
    assert.equal(1500, f:isMissing('c'):sum())
    assert.equal('text', load('a,b\n' .. (',1\n'):rep(1500) .. '2024-01-01,1\nx,1\n').types.a)
  end)

  it('takes the types that it is given', function()
    local text = 'a,b,c,d,e\n1,red,1e3,2021,0\n2,blue,5.0,1999,1\n3,red,7,2000,true\n'
    local f = load(text, { types = { a = 'float', b = 'category', c = 'int', [4] = 'text', e = 'bool' } })
    assert.equal('torch.FloatTensor', f.columns.a:type())
    assert.same({ 1, 2, 1 }, values(f.columns.b))
    assert.same({ 'red', 'blue' }, f.categories.b)
    assert.equal('torch.IntTensor', f.columns.c:type())
    assert.same({ 1000, 5, 7 }, values(f.columns.c))
    assert.same({ '2021', '1999', '2000' }, f.columns.d)
    assert.equal('torch.BoolTensor', f.columns.e:type())
    f = load(text, { types = { b = { 'blue', 'red' } }, columns = { 'b' } })
    assert.same({ 2, 1, 2 }, values(f.columns.b))
    assert.equal('torch.DoubleTensor', load(text, { types = 'double', columns = { 'a', 'c' } }).columns.a:type())
    assert.same({ -1, 5 }, values(load('a\nNA\n5\n', { types = { a = 'long' }, missing = -1 }).columns.a))
    assert.same({ 0, 1 }, values(load('a,b\nNA,1\nx,1\n', { types = { a = 'category' } }).columns.a))
  end)

  it('keeps integers of 64 bits exact', function()
    local f = load 'a\n9223372036854775807\n-9223372036854775808\n'
    local p = f.columns.a:data()
    assert.is_true(p[0] == 9223372036854775807LL and p[1] == -9223372036854775807LL - 1)
    assert.equal('torch.DoubleTensor', load('a\n9223372036854775808\n').types.a)
  end)

  it('reads dates as Python does', function()
    for text, seconds in pairs(dofile 'spec/data/readers/csv_figures.lua') do
      assert.same({ seconds }, values(load(('d,x\n"%s",1\n'):format(text), { types = { d = 'date' } }).columns.d), text)
    end
    assert.same({ 1614816000 }, values(load('d\n4/3/2021\n', { dates = 'dmy' }).columns.d))
    assert.same({ 1617408000 }, values(load('d\n4/3/2021\n', { dates = 'mdy' }).columns.d))
    for _, text in ipairs { '4/3/2021', '2021-02-29', '2021-13-01', '2021-01-32', '2021-01-01T25:00', '2021-01-01T10:60', '2021-1',
                            '1.1.21', '2021-01-01 1', '4 Foo 2021', '2021-01-01x', '2021-01-01T10:00+25:00', '0000-00-00' } do
      assert.equal('text', load('d,x\n' .. text .. ',1\n').types.d, text)
    end
  end)

  it('reads quoted cells over lines, comments, other separators, decimal commas, blanks, short rows, packed files', function()
    assert.same({ 'x\ny "z"', 'w' }, load('a,b\n"x\ny ""z""",1\nw,2\n').columns.a)
    assert.same({ 1, 3 }, values(load('# first\na,b\n1,2\n#second, "\n3,4\n', { comment = '#' }).columns.a))
    assert.same({ 1.5, -2 }, values(load('a;b\n1,5;2\n-2;3\n', { separator = ';', decimal = ',' }).columns.a))
    local f = load('  a    b\n  1   2.5\n 10   3\n', { separator = ' ', runs = true })
    assert.same({ { 1, 10 }, { 2.5, 3 } }, { values(f.columns.a), values(f.columns.b) })
    assert.same({ 0, 1 }, load('a,b\n1,2\n3\n', { ragged = true }):isMissing('b'):byte():totable())
    if os.execute 'command -v gzip >/dev/null' == 0 then
      files.write(name, 'a\n1\n2\n')
      os.execute('gzip ' .. name)
      assert.same({ 1, 2 }, values(csv.load(name .. '.gz').columns.a))
      os.remove(name .. '.gz')
    end
  end)

  it('gives columns by name and number, and matrices', function()
    local f = load 'a,b,t\n1,2.5,x\n3,4.5,y\n'
    assert.same({ { 1, 2.5 }, { 3, 4.5 } }, f:matrix():totable())
    assert.same({ { 2.5, 1 }, { 4.5, 3 } }, f:matrix({ 'b', 1 }, 'torch.FloatTensor'):totable())
    assert.same({ { 2.5 }, { 4.5 } }, f:matrix('b'):totable())
    assert.same({ 'x', 'y' }, f:column(3))
    assert.same({ a = { 3, 1 }, b = { 4.5, 2.5 }, t = { 'y', 'x' } }, (function()
      local batch = f:getBatch(torch.LongTensor { 2, 1 })
      return { a = values(batch.a), b = values(batch.b), t = batch.t }
    end)())
    assert.error_matches(function() f:matrix { 't' } end, "data.Frame: matrix: t has texts, expected numbers; the type 'category'")
    assert.error_matches(function() f:column 'z' end, 'data.Frame: column: z, expected one of a, b, t')
    assert.equal('a    b  t\n1  2.5  x\n3  4.5  y\n[data.Frame of 2 rows, 3 columns]', tostring(f))
  end)

  it('reads at most so many rows, and files without any', function()
    assert.same({ 1, 2 }, values(load('a\n1\n2\n3\n', { rows = 2 }).columns.a))
    assert.equal(0, load('a,b\n'):size())
    assert.equal(0, load(''):size())
    assert.same({ 'var_1', 'var_2' }, load('1,2\n3,4\n').names)
    assert.same({ '1', '2' }, load('1,2\n3,4\n', { header = true }).names)
    assert.same({ 'name', 'town' }, load('name,town\ntom,Oslo\neve,Rome\n').names)
    assert.same({ 'var_1', 'var_2' }, load('yes,no\nyes,yes\n').names)
    assert.same({ 'var_1', 'var_2' }, load('x,x\ny,z\n').names)
    assert.same({ 'var_1' }, load('lonely\n', { header = false }).names)
    local named = load('1,2\n3,4\n', { header = { 'p', 'q' }, types = { q = 'int' }, columns = { 'q' } })
    assert.same({ { 'q' }, { 2, 4 } }, { named.names, values(named.columns.q) })
    named = load('p\n' .. ('1,2\n'):rep(2000) .. 'x,y\n', { header = { 'p', 'q' }, skip = 1 })
    assert.same({ 'text', '1', 'x', 2001 }, { named.types.p, named.columns.p[1], named.columns.p[2001], named:size() })
    assert.error_matches(function() load('1,2\n', { header = { 'p' } }) end, 'header: 1 names, expected one for each of 2 columns')
    assert.same({ 5 }, values(load('made by "x\n\na\n5\n', { skip = 1 }).columns.a))
  end)

  it('reports an error with its position', function()
    local cases = {
      { 'a\n1\nx\n', { types = { a = 'int' } }, 'at byte 5: expected an integer of 64 bits in line 3, column 1, read "x"' },
      { 'a\n1\n300\n', { types = { a = 'byte' } }, 'expected an integer from 0 to 255 for a torch.ByteTensor in line 3, column 1' },
      { 'a\n1\nx\n', { types = { a = 'double' } }, 'expected a number in line 3, column 1, read "x"' },
      { 'a\n1\n', { types = { a = 'date' } }, 'expected a date in line 2, column 1, read "1"' },
      { 'a\n2\n', { types = { a = 'bool' } }, 'expected true or false in line 2, column 1, read "2"' },
      { 'a\nz\n', { types = { a = { 'x', 'y' } } }, 'expected one of the categories x, y in line 2, column 1, read "z"' },
      { 'a,b\n1\n', {}, 'at byte 5: expected 2 fields in line 2, read 1' },
      { 'a,b\n1,"2\n', {}, 'at byte 7: expected a quote that closes the field of line 2, read the end of the file' },
    }
    for _, case in ipairs(cases) do
      assert.error_matches(function() load(case[1], case[2]) end, case[3])
    end
    local options = {
      { { types = { z = 'int' } }, 'types: z, expected the name or number of one of 1 columns' },
      { { types = { a = 'in' } }, "data.csv.load: types.a: 'in', expected a type of tensors, 'date', 'category', 'text' or a list" },
      { { separator = '--' }, 'data.csv.load: separator: "%-%-", expected one character that is no part of numbers' },
      { { dates = 'ymd' }, "data.csv.load: dates: ymd, expected 'dmy' or 'mdy'" },
      { { decimal = ',' }, "data.csv.load: decimal: ',' is the separator, too" },
      { { tipes = {} }, 'data.csv.load: options: tipes, expected one of separator, header' },
      { { columns = { 'z' } }, 'columns: z, expected the name or number of one of 1 columns' },
    }
    for _, case in ipairs(options) do
      local _, message = pcall(load, 'a\n1\nx\n', case[1])
      assert.matches('^[^ ]*csv_spec.lua:%d+: ' .. (case[2]:find '^%l+: z' and 'data.csv.load: [^ ]+: ' or '') .. case[2], message)
    end
  end)
end)

describe('data.csv.open', function()
  it('reads chunks of rows of the same types', function()
    files.write(name, 'a,t\n1,x\n2,y\n3,x\n')
    local sizes, codes = {}, {}
    for frame in csv.open(name, { types = { t = 'category' } }):chunks(2) do
      sizes[#sizes + 1] = frame:size()
      for _, code in ipairs(values(frame.columns.t)) do codes[#codes + 1] = code end
    end
    assert.same({ 2, 1 }, sizes)
    assert.same({ 1, 2, 1 }, codes)
    local reader = csv.open(name, { rows = 2 })
    assert.same({ 'a', 't' }, reader.names)
    assert.equal(1, reader:read(1):size())
    assert.equal(1, reader:read():size())
    assert.is_nil(reader:read())
    reader:close()
  end)

  it('reads files larger than any buffer in chunks', function()
    local rows = {}
    for i = 1, 60000 do rows[i] = ('%d,%d.5,"text\n%d"'):format(i, i, i % 100) end
    files.write(name, 'a,b,c\n' .. table.concat(rows, '\n'))
    local count = 0
    for frame in csv.open(name):chunks(999) do
      local a, b, c = frame.columns.a, frame.columns.b, frame.columns.c
      assert.is_true(a[1] == count + 1 and b[1] == count + 1.5 and c[1] == 'text\n' .. (count + 1) % 100)
      count = count + frame:size()
      assert.equal(count, a[frame:size()])
    end
    assert.equal(60000, count)
  end)

  it('says that a chunk is not what the first rows were', function()
    files.write(name, 'a\n' .. ('1\n'):rep(2000) .. 'x\n')
    local reader = csv.open(name)
    assert.equal(1500, reader:read(1500):size())
    assert.error_matches(function() reader:read() end,
      'data.csv.open: .*: column 1 %(a%) is text after rows of long; the option types = { %[1%] = "text" } says it from the start')
  end)

  it('reads pipes', function()
    os.remove(name)
    os.execute('mkfifo ' .. name)
    os.execute(('(echo a,b; echo 1,x; echo 2,y) >%s &'):format(name))
    local f = csv.load(name)
    assert.same({ { 1, 2 }, { 'x', 'y' } }, { values(f.columns.a), f.columns.b })
  end)
end)

describe('data.csv.save', function()
  it('writes files that load reads', function()
    local text = 'i,x,b,d,t,c\n1,1.5,true,2021-03-04T00:00:00.00,a,red\n2,"",false,2021-03-04T05:06:07.25,"b, c",blue\n'
    local f = load(text, { types = { c = 'category' } })
    csv.save(name, f)
    assert.equal(text, files.read(name))
    csv.save(name, torch.Tensor { { 1, 2 } }, { header = { 'p', 'q' } })
    assert.equal('p,q\n1,2\n', files.read(name))
    csv.save(name, { b = torch.IntTensor { 3, 4, 5 }, a = { 'x', 'y' } })
    assert.equal('a,b\nx,3\ny,4\n"",5\n', files.read(name))
    csv.save(name, { b = { 3 }, a = { 'x', 'y' } })
    assert.equal('a,b\nx,3\ny,""\n', files.read(name))
    csv.save(name, { b = { 1 }, a = { 2 } }, { header = { 'b' } })
    assert.equal('b\n1\n', files.read(name))
    assert.error_matches(function() csv.save(name, { a = 3 }) end, 'data.csv.save: x.a: number, expected a list or a vector')
  end)
end)
