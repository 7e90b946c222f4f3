-- csvigo: every mode of reading and writing, queries, large files, single rows, and its messages.
local paths = require 'paths'
local files = require 'spec.support.files'
local program = require 'spec.support.program'
local csvigo = require 'csvigo'

local name
before_each(function() name = paths.tmpname() end)
after_each(function() os.remove(name) end)

local function load(text, options)
  files.write(name, text)
  options = options or {}
  options.path, options.verbose = name, false
  return csvigo.load(options)
end

local text = 'who,age,town\r\ntom,3,"Rome, Italy"\r\neve,4,Oslo\r\nann,3,"a ""b"""\r\n'

describe('csvigo.load', function()
  it('gives rows, the header too', function()
    assert.same({ { 'who', 'age', 'town' }, { 'tom', '3', 'Rome, Italy' }, { 'eve', '4', 'Oslo' }, { 'ann', '3', 'a "b"' } },
      load(text, { mode = 'raw' }))
    assert.same({ { 'a', 'b' }, { 'c' } }, load('a b\n  c  \n', { mode = 'raw', separator = ' ' }))
    assert.same({ { 'a', 'b', 'c' } }, load('a \t b   c\n', { mode = 'raw', separator = '%s+' }))
    assert.same({ { 'a,', 'b' } }, load('a,|b\n', { mode = 'raw', separator = '%|' }))
  end)

  it('gives columns by name', function()
    local expected = { who = { 'tom', 'eve', 'ann' }, age = { '3', '4', '3' }, town = { 'Rome, Italy', 'Oslo', 'a "b"' } }
    assert.same(expected, load(text))
    local order, columns = load(text, { column_order = true })
    assert.same({ 'who', 'age', 'town' }, order)
    assert.same(expected, columns)
    assert.same({ var_1 = { '1', '3' }, var_2 = { '2', '4' } }, load '1,2\n3,4\n')
    assert.same({ ['1'] = { '3' }, ['2'] = { '4' } }, load('1,2\n3,4\n', { header = true }))
    for _, header in ipairs { false, 'no' } do assert.same({ var_1 = { 'a', '3' } }, load('a\n3\n', { header = header })) end
    assert.same({ a = { '1' }, b = { '' } }, load('junk "\n,,\na,b\n1\n', { skip = 2 }))
    assert.same({}, load '')
  end)

  it('takes arguments by position, and a home folder', function()
    files.write(name, 'a;b\n1;2\n')
    assert.same({ { 'a', 'b' }, { '1', '2' } }, csvigo.load(name, ';', 'raw', 'auto', false))
    local code = ("print(require 'csvigo'.load { path = '~/%s', mode = 'raw', verbose = false }[2][1])"):format(paths.basename(name))
    assert.equal('1;2\t\n', (program.run({ '-e', code }, '', 'HOME=' .. paths.dirname(name))))
  end)

  it('says what it does unless told not to', function()
    files.write(name, 'a\n1\n')
    local output = program.run { '-e', ('csvigo = require "csvigo" csvigo.load { path = %q }'):format(name) }
    assert.matches('^<csv>\treading ', output)
  end)

  it('answers queries', function()
    local query = load(text, { mode = 'query' })
    local vars = query 'vars'
    table.sort(vars)
    assert.same({ 'age', 'town', 'who' }, vars)
    assert.same({ 'tom', 'eve', 'ann' }, query().who)
    assert.same({ 'tom', 'eve', 'ann' }, query('all').who)
    assert.same({ 'tom', 'ann' }, query('union', { age = 3 }).who)
    assert.same({ 'tom', 'eve', 'ann' }, query('union', { age = { '3', 9 }, who = { 'eve', 'tom' } }).who)
    assert.same({ 'tom' }, query('inter', { age = 3, who = { 'eve', 'tom' } }).who)
    assert.same({ who = { 'eve' }, age = { '4' }, town = { 'Oslo' } }, query('inter', { town = 'Oslo' }))
    assert.error_matches(function() query('union', { nobody = 3 }) end, 'csvigo: query: nobody: unknown variable')
    assert.error_matches(function() query('inter', { age = 9 }) end, 'csvigo: query: age: no row has 9')
    assert.error_matches(function() query 'every' end, "csvigo: query: every, expected 'all'")
  end)

  it('parses rows of a large file when they are asked for', function()
    local m = load(text, { mode = 'large' })
    assert.equal(4, #m)
    assert.same({ 'ann', '3', 'a "b"' }, m[4])
    assert.same({ 'who', 'age', 'town' }, m[1])
    assert.error_matches(function() return m[5] end, 'index out of bounds: 5')
    assert.error_matches(function() m[1] = {} end, 'attempt to update a read%-only table')
    local rows = 0
    for i, row in m() do rows = rows + (#row == 3 and i or 0) end
    assert.equal(10, rows)
    local lines = {}
    for i = 1, 3000 do lines[i] = ('%d,"x\n%d"'):format(i, i) end
    m = load(table.concat(lines, '\n'), { mode = 'large' })
    assert.equal(3000, #m)
    assert.same({ '2999', 'x\n2999' }, m[2999])
    assert.matches('^1 : 1, x\n1\n.*\n%.%.%.\n2991 : .*\n3000 : 3000, x\n3000$', tostring(m))
    assert.error_matches(function() load('a\n"b\n', { mode = 'large' }) end, 'at byte 3: expected a row in line 2, read unmatched "')
  end)

  it('reports invalid input', function()
    assert.error_matches(function() csvigo.load { path = '/no/such' } end, '/no/such: No such file or directory')
    assert.error_matches(function() load('a\n', { mode = 'rows' }) end, "csvigo.load: unknown mode: rows, expected 'raw'")
    assert.error_matches(function() load('a\n"b\n', { mode = 'raw' }) end, 'unmatched ": at byte 3: expected a quote that closes')
    assert.error_matches(function() load('a,b\n1,2,3\n') end, 'at byte 5: expected 2 fields in line 2, read 3')
    assert.error_matches(function() csvigo.load {} end, 'csvigo.load: path: nil, expected a string')
    assert.error_matches(function() csvigo.load { path = name, seperator = ';' } end, 'options: seperator, expected one of path, separator')
    assert.error_matches(function() csvigo.load(name, '::') end, 'csvigo.load: separator: "::", expected one character')
  end)
end)

describe('csvigo.save', function()
  it('writes every digit of numbers', function()
    csvigo.save { path = name, data = { a = { 0.1 + 0.2, 1 / 3, 0.1, 2 ^ 53, 9007199254740993LL, 7 } }, verbose = false }
    assert.equal('a\n0.30000000000000004\n0.33333333333333331\n0.1\n9007199254740992\n9007199254740993\n7\n', files.read(name))
  end)

  it('writes rows, columns and queries', function()
    csvigo.save { path = name, data = { { 'a', 'b' }, { 1, 'x, "y"' }, { 2.5, '' } }, verbose = false }
    assert.equal('a,b\n1,"x, ""y"""\n2.5,\n', files.read(name))
    csvigo.save { path = name, data = { b = { 1, 0 / 0 }, a = { 'p' } }, column_order = { 'a', 'b' }, nan_as_missing = true,
                  verbose = false }
    assert.equal('a,b\np,1\n,\n', files.read(name))
    csvigo.save { path = name, data = { a = { 1 } }, header = false, verbose = false }
    assert.equal('1\n', files.read(name))
    csvigo.save { path = name, data = { d = { 1 }, b = { 2 }, c = { 3 }, a = { 4 } }, verbose = false }
    assert.equal('a,b,c,d\n4,2,3,1\n', files.read(name))
    local query = load(text, { mode = 'query' })
    csvigo.save { path = name, data = query, verbose = false }
    assert.same(query(), csvigo.load { path = name, verbose = false })
    csvigo.save(name, { { 1, 2 } }, ';', 'raw', true, false)
    assert.equal('1;2\n', files.read(name))
  end)

  it('reports invalid input', function()
    assert.error_matches(function() csvigo.save { path = name, data = 3 } end, 'cannot autodetect mode, incorrect data type: number')
    assert.error_matches(function() csvigo.save { path = name, data = {}, mode = 'x' } end, 'csvigo.save: unknown mode: x')
    assert.error_matches(function() csvigo.save { path = name, data = { a = 1 } } end, 'csvigo.save: data: a is number, expected a list')
    assert.error_matches(function() csvigo.save { path = '/no/such/x', data = { {} }, verbose = false } end, '/no/such/x: No such file')
  end)
end)

describe('csvigo.File', function()
  it('reads and writes row by row', function()
    local out = csvigo.File(name, 'w')
    out:write { 'a', 1 }
    out:writeall { { 'b c', 2 }, { 'd\ne', 0 / 0 } }
    out:close()
    local opened = csvigo.File(name)
    assert.same({ 'a', '1' }, opened:read())
    assert.same({ { 'b c', '2' }, { 'd\ne', tostring(0 / 0) } }, opened:readall())
    assert.is_nil(opened:read())
    opened:close()
    local lines = {}
    for line in csvigo.File(name, 'r'):lines() do lines[#lines + 1] = line end
    assert.same({ 'a,1', 'b c,2', '"d', 'e",' .. tostring(0 / 0) }, lines)
    assert.equal(3, #csvigo.File(name):readall 'large')
    assert.error_matches(function() opened:read() end, 'csvigo.File: read: the file is not open for reading')
    assert.error_matches(function() csvigo.File(name, 'a') end, "csvigo.File: mode: a, expected 'r' or 'w'")
  end)

  it('is there as a global, too', function() assert.equal(csvigo, rawget(_G, 'csvigo')) end)
end)
