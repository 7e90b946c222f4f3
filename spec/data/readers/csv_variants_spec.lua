-- Variants of tables of text: line ends, encodings, quotes, separators of thousands, names of rows, malformed rows, years in the header.
local torch = require 'torch'
local paths = require 'paths'
local files = require 'spec.support.files'
local data = require 'data'

local name
before_each(function() name = paths.tmpname() end)
after_each(function() os.remove(name) end)

local function load(text, options)
  files.write(name, text)
  return data.csv.load(name, options)
end

local function numbers(text, options)
  files.write(name, text)
  return torch.csv.load(name, options)
end

-- A text of one byte a character in UTF-16.
local function wide(text, pattern) return (text:gsub('.', pattern == 'LE' and '%0\0' or '\0%0')) end

describe('a table without rows', function()
  it('has its columns in every type', function()
    for _, kind in ipairs { 'double', 'long' } do
      assert.same({ 0, 2 }, numbers('a,b\n', { header = true, type = kind }):size():totable())
    end
  end)
end)

describe('line ends', function()
  it('are LF, CR LF, CR, or some of each', function()
    for _, ending in ipairs { '\n', '\r\n', '\r' } do
      local text = ('a,b,c\n1,2,3\n4,5,6'):gsub('\n', ending)
      for _, last in ipairs { '', ending } do
        local x, names = numbers(text .. last)
        assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, x:totable())
        assert.same({ 'a', 'b', 'c' }, names)
        assert.same({ 2, 5 }, load(text .. last).b:totable())
      end
      assert.same({ { 1, 2 }, { 3, 4 } }, numbers((('1,2\n\n3,4\n'):gsub('\n', ending))):totable())
    end
    assert.same({ { 1 }, { 2 }, { 3 }, { 4 } }, numbers('1\r2\r\n3\n\r\r\n4'):totable())
  end)

  it('stay inside of quotes, and count as lines', function()
    assert.same({ 'x\ry', 'p\r\nq' }, load('t,n\r"x\ry",1\r"p\r\nq",2\r').t)
    assert.error_matches(function() numbers('1\r2\r\n3\nx\r') end, 'expected a number in line 4, column 1')
    assert.error_matches(function() load('t,n\r"x\ry\n\r\nz",1\rq,r\r', { types = { n = 'int' } }) end, 'in line 6, column 2')
  end)

  it('may fall between two pieces of a large file', function()
    local rows = {}
    for i = 1, 60000 do rows[i] = ('%d,%d'):format(i, i % 7) end
    for _, ending in ipairs { '\r', '\r\n' } do
      for shift = 0, 2 do
        local x = numbers(('0'):rep(shift) .. table.concat(rows, ending))
        assert.same({ 60000, 2 }, x:size():totable())
        assert.equal(60000 * 60001 / 2, x:select(2, 1):sum())
      end
    end
  end)

  it('end the lines that are skipped, comments and lines of text', function()
    assert.same({ 5 }, load('about "this\ra\r5\r', { skip = 1 }).a:totable())
    assert.same({ 5 }, load('# one\r# two\ra\r#\r5\r', { comment = '#' }).a:totable())
    files.write(name, 'one\rtwo\r\n\nthree\n')
    local list = {}
    for number, line in data.text.lines(name) do list[number] = line end
    assert.same({ 'one', 'two', '', 'three' }, list)
    files.write(name, '{"a": 1}\r[2]\r')
    assert.same({ { a = 1 }, { 2 } }, data.jsonl.load(name))
    files.write(name, 'b\ra\rb')
    assert.same({ 1, 2, 1 }, data.text.load(name, { unit = 'lines' }):totable())
    files.write(name, ('line of text\r'):rep(100000))
    local count = 0
    for _ in data.text.lines(name) do count = count + 1 end
    assert.equal(100000, count)
  end)

  it('are those of csvigo, too', function()
    files.write(name, 'a,b\r1,2\r3,4\r')
    assert.same({ a = { '1', '3' }, b = { '2', '4' } }, require('csvigo').load { path = name, verbose = false })
  end)
end)

