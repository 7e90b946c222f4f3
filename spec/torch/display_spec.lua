-- The text of tensors: known output of Torch7, and the rules behind it.
local torch = require 'torch'
local display = require 'torch.tensor.display'

local nan = 0 / 0

--- The lines of a tensor's text without the last one, which has type and size.
local function lines(t)
  local text = display.tensor(torch.isTensor(t) and t or torch.DoubleTensor(t))
  return (text:gsub('%[[^\n]*%]\n$', ''))
end

describe('a vector', function()
  it('of integers is as wide as the longest and one more', function()
    assert.equal('  1\n 20\n -3\n[torch.DoubleTensor of size 3]\n', display.tensor(torch.DoubleTensor { 1, 20, -3 }))
    assert.equal(' 0\n 0\n', lines { 0, 0 })
  end)

  it('of fractions has four decimals', function()
    assert.equal(' 0.5000\n 1.2500\n', lines { 0.5, 1.25 })
    assert.equal(' 0.5000\n-0.2500\n', lines { 0.5, -0.25 })
    assert.equal(' 10.5000\n  2.2500\n', lines { 10.5, 2.25 })
  end)

  it('of far apart magnitudes has exponents', function() assert.equal(' 5.0000e-01\n 1.2345e+04\n', lines { 0.5, 12345.25 }) end)

  it('of large integers has exponents', function() assert.equal(' 1.2346e+09\n 1.0000e+00\n', lines { 1234567890, 1 }) end)

  it('has room for exponents of three digits', function() assert.equal(' 1.0000e+100\n  1.5000e+00\n', lines { 1e100, 1.5 }) end)

  it('of large or small fractions has a scale', function()
    assert.equal('100000 *\n 1.0000\n 2.0000\n', lines { 100000.5, 200000.25 })
    assert.equal('0.01 *\n 5.0000\n 2.0000\n', lines { 0.05, 0.02 })
  end)

  it('with NaN or infinities has the scale and the width of its other elements', function()
    assert.equal('    inf\n 1.5000\n', lines { 1 / 0, 1.5 })
    assert.equal('    nan\n 1.5000\n   -inf\n', lines { nan, 1.5, -1 / 0 })
    assert.equal('100000 *\n 1.0000\n    nan\n', lines { 100000.5, nan })
    assert.equal('        inf\n 1.2346e+09\n', lines { 1 / 0, 1234567890 })
  end)

  it('has room for the words beside short integers', function()
    assert.equal(' inf\n   1\n', lines { 1 / 0, 1 })
    assert.equal('  nan\n -inf\n   20\n', lines { nan, -1 / 0, 20 })
    assert.equal(' nan\n', lines { nan })
  end)
end)

describe('a matrix', function()
  it('has its columns a space apart', function()
    assert.equal(' 1  1  1\n 1  1  1\n[torch.DoubleTensor of size 2x3]\n', display.tensor(torch.DoubleTensor { { 1, 1, 1 }, { 1, 1, 1 } }))
  end)

  it('has its scale before the rows, which move by a space', function()
    assert.equal('100000 *\n  1.0000  2.0000\n  3.0000  4.0000\n', lines { { 100000.5, 200000.25 }, { 300000, 400000 } })
  end)

  it('is split into blocks of at most 80 columns', function()
    local rows = { {}, {} }
    for i = 1, 30 do rows[1][i], rows[2][i] = 10, 20 end
    local function block(n) return (' 10 '):rep(n):sub(1, -2) .. '\n' .. (' 20 '):rep(n):sub(1, -2) .. '\n' end
    assert.equal('Columns 1 to 20\n' .. block(20) .. '\nColumns 21 to 30\n' .. block(10), lines(rows))
  end)

  it('fills the line exactly without being split', function()
    local row = {}
    for i = 1, 20 do row[i] = 10 end
    assert.equal((' 10 '):rep(20):sub(1, -2) .. '\n', lines { row })
  end)

  it('is split where it has a NaN, too', function()
    local row = { nan }
    for i = 2, 30 do row[i] = 1 end
    assert.equal('Columns 1 to 16\n nan' .. ('    1'):rep(15) .. '\n\nColumns 17 to 30\n   1' .. ('    1'):rep(13) .. '\n', lines { row })
  end)

  it('repeats the scale in each block', function()
    local row = {}
    for i = 1, 20 do row[i] = 200000.5 end
    local text = lines { row }
    assert.equal(2, select(2, text:gsub('100000 %*\n', '')))
    assert.matches('^Columns 1 to 10\n100000 %*\n  2%.0000  2%.0000', text)
    assert.matches('\n\nColumns 11 to 20\n100000 %*\n  2%.0000  2%.0000', text)
  end)

  it('shows what a transposed view shows', function()
    local t = torch.DoubleTensor { { 1, 2, 3 }, { 4, 5, 6 } }:t()
    assert.equal(' 1  4\n 2  5\n 3  6\n[torch.DoubleTensor of size 3x2]\n', display.tensor(t))
  end)
end)

