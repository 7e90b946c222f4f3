-- Files of numbers as other programs write them: missing values, headers and quotes, and messages for ambiguous cases.
local torch = require 'torch'
local files, paths = require 'spec.support.files', require 'paths'

local name
before_each(function() name = paths.tmpname() end)
after_each(function() os.remove(name) end)

local function load(text, options)
  files.write(name, text)
  return torch.csv.load(name, options)
end

-- The rows, with -1 for missing values.
local function values(x) return x:maskedFill(torch.isnan(x), -1):totable() end

describe('torch.csv.load', function()
  it('takes NA, N/A in any case, blanks and nothing for missing values', function()
    for _, word in ipairs { 'NA', 'na', 'N/A', 'n/a', '', ' ', ' NA ', '"NA"', '""' } do
      local x, header = load('1,' .. word .. ',3\n4,5,6\n7,8,9\n')
      assert.is_nil(header, word)
      assert.same({ { 1, -1, 3 }, { 4, 5, 6 }, { 7, 8, 9 } }, values(x), word)
    end
    assert.same({ { -1, -1 }, { 1, 2 } }, values((load 'NA,NA\n1,2\n')))
    assert.same({ { 1, 0 }, { 3, 4 } }, load('1,NA\n3,4\n', { type = 'long', missing = 0 }):totable())
  end)

  it('takes a row without numbers for a header where there are numbers below', function()
    local cases = {
      { 'a,b\n1,2\n', { 'a', 'b' }, { { 1, 2 } } },
      { ',b\n0,2\n', { '', 'b' }, { { 0, 2 } } },                     -- as pandas writes an index
      { '"a","b"\n1,NA\n', { 'a', 'b' }, { { 1, -1 } } },
      { 'a,b\n\nNA,NA\n1,2\n', { 'a', 'b' }, { { -1, -1 }, { 1, 2 } } },
      { '"1990","1991"\n1,2\n', { '1990', '1991' }, { { 1, 2 } } },      -- as R writes names
      { '"1","2"\n"3","4"\n', nil, { { 1, 2 }, { 3, 4 } } },
      { '"1","2"\n', nil, { { 1, 2 } } },
      { '"1",2\n3,4\n', nil, { { 1, 2 }, { 3, 4 } } },
      { '1,nan\n3,4\n', nil, { { 1, -1 }, { 3, 4 } } },
    }
    for _, case in ipairs(cases) do
      local x, header = load(case[1])
      assert.same(case[2], header, case[1])
      assert.same(case[3], values(x), case[1])
    end
  end)

  it('finds a header that is longer than the buffer', function()
    local long = ('x'):rep(300000)
    local x, header = load(long .. ',b\r\n\r\n1,2\r\n3,4')
    assert.same({ long, 'b' }, header)
    assert.same({ { 1, 2 }, { 3, 4 } }, x:totable())
  end)

  it('says in doubt what the first row was taken for', function()
    for text, place in pairs { ['1,abc,3\n4,5,6\n'] = 'line 1, column 2', ['year,2010\n1,2\n'] = 'line 1, column 1' } do
      assert.error_matches(function() load(text) end, 'expected a number in ' .. place .. ', or the option header = true, read "')
    end
    assert.same({ { 1, 2 } }, load('year,2010\n1,2\n', { header = true }):totable())
    assert.error_matches(function() load '1,2\n3,x\n' end, 'expected a number in line 2, column 2, read "x"')
    assert.error_matches(function() load('1,NA\n', { type = 'long' }) end, 'expected an integer, or the option missing, in line 1')
  end)
end)

describe('torch.csv.open', function()
  it('gives rows of texts as they are, the first included', function()
    files.write(name, 'tom,cat\neve,dog\n')
    local reader, rows = torch.csv.open(name), {}
    for fields in reader:rows() do rows[#rows + 1] = table.concat(fields, ' ') end
    assert.same({ 'tom cat', 'eve dog' }, rows)
    assert.is_nil(reader.header)
  end)

  it('takes names over columns of texts and numbers', function()
    files.write(name, 'name,2010\ntom,3\n')
    assert.error_matches(function() torch.csv.open(name, { columns = { '2010' } }) end, 'columns; the option header = true takes names')
    assert.same({ 'name', '2010' }, torch.csv.open(name, { columns = { '2010' }, header = true }).header)
    files.write(name, 'name,age\ntom,3\neve,4\n')
    local reader = torch.csv.open(name, { columns = { 'age' } })
    assert.same({ 'name', 'age' }, reader.header)
    assert.same({ { 3 }, { 4 } }, reader:read():totable())
  end)
end)