describe('an encoding', function()
  local text = 'name,n\nab,1\ncd,2\n'

  it('is UTF-16 or UTF-32 where a mark says so', function()
    for _, bytes in ipairs { '\255\254' .. wide(text, 'LE'), '\254\255' .. wide(text, 'BE') } do
      local frame = load(bytes)
      assert.same({ 'ab', 'cd' }, frame.name)
      assert.same({ 1, 2 }, frame.n:totable())
      assert.same({ { 1 }, { 2 } }, numbers(bytes, { columns = { 'n' } }):totable())
    end
    assert.same({ 'ab', 'cd' }, load('\255\254\0\0' .. text:gsub('.', '%0\0\0\0')).name)
    assert.same({ 'h\195\164' }, load('\255\254' .. wide('name,n\nh', 'LE') .. '\228\0' .. wide(',1\n', 'LE')).name)
    assert.same({ '\240\159\152\128' }, load('\255\254' .. wide('name,n\n', 'LE') .. '\61\216\0\222' .. wide(',1\n', 'LE')).name)
    files.write(name, '\255\254' .. wide('a b', 'LE'))
    assert.equal('a b', data.text.read(name))
  end)

  it('is what the option says', function()
    assert.same({ 'h\195\164' }, load('name,n\nh\228,1\n', { encoding = 'latin1' }).name)
    assert.same({ '\226\130\172' }, load('name,n\n\128,1\n', { encoding = 'windows-1252' }).name)
    assert.same({ 'ab', 'cd' }, load(wide(text, 'LE'), { encoding = 'utf-16le' }).name)
    assert.same({ 'ab', 'cd' }, load(text, { encoding = 'UTF-8' }).name)
    assert.error_matches(function() load(wide(text, 'BE')) end,
      "at byte 1: expected text in UTF%-8, or the option encoding = 'utf%-16be', read zero bytes")
    assert.error_matches(function() load(text, { encoding = 'klingon' }) end, 'encoding: klingon, expected one that this system')
    assert.error_matches(function() load('\255\254' .. wide(text, 'LE') .. '\0\216') end, 'UTF%-16LE')
    assert.error_matches(function() load('\255\254a') end, 'at byte 4: expected the rest of a character in UTF%-16LE, read the end of the')
  end)

  it('may have characters between two pieces of a large file', function()
    local rows = {}
    for i = 1, 40000 do rows[i] = ('%d,x\n'):format(i) end
    local frame = load('\255\254' .. wide('n,t\n' .. table.concat(rows), 'LE'))
    assert.equal(40000 * 40001 / 2, frame.n:sum())
  end)
end)