describe('a tensor of more dimensions', function()
  it('is a matrix under each index', function()
    local t = torch.DoubleTensor { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } } }
    assert.equal('(1,.,.) = \n  1  2\n  3  4\n\n(2,.,.) = \n  5  6\n  7  8\n[torch.DoubleTensor of size 2x2x2]\n', display.tensor(t))
  end)

  it('counts the first dimension fastest', function()
    local t = torch.DoubleTensor { { { { 1 } }, { { 2 } } }, { { { 3 } }, { { 4 } } } }
    assert.equal('(1,1,.,.) = \n  1\n\n(2,1,.,.) = \n  3\n\n(1,2,.,.) = \n  2\n\n(2,2,.,.) = \n  4\n', lines(t))
  end)

  it('has one format for all its elements', function()
    assert.equal('(1,.,.) = \n    1\n\n(2,.,.) = \n  100\n', lines { { { 1 } }, { { 100 } } })
  end)
end)

describe('a tensor without elements', function()
  it('says that it has no dimension', function()
    assert.equal('[torch.DoubleTensor with no dimension]\n', display.tensor(torch.DoubleTensor()))
  end)

  it('tells its sizes', function() assert.equal('[torch.DoubleTensor of size 0x3]\n', display.tensor(torch.zeros(0, 3):double())) end)
end)

describe('every type', function()
  for _, name in ipairs {
    'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double', 'Bool', 'UInt16', 'UInt32', 'UInt64', 'Float8E4m3',
    'Float8E5m2',
  } do
    it('prints alike: ' .. name, function()
      local t = torch[name .. 'Tensor'](2):fill(1)
      assert.equal((' 1\n 1\n[torch.%sTensor of size 2]\n'):format(name), display.tensor(t))
      assert.equal(display.tensor(t), tostring(t))
    end)
  end
end)

describe('integers of 64 bits', function()
  local least = -0x7fffffffffffffffLL - 1LL
  it('have all their digits', function()
    local t = torch.LongTensor { 9007199254740993LL, least, 1 }
    assert.equal('    9007199254740993\n-9223372036854775808\n                   1\n', (lines(t)))
    assert.equal(' 1234567890           1\n', (lines(torch.LongTensor { { 1234567890, 1 } })))
  end)

  it('have them in storages and summaries, too', function()
    assert.equal(' 1234567890\n          1\n[torch.LongStorage of size 2]\n', display.storage(torch.LongStorage { 1234567890, 1 }))
    assert.matches('^ 9007199254740993\n', display.summary(torch.LongTensor(2000):fill(9007199254740993LL)))
  end)

  it('print as in Torch7 below 10 digits', function()
    assert.equal(' 123456789\n         1\n', (lines(torch.LongTensor { 123456789, 1 })))
  end)
end)

describe('a storage', function()
  it('prints as a vector', function()
    local s = torch.LongStorage { 2, 30 }
    assert.equal('  2\n 30\n[torch.LongStorage of size 2]\n', display.storage(s))
    assert.equal(display.storage(s), tostring(s))
  end)

  it('that is empty only tells its type', function()
    assert.equal('[torch.LongStorage of size 0]\n', display.storage(torch.LongStorage()))
  end)
end)

