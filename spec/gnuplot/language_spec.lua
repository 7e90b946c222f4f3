-- The scripts for gnuplot: a substitute for the program stores them.
local torch, gnuplot, paths = require 'torch', require 'gnuplot', require 'paths'
local files = require 'spec.support.files'
local quote = require 'gnuplot.quote'

local folder = paths.tmpname()
local terminals = 'dumb png pngcairo postscript svg pdfcairo x11'

local function refused(message, f, ...)
  local good, said = pcall(f, ...)
  assert.is_false(good)
  assert.is_truthy(said:find(message, 1, true), said)
end

setup(function()
  paths.mkdir(folder)
  local stand = folder .. '/gnuplot'
  files.write(stand, ([[
#!/bin/sh
case "$1" in
  -e) echo '%s';;
  -persist) cat >>%s/window;;
  *) cp "$1" %s/script
     if grep -q '^set fail' "$1"; then printf 'set fail\n    ^\n"%%s" line 3: cannot open file\nsystem error\n' "$1" >&2; exit 1; fi;;
esac
]]):format(terminals, folder, folder))
  os.execute('chmod +x ' .. stand)
  gnuplot.setgnuplotexe(stand)
end)

teardown(function()
  gnuplot.closeall()
  gnuplot.setterm 'dumb'
  if paths.findprogram 'gnuplot' then gnuplot.setgnuplotexe 'gnuplot' end
  paths.rmall(folder, 'yes')
end)

-- The script of a figure in a file.
local function script(f)
  gnuplot.svgfigure(folder .. '/a.svg')
  f()
  gnuplot.close()
  return files.read(folder .. '/script')
end