describe('options of tables', function()
  it('take quotes as text, or other quotes', function()
    local frame = load('t,n\n"a,1\n6" pipe,2\n"b",3\n', { quote = false })
    assert.same({ '"a', '6" pipe', '"b"' }, frame.t)
    assert.same({ 'a,b', "it's" }, load("t,n\n'a,b',1\n'it''s',2\n", { quote = "'" }).t)
    assert.error_matches(function() load('a\n1\n', { quote = ',' }) end, 'quote: "," is the separator, too')
    assert.error_matches(function() load('a\n1\n', { quote = 'ab' }) end, 'quote: "ab", expected one character')
  end)

  it('take separators of thousands out of numbers', function()
    local frame = load('n;x;t\n1,234,567;-1,000.5;1,23\n12;0.25;x\n"999,999";1,000e2;1,2345\n', { separator = ';', thousands = ',' })
    assert.same({ 1234567, 12, 999999 }, frame.n:totable())
    assert.same({ -1000.5, 0.25, 100000 }, frame.x:totable())
    assert.same({ '1,23', 'x', '1,2345' }, frame.t)
    frame = load('n;x\n1.234.567;-1.000,5\n1;2\n', { separator = ';', thousands = '.', decimal = ',' })
    assert.same({ { 1234567, 1 }, { -1000.5, 2 } }, { frame.n:totable(), frame.x:totable() })
    for _, text in ipairs { ',123', '1,,234', '1234,567', '1,234,', '1,234x' } do
      assert.equal('text', load('n;m\n1;1\n' .. text .. ';2\n', { separator = ';', thousands = ',' }).types.n)
    end
    assert.error_matches(function() load('a\n1\n', { thousands = '.' }) end, 'thousands: "." stands before fractions, too')
  end)

  it('take names of rows', function()
    local r = 'mpg,cyl\nMazda,21.0,6\nDatsun,22.8,4\n'      -- as R writes it
    local frame = load(r)
    assert.same({ { 'mpg', 'cyl' }, { 'Mazda', 'Datsun' }, { 6, 4 } }, { frame.names, frame.rowNames, frame.cyl:totable() })
    assert.equal('         mpg  cyl\n Mazda    21    6\nDatsun  22.8    4\n[data.Frame of 2 rows, 2 columns]', tostring(frame))
    frame = load('car,mpg\nMazda,21.0\nDatsun,22.8\n', { rowNames = true })
    assert.same({ { 'mpg' }, { 'Mazda', 'Datsun' } }, { frame.names, frame.rowNames })
    assert.same({ 22.8 }, frame:tail(1).mpg:totable())
    assert.same({ 'Datsun' }, frame:tail(1).rowNames)
    assert.same({ 'cyl' }, load(r, { columns = { 'cyl' } }).names)
    assert.is_nil(load('car,mpg\nMazda,21.0\n').rowNames)
    assert.error_matches(function() load(r, { rowNames = false }) end, 'expected 2 fields in line 2, read 3')
    frame = load('x\n' .. ('a,1\n'):rep(2000) .. 'b,2.5\n')      -- read again, as the type is another at the end
    assert.same({ 2001, 2.5, 'b' }, { frame:size(), frame.x[2001], frame.rowNames[2001] })
  end)

  it('leave out malformed rows', function()
    local text = 'a,b\n1,2\n3\n4,5,6\n7,8\n"x"y,9\n\n10,11\n'
    local frame, skipped = load(text, { malformed = 'skip' })
    assert.same({ { 1, 7, 10 }, { 2, 8, 11 }, 3 }, { frame.a:totable(), frame.b:totable(), skipped })
    frame, skipped = load(text, { malformed = 'skip', ragged = true, types = 'double' })
    assert.same({ 4, 2 }, { frame:size(), skipped })
    local reader = data.csv.open(name, { malformed = 'skip' })
    assert.same({ 1, 7 }, reader:read(2).a:totable())
    assert.equal(2, reader.skipped)
    reader:close()
    local rows = ('1,2\n3\n'):rep(50000)
    frame, skipped = load('a,b\n' .. rows, { malformed = 'skip' })
    assert.same({ 50000, 50000 }, { frame:size(), skipped })
    assert.error_matches(function() load(text, { malformed = 'keep' }) end, "malformed: keep, expected 'error' or 'skip'")
  end)

  it('are named by the errors that they prevent', function()
    assert.error_matches(function() load('a,b\n1,2\n3\n') end,
      "expected 2 fields in line 3, read 1 %(with data.csv, ragged = true takes shorter rows, malformed = 'skip' leaves such")
    assert.error_matches(function() numbers('1,2\n3,4,5\n') end, "read 3 %(with data.csv, malformed = 'skip' leaves")
  end)
end)

describe('a header of years', function()
  it('has the names of columns', function()
    local frame = load('country,1990,1991,1992\nA,1,2,3\nB,4,,6\n')
    assert.same({ 'country', '1990', '1991', '1992' }, frame.names)
    assert.same({ 3, 6 }, frame['1992']:totable())
    assert.same({ 3, 6 }, frame:column(1992):totable())
    assert.same({ { 1, 3 }, { 4, 6 } }, frame:matrix({ 1990, 1992 }):totable())
    assert.same({ '1992', '1990' }, load('country,1990,1991,1992\nA,1,2,3\nB,4,,6\n', { columns = { 1992, '1990' } }).names)
    assert.same({ '', '2000', '2005', '2010' }, load(',2000,2005,2010\nA,1,2,3\n').names)
    assert.same({ 'x', '2000', '1999' }, load('x,2000,1999\nA,1,2\n', { header = true }).names)
  end)

  it('is no row of data', function()
    for _, text in ipairs { 'A,1990,1991\nB,1992,1993\n', 'A,1990,1989\nB,1,2\n', 'A,1,2\nB,3,4\n', '1990,1991\n1,2\n', 'A,1990\nB,7\n' } do
      assert.equal('var_1', load(text).names[1])
    end
  end)
end)