describe('a summary', function()
  it('is the full text of a small tensor', function()
    local t = torch.range(1, 1000)
    assert.equal(display.tensor(t), display.summary(t))
  end)

  it('keeps the edges of a matrix, and its true size', function()
    local t = torch.range(1, 10000):view(100, 100)
    assert.equal(table.concat({
      '     1      2      3 ...     98     99    100',
      '   101    102    103 ...    198    199    200',
      '   201    202    203 ...    298    299    300',
      '...',
      '  9701   9702   9703 ...   9798   9799   9800',
      '  9801   9802   9803 ...   9898   9899   9900',
      '  9901   9902   9903 ...   9998   9999  10000',
      '[torch.DoubleTensor of size 100x100]\n',
    }, '\n'), display.summary(t))
  end)

  it('names the true indices of the matrices it shows', function()
    local text = display.summary(torch.zeros(20, 10, 10))
    assert.matches('%(3,%.,%.%) = \n', text)
    assert.matches('%(18,%.,%.%) = \n', text)
    assert.is_nil(text:find('(4,.,.)', 1, true))
  end)
end)

describe('torch.setprintoptions', function()
  local before

  before_each(function() before = torch.getprintoptions() end)
  after_each(function() torch.setprintoptions(before) end)

  it('sets the digits after the point', function()
    assert.same({ precision = 4, linewidth = 80, threshold = false, edgeitems = 3, format = false, sciMode = 'auto' },
      torch.setprintoptions { precision = 8 })
    assert.equal(' 0.50000000\n 0.33333333\n', lines { 0.5, 1 / 3 })
    assert.equal(' 5.00000000e-01\n 1.23452500e+04\n', lines { 0.5, 12345.25 })
    assert.equal('0.01 *\n 5.00000000\n 2.00000000\n', lines { 0.05, 0.02 })
    torch.setprintoptions { precision = 1 }
    assert.equal(' 10.5\n  2.3\n', lines { 10.5, 2.31 })
    assert.equal('  1\n 20\n', lines { 1, 20 })
  end)

  it("sets a program's format, and whether there are exponents", function()
    torch.setprintoptions { format = '%.2f' }
    assert.equal('    0.50\n 1000.00\n     nan\n', lines { 0.5, 1000, 0 / 0 })
    assert.equal('  1.00   2.00\n 10.00  20.00\n', lines { { 1, 2 }, { 10, 20 } })
    torch.setprintoptions { format = function(x) return ('<%g>'):format(x) end }
    assert.equal(' <0.5>\n   <2>\n', lines { 0.5, 2 })
    torch.setprintoptions { format = false, sciMode = true, precision = 2 }
    assert.equal(' 5.00e-01\n 2.00e+00\n', lines { 0.5, 2 })
    torch.setprintoptions { sciMode = false }
    assert.equal('      0.00\n 100000.50\n', lines { 0.0001, 100000.5 })
    assert.equal('           2\n 20000000000\n', lines { 2, 20000000000 })
    torch.setprintoptions { sciMode = 'auto' }
    assert.equal(' 1.00e-04\n 1.00e+05\n', lines { 0.0001, 100000.5 })
    for _, format in ipairs { '%s', 'x', '%d%d', '%5', '%%' } do
      assert.error_matches(function() torch.setprintoptions { format = format } end, 'format: .*, expected a format of one number')
    end
    assert.error_matches(function() torch.setprintoptions { format = 3 } end, 'torch.setprintoptions: format: 3, expected a format such as')
    assert.error_matches(function() torch.setprintoptions { sciMode = 3 } end, "sciMode: 3, expected true, false or 'auto'")
  end)

  it('sets the width of a line', function()
    torch.setprintoptions { linewidth = 16 }
    assert.equal('Columns 1 to 2\n 1.5000  2.5000\n\nColumns 3 to 3\n 3.5000\n', lines { { 1.5, 2.5, 3.5 } })
  end)

  it('sets beyond how many elements edges are shown, and how many of each end', function()
    torch.setprintoptions { threshold = 5, edgeitems = 1 }
    assert.equal(' 1\n 2\n 3\n 4\n 5\n', lines(torch.range(1, 5)))
    assert.equal(' 1\n...\n 6\n[torch.DoubleTensor of size 6]\n', display.tensor(torch.range(1, 6)))
    torch.setprintoptions { threshold = false }
    assert.equal(' 1\n 2\n 3\n 4\n 5\n 6\n', lines(torch.range(1, 6)))
  end)

  it('refuses unknown options, and changes nothing then', function()
    assert.error_matches(function() torch.setprintoptions { precision = 8, linewidth = 0 } end,
      'torch.setprintoptions: linewidth: 0, expected a whole number, 10 or more')
    assert.error_matches(function() torch.setprintoptions { digits = 3 } end,
      'torch.setprintoptions: options: digits, expected one of precision')
    assert.same(before, torch.getprintoptions())
  end)
end)
