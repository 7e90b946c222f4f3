-- The drawings of the program gnuplot, as SVG: the positions of points, and unchanged text.
local torch, gnuplot, paths = require 'torch', require 'gnuplot', require 'paths'
local files, program = require 'spec.support.files', require 'spec.support.program'

local isThere = paths.findprogram 'gnuplot' ~= nil
local folder = paths.tmpname() .. " it's; a $(folder)"

local function there()
  if not isThere then pending 'gnuplot is not installed' end
end

setup(function() paths.mkdir(folder) end)
teardown(function() paths.rmall(folder, 'yes') end)

local function picture(f, name)
  there()
  name = folder .. '/' .. (name or 'a.svg')
  gnuplot.svgfigure(name)
  f()
  gnuplot.close()
  return files.read(name)
end

-- The corners of the only curve, from 0 to 1 between its ends along either axis.
local function corners(svg)
  local path = svg:match "<g id=\"gnuplot_plot_1\".-<path [^>]*d='(M[^']*)'"
  local xs, ys = {}, {}
  for x, y in path:gmatch '([%d.]+),([%d.]+)' do
    xs[#xs + 1], ys[#ys + 1] = tonumber(x), tonumber(y)
  end
  local function unit(list)
    local t = torch.Tensor(list)
    return (t - t[1]) / (t[t:size(1)] - t[1])
  end
  return unit(xs), unit(ys)
end

describe('a curve', function()
  it('goes through its points', function()
    local x = torch.Tensor { 0, 1, 2, 4, 8 }
    local svg = picture(function() gnuplot.plot(x, torch.cmul(x, x), '-') end)
    local xs, ys = corners(svg)
    assert.is_true((xs - x / 8):abs():max() < 0.002)
    assert.is_true((ys - torch.cmul(x, x) / 64):abs():max() < 0.002)
  end)

  it('is straight on a logarithmic axis where it is exponential', function()
    local x = torch.range(0, 6)
    local xs, ys = corners(picture(function()
      gnuplot.plot(x, torch.exp(x), '-')
      gnuplot.logscale 'on'
    end))
    assert.is_true((xs - ys):abs():max() < 0.005)
  end)

  it('has as many arrows, points and boxes as it was given', function()
    local svg = picture(function() gnuplot.plot(torch.rand(7), '+') end)
    assert.equal(7, select(2, svg:gsub("<use xlink:href='#gpPt0' transform", '')))
  end)

  it('has a title and legends as they were given', function()
    local svg = picture(function()
      gnuplot.plot({ "it's a_b^c `ls` $(x) {d}", torch.ones(2), '-' }, { '<&>', torch.ones(2) })
      gnuplot.title 'one_two @three\n"second" \\n'
      gnuplot.xlabel "'; !touch x"
    end, "it's `ls`; _.svg")
    svg = svg:gsub('&quot;', '"'):gsub('&#39;', "'"):gsub('&lt;', '<'):gsub('&gt;', '>'):gsub('&amp;', '&')
    for _, text in ipairs { "it's a_b^c `ls` $(x) {d}", '<&>', 'one_two @three', '"second" \\n', "'; !touch x" } do
      assert.is_truthy(svg:find('<text>.?' .. text:gsub('%p', '%%%0')), text)
    end
  end)
end)

describe('a picture', function()
  it('is written in every format', function()
    there()
    local z = torch.range(1, 6):view(2, 3)
    for kind, magic in pairs { png = '\137PNG', eps = '%!PS', pdf = '%PDF', svg = '<?xm' } do
      local name = ('%s/b.%s'):format(folder, kind)
      gnuplot[kind .. 'figure'](name)
      gnuplot.imagesc(z)
      gnuplot.close()
      assert.equal(magic, files.read(name):sub(1, 4))
      gnuplot.figure(9)
    end
    gnuplot.closeall()
  end)

  it('of each kind is drawn without a complaint', function()
    local v = torch.range(1, 5)
    local grid = v:view(-1, 1) * v:view(1, -1)
    for _, f in ipairs {
      function() gnuplot.splot('z', grid) end, function() gnuplot.splot(grid, grid:t(), grid, '+') end,
      function() gnuplot.scatter3({ 'a', v, v, v }, { v, v, v }) end, function() gnuplot.imagesc(grid, 'gray') end,
      function() gnuplot.bar(v) end, function() gnuplot.bar(-v) end, function() gnuplot.hist(torch.randn(100), 8) end,
      function() gnuplot.hist(torch.ones(3)) end, function() gnuplot.plot(torch.rand(3, 4), 'v') end,
      function() gnuplot.plot({ v, '.' }, { v, '~' }, { v, '|' }, { v, '(points pt 7)' }) end,
      function() gnuplot.plot(v, v * 0) end, function() gnuplot.plot(torch.Tensor { 1 }) end,
      function()
        gnuplot.plot(v)
        for _, axis in ipairs { 'auto', 'image', 'equal', 'fill' } do gnuplot.axis(axis) end
        gnuplot.axis { '', 3, 0, '' }
        gnuplot.movelegend('center', 'middle')
      end,
      function()
        gnuplot.raw 'set multiplot layout 2,1'
        gnuplot.imagesc(grid)
        gnuplot.plot(v)
        gnuplot.raw 'unset multiplot'
      end,
    } do
      assert.is_truthy(picture(f):find '</svg>')
    end
  end)
end)

-- A program's output, errors and status.
local function run(text, environment)
  local script = program.script(text)
  local output, status, errors = program.run({ script }, nil, environment)
  os.remove(script)
  return output, status, errors
end

describe('a complaint of gnuplot', function()
  it('is no error: the figure is drawn without the command that it rejects', function()
    there()
    local name = folder .. '/c.svg'
    local output, status, errors = run(([[
      local gnuplot = require 'gnuplot'
      gnuplot.svgfigure %q
      gnuplot.imagesc(torch.rand(3, 3), 'sigmoid')
      gnuplot.raw 'set nothing of the kind'
      gnuplot.title 'still here'
      gnuplot.plotflush()
      print 'done'
    ]]):format(name))
    assert.same({ 'done\t\n', 0 }, { output, status })
    assert.is_truthy(errors:find '^gnuplot: [^\n]*\n$', errors)
    assert.is_truthy(files.read(name):find 'still here')
  end)

  it('is one where the file can not be written', function()
    there()
    local name = folder .. '/folder.svg'
    paths.mkdir(name)
    gnuplot.svgfigure(name)
    gnuplot.plot(torch.ones(2))
    assert.error_matches(function() gnuplot.plotflush() end, 'gnuplot: cannot open file')
    paths.rmdir(name)
    gnuplot.close()
  end)
end)

describe('without a screen', function()
  it('figures are text', function()
    there()
    local output, status, errors = run([[
      local gnuplot = require 'gnuplot'
      print(gnuplot.terminal())
      gnuplot.plot('line', torch.range(1, 5), '+')
      print 'done'
    ]], 'DISPLAY= WAYLAND_DISPLAY= GNUTERM=')
    assert.same({ '', 0 }, { errors, status })
    assert.is_truthy(output:find '^dumb' and output:find 'line    A' and output:find 'done%s*$', output)
    assert.equal(4, select(2, output:gsub(' A ', '')))      -- three points inside, and the legend's
  end)

  it('without gnuplot, too, one sentence says so', function()
    local output, status = run([[
      local gnuplot = require 'gnuplot'
      print(gnuplot.isInstalled())
      print(select(2, pcall(gnuplot.plot, torch.ones(3))))
      print(select(2, pcall(gnuplot.pngfigure, 'a.png')))
    ]], 'PATH=/nowhere')
    assert.equal(0, status)
    local sentence = "gnuplot: the program 'gnuplot' was not found (Debian: apt-get install gnuplot, macOS: brew install gnuplot); "
      .. 'gnuplot.setgnuplotexe(path) tells where it is'
    assert.equal(3, select(2, output:gsub(sentence:gsub('%p', '%%%0'), '')))
  end)
end)

describe('optim.Logger', function()
  local function logged(name)
    return ([[
      require 'optim'
      local logger = optim.Logger(%q)
      logger:setNames { 'train_loss', 'test' }
      logger:style { '-', '+-' }
      for i = 1, 4 do logger:add { 1 / i, 2 / i } end
      logger:plot()
      logger:plot()
    ]]):format(name)
  end

  it('draws its columns into a file', function()
    there()
    local name = folder .. '/log'
    local output, status, errors = run(logged(name), 'DISPLAY= WAYLAND_DISPLAY=')
    assert.same({ '', '', 0 }, { output, errors, status })
    local eps = files.read(name .. '.eps')
    for _, text in ipairs { 'train_loss', '(test)', '<Logger::' } do assert.is_truthy(eps:find(text, 1, true), text) end
  end)

  it('reports a missing gnuplot once, and continues', function()
    local output, status, errors = run(logged(folder .. '/log2'), 'PATH=/nowhere')
    assert.same({ '', 0 }, { errors, status })
    assert.equal(1, select(2, output:gsub('gnuplot is missing', '')))
  end)
end)