-- The numbers of the blocks in a script, each as lines of numbers.
local function blocks(text)
  local found = {}
  for block in text:gmatch '<< EOD\n(.-)EOD' do
    local rows = {}
    for line in block:gmatch '[^\n]+' do
      local row = {}
      for number in line:gmatch '%S+' do row[#row + 1] = tonumber(number) end
      rows[#rows + 1] = row
    end
    found[#found + 1] = rows
  end
  return found
end

local x, y = torch.Tensor { 1, 2, 3 }, torch.Tensor { 4, 5, 6 }

describe('gnuplot.plot', function()
  local function command(...)
    local arguments, count = { ... }, select('#', ...)
    local text = script(function() gnuplot.plot(unpack(arguments, 1, count)) end)
    return text:match '\n(plot [^\n]*)\n', blocks(text)
  end
  local pairs_ = { { 1, 4 }, { 2, 5 }, { 3, 6 } }

  it('takes x, and y, a legend and a style', function()
    local text, data = command(y)
    assert.equal('plot $D1 notitle with points', text)
    assert.same({ pairs_ }, data)
    text, data = command(x, y, '-')
    assert.equal('plot $D1 notitle with lines', text)
    assert.same({ pairs_ }, data)
    assert.equal('plot $D1 title "a" with points', (command('a', x, y)))
    assert.equal('plot $D1 title "a" with linespoints', (command('a', y, '+-')))
    assert.same({ { { 1, 4 }, { 2, 5 } } }, select(2, command({ 4, 5 })))
  end)

  it('takes several curves, each in a table, or all of them in one', function()
    for _, arguments in ipairs { { { 'a', x, y, '-' }, { y, '|' } }, { { { 'a', x, y, '-' }, { y, '|' } } } } do
      local text, data = command(unpack(arguments))
      assert.equal('plot $D1 title "a" with lines, $D2 notitle with boxes', text)
      assert.same({ pairs_, pairs_ }, data)
    end
  end)

  it('takes the first column of a matrix for what the others are drawn over', function()
    local text, data = command(torch.Tensor(pairs_))
    assert.equal('plot $D1 notitle with points', text)
    assert.same({ pairs_ }, data)
    text, data = command('a', torch.Tensor { { 1, 2, 3 }, { 4, 5, 6 } }, '-')
    assert.equal('plot $D1 title "a 1" with lines, $D2 title "a 2" with lines', text)
    assert.same({ { { 1, 2 }, { 4, 5 } }, { { 1, 3 }, { 4, 6 } } }, data)
    text, data = command(torch.Tensor { { 1, 2, 3, 4 } }, 'v')
    assert.equal('plot $D1 notitle with vectors', text)
    assert.same({ { { 1, 2, 3, 4 } } }, data)
  end)

  it('takes all types, views and gaps', function()
    local _, data = command(torch.IntTensor { 4, 5, 6 })
    assert.same({ pairs_ }, data)
    _, data = command(torch.Tensor { { 4, 0 }, { 5, 0 }, { 6, 0 } }:select(2, 1))
    assert.same({ pairs_ }, data)
    local text = script(function() gnuplot.plot(torch.Tensor { 1, 0 / 0, math.huge }) end)
    assert.is_truthy(text:find('1 1\n2 NaN\n3 NaN\n', 1, true))
    _, data = command(torch.Tensor { 1.25, 1e-300, 123456789 })
    assert.same({ { 1, 1.25 }, { 2, 1e-300 }, { 3, 123456789 } }, data[1])
  end)

  it('knows styles by sign and by clause', function()
    for style, clause in pairs {
      ['.'] = 'notitle with dots', ['~'] = 'smooth csplines notitle', ['with points pt 7'] = 'notitle with points pt 7',
      ['(points pt 7)'] = 'notitle with points pt 7', ['lines lw 2'] = 'notitle with lines lw 2',
      ['smooth bezier'] = 'smooth bezier notitle',
    } do
      assert.equal('plot $D1 ' .. clause, (command(y, style)))
    end
    refused("gnuplot.plot: style: '*', expected '-', '+', '.', '+-', '|', '~', 'v' or a clause", gnuplot.plot, y, '*')
    refused("gnuplot.plot: style: 'lines; !ls'", gnuplot.plot, y, 'lines; !ls')
    refused('style', gnuplot.plot, y, 'lines\n!ls')
  end)

  it('refuses values that are no curve', function()
    refused('expecting [string,] tensor [,tensor] [,string]; 3 as argument 1', gnuplot.plot, 3)
    refused('expecting [string,] tensor [,tensor] [,string]', gnuplot.plot)
    refused('expecting [string,] tensor [,tensor] [,string]; nil as argument 2', gnuplot.plot, 'a')
    refused('expecting [string,] tensor [,tensor] [,string]; torch.DoubleTensor [3] as argument 3', gnuplot.plot, x, y, x)
    refused('x and y dims are wrong : 3, 2', gnuplot.plot, x, torch.ones(2))
    refused('x and y dims are wrong : 3x2, 2x3', gnuplot.plot, torch.ones(3, 2), torch.ones(2, 3))
    refused("expected N x 4 for the style 'v'", gnuplot.plot, torch.ones(3, 2), 'v')
    refused('expected 1 or 2 dimensions', gnuplot.plot, torch.ones(2, 2, 2))
    refused('expected a tensor with elements', gnuplot.plot, torch.Tensor())
  end)
end)

describe('a legend', function()
  local function corner(...)
    local arguments = { ... }
    return script(function() gnuplot.plot(unpack(arguments)) end):match '\nset key ([lr]%a+ %a+)\n'
  end
  local t = torch.linspace(0, 1, 50)

  it('is where it hides least', function()
    assert.equal('left top', corner('rising', t, t))
    assert.equal('right top', corner('falling', t, -t))
    assert.equal('right bottom', corner({ 'a', t, torch.pow(t, 0.2) }, { 'b', t, torch.ones(50) }))
    assert.equal('left bottom', corner({ 'a', t, -t }, { 'b', t, t * 0 }))
    assert.equal('right top', corner('one point', torch.ones(1)))
    assert.equal('right top', corner('nothing', torch.Tensor { 0 / 0 }))
    assert.is_nil(corner(t, t))
  end)

  it('is at the given position', function()
    local text = script(function()
      gnuplot.plot('rising', t, t)
      gnuplot.movelegend('right', 'bottom')
    end)
    assert.is_truthy(text:find 'set key left top\n.*set key right bottom\n.*plot')
  end)
end)

describe('other drawings', function()
  it('are surfaces, with their rows apart', function()
    local text = script(function() gnuplot.splot('z', torch.Tensor { { 1, 2 }, { 3, 4 } }) end)
    assert.is_truthy(text:find '<< EOD\n1 1 1\n1 2 2\n\n2 1 3\n2 2 4\nEOD\nset hidden3d nooffset\n')
    assert.is_truthy(text:find('\nsplot $D1 title "z" with lines\n', 1, true))
    local grid = torch.Tensor { { 5, 6 }, { 7, 8 } }
    assert.same({ { { 5, 6, 7 }, { 6, 8, 8 }, { 7, 5, 5 }, { 8, 7, 6 } } },
      blocks(script(function() gnuplot.splot(grid, torch.Tensor { { 6, 8 }, { 5, 7 } }, torch.Tensor { { 7, 8 }, { 5, 6 } }) end)))
    refused('gnuplot.splot: torch.DoubleTensor [2, 2], torch.DoubleTensor [3, 2]', gnuplot.splot, grid, torch.ones(3, 2), grid)
    refused('gnuplot.splot: z: torch.DoubleTensor [3], expected a tensor of 2 dimensions with elements', gnuplot.splot, x)
  end)

  it('are points in space', function()
    local text = script(function() gnuplot.scatter3({ 'a', x, y, x }, { y, y, y }) end)
    assert.is_truthy(text:find('splot $D1 title "a" with points, $D2 notitle with points', 1, true))
    assert.same({ { 1, 4, 1 }, { 2, 5, 2 }, { 3, 6, 3 } }, blocks(text)[1])
    refused('gnuplot.scatter3: x, y, z: expected three vectors of equal lengths', gnuplot.scatter3, x, y)
  end)

  it('are images, the first row on top', function()
    local z = torch.Tensor { { 1, 2, 3 }, { 4, 5, 6 } }
    local text = script(function() gnuplot.imagesc(z, 'gray') end)
    assert.same({ z:totable() }, blocks(text))
    for _, line in ipairs { 'set palette gray', 'set xrange [0.5:3.5]', 'set yrange [2.5:0.5]' } do
      assert.is_truthy(text:find(line, 1, true), line)
    end
    assert.is_truthy(script(function() gnuplot.imagesc(z, 'sigmoid') end):find('set palette sigmoid\n', 1, true))
    local formulae = 'rgbformulae 21,22,-23'
    assert.is_truthy(script(function() gnuplot.imagesc(z, formulae) end):find(('set palette %s\n'):format(formulae), 1, true))
    for _, name in ipairs { 'gray; !date', 'file "a"', 'gray\nplot x', 'functions system(1)', '`date`' } do
      refused(("gnuplot.imagesc: palette: '%s', expected words and numbers"):format(name), gnuplot.imagesc, z, name)
    end
    refused('gnuplot.imagesc: z: ', gnuplot.imagesc, x)
  end)

  it('are bars and histograms', function()
    assert.same({ { { 1, 4 }, { 2, 5 }, { 3, 6 } } }, blocks(script(function() gnuplot.bar(y) end)))
    local values = torch.Tensor { 0, 0.1, 0.9, 1.5, 4 }
    assert.same({ { { 0.5, 3 }, { 1.5, 1 }, { 2.5, 0 }, { 3.5, 1 } } }, blocks(script(function() gnuplot.hist(values, 4) end)))
    assert.same({ { { 0.5, 3 }, { 1.5, 1 } } }, blocks(script(function() gnuplot.hist(values, 2, 0, 2) end)))
  end)
end)

describe('gnuplot.histc', function()
  it('counts elements in ranges of equal width', function()
    local x_ = torch.Tensor { { 0, 0.1, 0.9 }, { 1.5, 4, 0 / 0 } }
    local found = gnuplot.histc(x_, 4)
    assert.same({ 3, 1, 0, 1 }, found.raw:totable())
    assert.same({ { val = 0.5, nb = 3 }, { val = 3.5, nb = 1 }, 4, 0.5 }, { found[1], found[4], found.bins, found.max.val })
    assert.is_true(math.abs(found.mean - 1.3) < 1e-12)
    assert.equal(72, gnuplot.histc(x_).bins)
    assert.same({ 1, 0 }, gnuplot.histc(x_, 2, 1, 3, true):totable())
    assert.same({ 2 }, gnuplot.histc(torch.Tensor { 3, 3 }, 1, nil, nil, true):totable())
  end)

  it('says what has no histogram', function()
    refused('gnuplot.histc: bins: 0, expected a whole number from 1 to 10000000', gnuplot.histc, x, 0)
    refused('gnuplot.histc: x: nil, expected a tensor with elements', gnuplot.histc)
    refused('gnuplot.histc: x: NaN alone, expected numbers', gnuplot.histc, torch.Tensor { 0 / 0 })
    refused('expected one with a width', gnuplot.histc, x, 3, 5, 4)
  end)
end)

describe('a setting', function()
  local function lines(f)
    return script(function()
      gnuplot.plot(y)
      f()
    end)
  end

  it('holds for the drawing before it, and is the last of its kind', function()
    local text = lines(function()
      gnuplot.title 'one'
      gnuplot.title 'two'
      gnuplot.xlabel 'x'
      gnuplot.grid 'on'
    end)
    assert.is_nil(text:find '"one"')
    assert.is_truthy(text:find '\nset title "two" noenhanced\nset xlabel "x" noenhanced\nset grid [^\n]*\nplot ')
  end)

  it('is a command each', function()
    for expected, f in pairs {
      ['set ylabel "y" noenhanced'] = function() gnuplot.ylabel 'y' end,
      ['set zlabel "z" noenhanced'] = function() gnuplot.zlabel 'z' end,
      ['set title "3" noenhanced'] = function() gnuplot.title(3) end,
      ['unset grid'] = function() gnuplot.grid(false) end,
      ['set grid linecolor'] = function() gnuplot.grid() end,
      ['set logscale y'] = function() gnuplot.logscale(true) end,
      ['unset logscale y'] = function() gnuplot.logscale 'off' end,
      ['set key left center'] = function() gnuplot.movelegend('left', 'middle') end,
      ['set key right bottom'] = function() gnuplot.movelegend('right', 'bottom') end,
      ['set xrange [0:*]\nset yrange [*:2.5]'] = function() gnuplot.axis { 0, '', '', 2.5 } end,
      ['set size ratio -1\nset autoscale\n'] = function() gnuplot.axis 'equal' end,
      ['set size ratio -1\nset autoscale fix'] = function() gnuplot.axis 'image' end,
      ['set size noratio\nset autoscale fix'] = function() gnuplot.axis 'fill' end,
      ['set size noratio\nset autoscale\n'] = function() gnuplot.axis 'auto' end,
      ['set xtics 1, 2\n'] = function() gnuplot.raw 'set xtics 1, 2' end,
    } do
      assert.is_truthy(lines(f):find(expected, 1, true), expected)
    end
  end)

  it('reports unknown options', function()
    refused("gnuplot.title: label: nil, expected a string", gnuplot.title)
    refused("gnuplot.grid: toggle: perhaps, expected true, false, 'on' or 'off'", gnuplot.grid, 'perhaps')
    refused("gnuplot.movelegend: horizontal: top, expected one of these: 'left', 'right', 'center'", gnuplot.movelegend, 'top',
      'left')
    refused("gnuplot.axis: range: 'wide'", gnuplot.axis, 'wide')
    refused("gnuplot.axis: range: x, expected a number or ''", gnuplot.axis, { 'x' })
    refused('gnuplot.axis: range: nil, expected a table', gnuplot.axis)
  end)

  it('may be any command; one that draws takes the place of the drawing', function()
    local text = script(function()
      gnuplot.plot(y)
      gnuplot.raw 'plot sin(x)'
      gnuplot.title 'sine'
      gnuplot.raw 'replot cos(x)'
    end)
    assert.is_truthy(text:find 'set title "sine" noenhanced\nplot sin%(x%)\nreplot cos%(x%)\n')
    assert.is_nil(text:find('$D1', 1, true))
  end)

  it('stands in its order on a page of several drawings', function()
    local text = script(function()
      gnuplot.raw 'set multiplot layout 1,2'
      gnuplot.title 'left'
      gnuplot.plot(x)
      gnuplot.title 'right'
      gnuplot.imagesc(torch.ones(2, 2))
      gnuplot.raw 'unset multiplot'
    end)
    local at = 0
    for _, expected in ipairs { 'set multiplot', '"left"', 'plot $D1', '"right"', 'plot $D2', 'unset multiplot' } do
      local found = text:find(expected, at + 1, true)
      assert.is_truthy(found, expected)
      at = found
    end
  end)
end)

describe('text', function()
  it('is quoted: nothing of it is a command', function()
    assert.equal([["it\047s"]], quote.text "it's")
    assert.equal([["a\012b \140ls\140 \042c\042 \134n \044 \100 ä"]], quote.text 'a\nb `ls` "c" \\n $ @ ä')
    assert.equal('"a"', quote.text 'a\0')
    assert.equal('"./| ls"', quote.file '| ls')
    assert.equal([["/tmp/a\047b"]], quote.file "/tmp/a'b")
    local text = script(function()
      gnuplot.plot("x' ; set fail ; '\n!touch /tmp/x\n", y)
      gnuplot.title "'\nset fail\n'"
    end)
    for line in text:gmatch '[^\n]+' do assert.is_nil(line:find '^set fail' or line:find '^!') end
  end)
end)

describe('a figure', function()
  local function window() return files.read(folder .. '/window') end

  it('is a file once it is closed, or flushed', function()
    for ending, terminal in pairs { png = 'pngcairo', eps = 'postscript eps color', pdf = 'pdfcairo', svg = 'svg' } do
      local name = folder .. "/it's." .. ending
      local n = gnuplot[ending .. 'figure'](name)
      gnuplot.plot(y)
      gnuplot.plotflush()
      local text = files.read(folder .. '/script')
      assert.is_truthy(text:find(('set terminal %s\nset output "%s"\n'):format(terminal, (name:gsub("'", "\\047"))), 1, true), text)
      os.remove(folder .. '/script')
      gnuplot.title 'later'
      gnuplot.close(n)
      assert.is_truthy(files.read(folder .. '/script'):find '"later"')
    end
  end)

  it('reports invalid values', function()
    refused('cannot save to /no/such/a.png: directory does not exist', gnuplot.pngfigure, '/no/such/a.png')
    refused('gnuplot.figprint: file: a.gif, expected an ending', gnuplot.figprint, 'a.gif')
    refused('gnuplot.figure: n: 0, expected a whole number, 1 or more', gnuplot.figure, 0)
    refused('gnuplot.close: n: there is no figure 77', gnuplot.close, 77)
    refused("gnuplot.setterm: name: this gnuplot has no terminal 'postcard'", gnuplot.setterm, 'postcard')
    refused("gnuplot.setgnuplotexe: path: there is no program '/no/such'", gnuplot.setgnuplotexe, '/no/such')
    gnuplot.svgfigure(folder .. '/b.svg')
    gnuplot.plot(y)
    gnuplot.raw 'set fail'
    refused('gnuplot: cannot open file', gnuplot.plotflush)
    gnuplot.raw 'plot x'
    assert.error_matches(function() gnuplot.close() end, 'gnuplot: cannot open file')
  end)

  it('is a window where there are some', function()
    gnuplot.setterm 'x11'
    local n = gnuplot.figure()
    gnuplot.plot(y)
    gnuplot.title 'sent'
    gnuplot.figprint(folder .. '/print.png')
    assert.is_truthy(files.read(folder .. '/script'):find 'set terminal pngcairo.*title "sent".*plot %$D1')
    local second = gnuplot.figure(nil, { noraise = true })
    assert.are_not.equal(n, second)
    gnuplot.plot(x)
    assert.equal(n, gnuplot.figure(n))
    gnuplot.closeall()
    local text = window()
    assert.is_truthy(text:find(('set terminal x11 %d\n'):format(n), 1, true))
    assert.is_truthy(text:find(('set terminal x11 %d noraise\n'):format(second), 1, true))
    assert.is_truthy(text:find(('set terminal x11 %d close\n'):format(n), 1, true))
    local plots = select(2, text:gsub('\nplot %$D1', ''))
    assert.same({ 3, 2 }, { plots, select(2, text:gsub('<< EOD', '')) })      -- numbers go once
    gnuplot.setterm 'dumb'
  end)

  it('goes on where the program has come to its end', function()
    files.write(folder .. '/gone', '#!/bin/sh\n[ "$1" = -e ] && echo x11 dumb\nexit 0\n')
    os.execute(('chmod +x %s/gone'):format(folder))
    gnuplot.setgnuplotexe(folder .. '/gone')
    gnuplot.setterm 'x11'
    gnuplot.figure()
    for _ = 1, 20 do gnuplot.plot(torch.ones(20000)) end
    gnuplot.closeall()
    gnuplot.setterm 'dumb'
    gnuplot.setgnuplotexe(folder .. '/gnuplot')
  end)
end)
