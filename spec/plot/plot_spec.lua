-- Plots: parses their SVG, and compares its positions with the data.
local torch = require 'torch'
local plot = require 'plot'
local ffi = require 'ffi'
local files = require 'spec.support.files'
local contours, histogram, ticks = require 'plot.contours', require 'plot.histogram', require 'plot.ticks'
local marks, scale, colors = require 'plot.marks', require 'plot.scale', require 'plot.colors'

local svg = require 'spec.support.svg'
local parse, elements, pointsOf, texts = svg.parse, svg.elements, svg.points, svg.texts

describe('ticks', function()
  for _, case in ipairs {
    { 0, 10, 5, { 0, 2, 4, 6, 8, 10 } }, { -1, 1, 4, { -1, -0.5, 0, 0.5, 1 } }, { 0.13, 0.87, 4, { 0.2, 0.4, 0.6, 0.8 } },
    { 0, 1, 4, { 0, 0.25, 0.5, 0.75, 1 } }, { 1e6, 3e6, 4, { 1e6, 1.5e6, 2e6, 2.5e6, 3e6 } },
    { 5, 5.004, 4, { 5, 5.001, 5.002, 5.003, 5.004 } },
  } do
    it(('from %g to %g are round'):format(case[1], case[2]), function()
      local list = ticks.linear(case[1], case[2], case[3])
      assert.equal(#case[4], #list)
      for i, x in ipairs(case[4]) do assert.is_true(math.abs(x - list[i]) < 1e-9 * math.max(1, math.abs(x))) end
    end)
  end

  it('have labels with as many decimals as tell them apart', function()
    assert.same({ '0' }, (ticks.labels({ 0 }, 1)))
    assert.same({ '0.00', '0.25', '0.50' }, (ticks.labels({ 0, 0.25, 0.5 }, 0.25)))
    assert.same({ '\226\136\146' .. '5', '0', '5' }, (ticks.labels({ -5, 0, 5 }, 5)))
    local labels, factor = ticks.labels({ 1e6, 2.5e6 }, 0.5e6)
    assert.same({ '1.0', '2.5', '10\226\129\182' }, { labels[1], labels[2], factor })
    labels, factor = ticks.labels({ 1e-5, 2e-5 }, 1e-5)
    assert.same({ '1', '2', '10\226\129\187\226\129\181' }, { labels[1], labels[2], factor })
  end)

  it('of logarithms are powers of ten', function()
    assert.same({ 1, 10, 100 }, (ticks.log(0, 2, 5)))
    local list, small = ticks.log(math.log10(0.5), math.log10(20), 5)
    assert.same({ 1, 10 }, list)
    assert.equal(5 + 8 + 1, #small)                      -- 0.5 to 0.9, 2 to 9, 20
    assert.same({ '10\194\178', '10\226\129\187\194\185' }, ticks.powers { 100, 0.1 })
    assert.same({ 1e-10, 1e-5, 1, 1e5, 1e10 }, (ticks.log(-10, 10, 5)))
  end)
end)

describe('counts in bins', function()
  -- numpy.histogram([1, 2, 2, 3, 3, 3, 4, 10], bins=3), and with edges, and density.
  local data = { 1, 2, 2, 3, 3, 3, 4, 10 }

  it('are those of NumPy', function()
    local counts, edges = histogram(data, { bins = 3 })
    assert.same({ { 6, 1, 1 }, { 1, 4, 7, 10 } }, { counts, edges })
    assert.same({ 1, 5, 2 }, (histogram(data, { bins = { 0, 2, 3.5, 10 } })))
    assert.same({ 3, 0 }, (histogram({ 5, 5, 5 }, { bins = { 5, 6, 7 } })))
    assert.same({ 1, 6, 7 }, (histogram(data, { bins = { 1, 2, 3.5, 5 }, cumulative = true })))
    local density = histogram(data, { bins = { 0, 2, 4, 10 }, density = true })
    assert.same({ 1 / 8 / 2, 5 / 8 / 2, 2 / 8 / 6 }, density)
    assert.same({ 2, 0, 2 }, (histogram({ 0 / 0, 1, 1, 4, 4, 1 / 0 }, { bins = 3 })))
  end)

  it('need edges that increase', function()
    assert.error_matches(function() histogram(data, { bins = { 1, 1 } }) end, 'hist: bins: expected increasing edges')
    assert.error_matches(function() histogram(data, { bins = 0 }) end, 'hist: bins: 0, expected a whole number from 1')
    assert.error_matches(function() histogram(data, { range = { 2, 1 } }) end, 'hist: range: expected a first number below')
  end)
end)

describe('lines of equal values', function()
  it('of a plane are straight', function()
    local z = torch.DoubleTensor(4, 5)
    for i = 1, 4 do
      for j = 1, 5 do z[i][j] = 2 * j + i end
    end
    local segments = contours.segments({ 1, 2, 3, 4, 5 }, { 1, 2, 3, 4 }, ffi.cast('const double *', z:data()), 7.5)
    assert.is_true(#segments >= 3)
    for _, segment in ipairs(segments) do
      for _, p in ipairs(segment) do assert.is_true(math.abs(2 * p[1] + p[2] - 7.5) < 1e-12) end
    end
  end)

  it('of a cone are closed, and go round', function()
    local n, list = 41, {}
    local z = torch.DoubleTensor(n, n)
    for i = 1, n do
      list[i] = i - 21
      for j = 1, n do z[i][j] = math.sqrt((i - 21) ^ 2 + (j - 21) ^ 2) end
    end
    local length, ends = 0, {}
    for _, segment in ipairs(contours.segments(list, list, ffi.cast('const double *', z:data()), 10.3)) do
      length = length + math.sqrt((segment[1][1] - segment[2][1]) ^ 2 + (segment[1][2] - segment[2][2]) ^ 2)
      for _, p in ipairs(segment) do
        local key = ('%.9f %.9f'):format(p[1] + 0, p[2] + 0):gsub('%-0%.0+ ', '0.000000000 '):gsub(' %-0%.0+$', ' 0.000000000')
        ends[key] = (ends[key] or 0) + 1
      end
    end
    for key, count in pairs(ends) do assert.equal(2, count, key) end
    assert.is_true(math.abs(length - 2 * math.pi * 10.3) < 0.3)
  end)

  it('leave out what is no number', function()
    local z = torch.DoubleTensor { { 0, 1 }, { 0 / 0, 1 } }
    assert.same({}, contours.segments({ 1, 2 }, { 1, 2 }, ffi.cast('const double *', z:data()), 0.5))
  end)
end)

describe('a plot', function()
  before_each(function() plot.close() end)

  it('has its points where the numbers belong', function()
    local figure = plot.figure { width = 400, height = 300 }
    figure:subplot():plot(torch.Tensor { 0, 5, 10 }, torch.Tensor { 1, 3, 2 }, { color = '#123456' }):xlim(0, 10):ylim(1, 3)
    local line = pointsOf(elements(figure, 'path', function(e) return e.stroke == '#123456' end)[1])
    local frame = elements(figure, 'rect', function(e) return e.stroke == '#000000' end)[1]
    local left, top = tonumber(frame.x), tonumber(frame.y)
    local right, bottom = left + tonumber(frame.width), top + tonumber(frame.height)
    local expected = { { left, bottom }, { (left + right) / 2, top }, { right, (top + bottom) / 2 } }
    for i = 1, 3 do
      for k = 1, 2 do assert.is_true(math.abs(expected[i][k] - line[i][k]) < 0.02) end
    end
  end)

  it('has logarithms where they are asked for, and gaps where there are none', function()
    local figure = plot.figure()
    figure:subplot():plot({ 1, 2, 3, 4, 5 }, { 1, 10, -1, 1000, 10000 }, 'r'):yscale 'log'
    local lines = elements(figure, 'path', function(e) return e.stroke == '#ff0000' end)
    assert.equal(2, #lines)
    local a, b = pointsOf(lines[1]), pointsOf(lines[2])
    assert.same({ 2, 2 }, { #a, #b })
    assert.is_true(math.abs((a[1][2] - a[2][2]) - (b[1][2] - b[2][2])) < 0.03)      -- a decade is as high as another
    assert.truthy(texts(figure)['10\194\178'])
  end)

  it('escapes words', function()
    local figure = plot.figure { title = '<b>&"\1' }
    figure:subplot():plot({ 1, 2 }, { label = 'a < b & c' }):title('x > "y"'):xlabel(''):ylabel('\195\188'):legend()
    local words = texts(figure)
    for _, text in ipairs { '<b>&"', 'a < b & c', 'x > "y"', '\195\188' } do assert.truthy(words[text], text) end
  end)

  it('shows all kinds', function()
    local figure = plot.figure { width = 900, height = 900 }
    local x, y = torch.range(1, 6), torch.randn(6)
    figure:subplot(3, 3, 1):plot(torch.randn(5, 3)):grid()
    figure:subplot(3, 3, 2):scatter(x, y, { c = y, s = x * 10, marker = '^' })
    figure:subplot(3, 3, 3):bar({ 'a', 'b' }, { 1, 2 }):barh({ 1, 2 }, { 3, 4 })
    figure:subplot(3, 3, 4):hist(torch.randn(100))
    figure:subplot(3, 3, 5):imshow(torch.randn(4, 5), { colorbar = true, cmap = 'gray_r' })
    figure:subplot(3, 3, 6):imshow(torch.ByteTensor(3, 2, 2):fill(9)):text(1, 1, 'here')
    figure:subplot(3, 3, 7):contour(torch.randn(5, 6), { levels = { 0 }, color = 'k' })
    figure:subplot(3, 3, 8):errorbar(x, y, { yerr = { y:abs(), x }, xerr = 0.1, marker = 'o', linestyle = 'none' })
    figure:subplot(3, 3, 9):fillBetween(x, 0, y, { alpha = 0.5 }):axhline(0):axvline(2, { linestyle = ':' })
    local words = texts(figure)
    for _, text in ipairs { 'a', 'b', 'here' } do assert.truthy(words[text]) end
    assert.equal(3, #elements(figure, 'image'))
    assert.equal(9, #elements(figure, 'clipPath'))
    assert.equal(6, #elements(figure, 'path', function(e) return e.fill ~= 'none' and e.d:find 'Z' and not e['fill-opacity'] end))
  end)

  it('has bars as long as their numbers, from zero', function()
    local figure = plot.figure()
    figure:subplot():bar({ 1, 2, 3 }, { 2, 4, 1 }, { color = 'C3' })
    local bars = elements(figure, 'rect', function(e) return e.fill == '#d62728' end)
    assert.equal(3, #bars)
    local unit = tonumber(bars[3].height)
    for i, n in ipairs { 2, 4, 1 } do
      assert.is_true(math.abs(tonumber(bars[i].height) - n * unit) < 0.05)
      assert.is_true(math.abs(tonumber(bars[i].y) + tonumber(bars[i].height) - tonumber(bars[1].y) - tonumber(bars[1].height)) < 0.02)
    end
  end)

  it('has pixels that are an image file', function()
    local figure = plot.figure()
    figure:subplot():imshow({ { 0, 1 } }, { cmap = 'gray' })
    local data = elements(figure, 'image')[1]['xlink:href']:match '^data:image/png;base64,([%w+/]+=*)$'
    assert.equal('iVBORw0KGgo', data:sub(1, 11))
    local there, image = pcall(require, 'image')
    if not there or not pcall(image.decompress, torch.ByteTensor(0)) and not image.supported_filetypes then return end
    local pixels = torch.ByteTensor(torch.ByteStorage():string(require 'plot.pixels' { width = 2, height = 1, rgb = '\1\2\3\4\5\6' }))
    local good, decoded_ = pcall(image.decompress, pixels, 3, 'byte')
    if good then assert.same({ { { 1, 4 } }, { { 2, 5 } }, { { 3, 6 } } }, decoded_:totable()) end
  end)

  it('is written to files', function()
    local name = os.tmpname()
    os.remove(name)
    plot.plot({ 1, 2, 3 })
    plot.title 'words'
    plot.save(name .. '.svg')
    assert.equal(plot.svg(), files.read(name .. '.svg'))
    os.remove(name .. '.svg')
    local good, message = pcall(plot.save, name .. '.png', { zoom = 0.5 })
    if good then
      local png = files.read(name .. '.png')
      assert.equal('\137PNG\r\n\26\n\0\0\0\13IHDR\0\0\1\64\0\0\0\240', png:sub(1, 24))
      os.remove(name .. '.png')
    else
      assert.matches('libcairo', message)
    end
    assert.error_matches(function() plot.save 'x.pdf' end, 'plot.save: name: x.pdf, expected one that ends in .svg or .png')
    assert.error_matches(function() plot.save '/nowhere/x.svg' end, 'plot.save: /nowhere/x.svg')
  end)

  it('takes odd numbers and sizes', function()
    for _, y in ipairs { {}, { 5 }, { 1e300, -1e300 }, { 0 / 0, 0 / 0 }, { 1 / 0, 1 }, { 1e-300, 2e-300 }, { 1e15, 1e15 + 1 } } do
      for _, kind in ipairs { 'linear', 'log' } do
        plot.close()
        plot.plot(y, { marker = 'o' })
        plot.yscale(kind)
        local text = plot.svg()
        parse(text)
        assert.falsy(text:find '[^%a]nan' or text:find '[^%a]inf')
      end
    end
    plot.close()
    plot.bar({ 1, 2 }, { 1, 10 })
    plot.yscale 'log'
    parse(plot.svg())
  end)

  it('refuses invalid arguments', function()
    for _, case in ipairs {
      { function() plot.plot({ 1, 2 }, { 1, 2, 3 }) end, 'plot: x: 2 numbers, expected 3' },
      { function() plot.plot 'r' end, 'plot: y: nil, expected a tensor or a list of numbers' },
      { function() plot.plot({ 1, 'x' }) end, 'plot: y%[2%]: x, expected a number' },
      { function() plot.plot({ 1 }, 'q') end, "plot: format: 'q', expected a colour" },
      { function() plot.plot({ 1 }, { colour = 'red' }) end, 'plot: options: colour, expected one of color, label' },
      { function() plot.plot({ 1 }, { color = 'reddish' }) end, "plot: color: reddish, expected a name such as 'red'" },
      { function() plot.scatter({ 1 }, { 1 }, { marker = 'z' }) end, 'scatter: marker: z, expected one of' },
      { function() plot.imshow(torch.ones(2)) end, 'imshow: image: expected a matrix' },
      { function() plot.contour(torch.ones(3)) end, 'contour: z: sizes %[3%], expected a matrix' },
      { function() plot.imshow(torch.ones(2, 2), { cmap = 'x' }) end, 'imshow: cmap: x, expected one of Blues, Greys' },
      { function() plot.yscale 'cubic' end, "yscale: cubic, expected 'linear', 'log' or 'date'" },
      { function() plot.legend { loc = 'middle' } end, 'legend: loc: middle, expected' },
      { function() plot.figure { width = 5 } end, 'plot.figure: width: 5, expected a number from 50 to 20000' },
      { function() plot.subplot(2, 2, 5) end, 'subplot: i: 5, expected a whole number from 1 to 4' },
      { function() plot.xticks({ 1, 2 }, { 'a' }) end, 'xticks: labels: 1, expected one for each tick' },
      { function() plot.gca():xscale 'log':xlim(0, 1) end, 'xlim: 0, expected a number that the scale shows' },
    } do
      plot.close()
      assert.error_matches(case[1], case[2])
    end
  end)
end)

describe('formats, limits and colours', function()
  it('of matplotlib are read', function()
    assert.same({ color = 'r', linestyle = '--', marker = 'o' }, marks.format('plot', 'r--o'))
    assert.same({ color = 'k', linestyle = 'none', marker = '.' }, marks.format('plot', 'k.'))
    assert.same({ linestyle = '-.' }, marks.format('plot', '-.'))
    assert.same({ color = 'C2', linestyle = ':' }, marks.format('plot', 'C2:'))
  end)

  it('leave a margin', function()
    assert.same({ -0.5, 10.5 }, { scale.limits(scale.kinds.linear, 0, 10, {}) })
    assert.same({ 0, 10 }, { scale.limits(scale.kinds.linear, 0, 10, {}, true) })
    assert.same({ 2, 10.5 }, { scale.limits(scale.kinds.linear, 0, 10, { 2 }) })
    local low, high = scale.limits(scale.kinds.linear, 3, 3, {})
    assert.is_true(low < 3 and high > 3)
  end)

  it('of any doubles are finite', function()
    local most = 1.7976931348623157e308
    for _, list in ipairs { { 1e308, -1e308 }, { most, -most }, { most, most }, { -most, -most }, { 5e-324, 0 }, { 1e308, 0, 5e-324 } } do
      for _, draw in ipairs { 'plot', 'scatter', 'bar', 'step', 'stem', 'boxplot' } do
        local figure = plot.Figure()
        local axes = figure:subplot()
        if draw == 'plot' or draw == 'boxplot' then axes[draw](axes, list) else axes[draw](axes, torch.range(1, #list), list) end
        local text = figure:svg()
        assert.is_nil(text:find '%f[%a]nan' or text:find '%f[%a]inf', draw)
      end
    end
    local figure = plot.Figure()
    figure:subplot():plot { 1e308, -1e308 }
    local words = {}
    for text in figure:svg():gmatch '<text[^>]*>([^<]*)</text>' do words[text] = true end
    assert.is_true(words['1.00'] and words['\226\136\1461.00'] and words['\195\15110\194\179\226\129\176\226\129\184'])
    local _, counts = plot.Figure():subplot():hist({ -most, most }, { bins = 4 })
    assert.same({ 1, 0, 0, 1 }, counts)
    assert.error_matches(function() plot.Figure():subplot():pie { most, most } end, 'pie: sizes: expected a finite sum')
    figure = plot.Figure()
    figure:subplot():pie { 1e308, 0, 5e-324 }
    assert.is_nil(figure:svg():find '%f[%a]nan')
  end)

  it('are mixed between their points', function()
    local gray = colors.map('x', 'gray')
    assert.same({ 0, 0, 0 }, { gray(-1) })
    assert.same({ 128, 128, 128 }, { gray(0.5) })
    assert.same({ 255, 255, 255 }, { colors.map('x', 'gray_r')(0) })
    local viridis = colors.map('x', 'viridis')
    assert.same({ 68, 1, 84 }, { viridis(0) })           -- matplotlib's own ends
    assert.same({ 253, 231, 37 }, { viridis(1) })
    assert.same({ '#ff7f0e', '#aabbcc', '#808080', '#ff8000' },
      { colors.of('x', 'C1'), colors.of('x', '#abc'), colors.of('x', '0.5'), colors.of('x', { 1, 0.5, 0 }) })
  end)
end)
