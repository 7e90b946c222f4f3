-- Boxes, violins, steps, stems, pies, fields, arrows, twins, notes and names: the contents of their SVG, and figures from NumPy, SciPy and
-- matplotlib.
local torch, plot = require 'torch', require 'plot'
local svg, figures = require 'spec.support.svg', require 'spec.plot.figures'
local assertClose = require('spec.support.close').within(1e-9)
local elements, points, texts = svg.elements, svg.points, svg.texts

local function spread(n, k)
  local i = torch.range(1, n):double()
  return torch.cmul(torch.sin(torch.cmul(i, i) * k), torch.exp(torch.cos(i * 1.3) * 1.2))
end

local a, b = spread(40, 0.7), spread(11, 2.1)

-- Axes of a new figure with known limits, and a function from numbers to pixels.
local function axesOf(limits)
  local figure = plot.figure { width = 400, height = 300 }
  local axes = figure:subplot()
  return axes, figure, function()
    axes:xlim(limits[1], limits[2]):ylim(limits[3], limits[4])
    return svg.map(figure, limits)
  end
end

local function colored(color)
  return function(e) return e.stroke == color or e.fill == color end
end

-- Whether a path contains these points of the data.
local function goesThrough(path, map, expected)
  local list = points(path)
  assert.equal(#expected, #list)
  for i, point in ipairs(expected) do
    local x, y = map(point[1], point[2])
    assert.near(x, list[i][1], 0.02)
    assert.near(y, list[i][2], 0.02)
  end
end

describe('a box', function()
  local function numbers(data, options)
    local _, found = plot.figure():subplot():boxplot(data, options)
    local list = {}
    for i, s in ipairs(found) do
      list[i] = { s.q1, s.median, s.q3, s.mean, s.low, s.high, unpack(s.fliers) }
    end
    return list
  end

  it('has matplotlib\'s numbers', function()
    assertClose(figures.box, numbers(a)[1])
    assertClose(figures['box odd'], numbers(b)[1])
    assertClose(figures['box near'], numbers(a, { whis = 0.3 })[1])
    assertClose(figures['box percent'], numbers(a, { whis = { 5, 90 } })[1])
  end)

  it('is one for each column, or each entry of a list', function()
    assert.equal(3, #numbers(torch.randn(7, 3)))
    local list = numbers { a, b:float(), { 1, 2, 0 / 0, 3 }, {} }
    assert.equal(4, #list)
    assertClose(figures.box, list[1])
    assert.equal(2, list[3][2])
    assert.is_nil(list[4][1])
  end)

  it('stands where its numbers are', function()
    for _, upright in ipairs { true, false } do
      local limits = upright and { 0, 3, 0, 10 } or { 0, 10, 0, 3 }
      local axes, figure, mapping = axesOf(limits)
      axes:boxplot({ 1, 2, 3, 4, 9 }, {
        vert = upright, positions = { 1.5 }, widths = 1, color = '#010203', fill = '#aabbcc', labels = { 'one' },
      })
      local map = mapping()
      local box = elements(figure, 'rect', colored '#aabbcc')[1]
      local left, top = map(upright and 1 or 2, upright and 4 or 2)
      assert.near(left, tonumber(box.x), 0.02)
      assert.near(top, tonumber(box.y), 0.02)
      local lines = elements(figure, 'path', colored '#010203')
      goesThrough(lines[1], map, upright and { { 1.5, 2 }, { 1.5, 1 } } or { { 2, 1.5 }, { 1, 1.5 } })
      goesThrough(elements(figure, 'path', colored '#ff7f0e')[1], map, upright and { { 1, 3 }, { 2, 3 } } or { { 3, 1 }, { 3, 2 } })
      local flier, x, y = elements(figure, 'circle')[1], map(upright and 1.5 or 9, upright and 9 or 1.5)
      assert.near(x, tonumber(flier.cx), 0.02)
      assert.near(y, tonumber(flier.cy), 0.02)
      assert.truthy(texts(figure).one)
    end
  end)
end)

describe('a violin', function()
  it('is as wide as SciPy\'s density', function()
    local limits = { 0, 2, -4, 4 }
    local axes, figure, mapping = axesOf(limits)
    axes:violin(a, { points = 20, widths = 1, color = '#010203', showmedians = true })
    local map = mapping()
    local outline = points(elements(figure, 'path', function(e) return e.fill == '#010203' end)[1])
    assert.equal(40, #outline)
    for i, height in ipairs(figures.violin) do
      local x, y = map(1 + height / 2, a:min() + (a:max() - a:min()) * (i - 1) / 19)
      assert.near(x, outline[i][1], 0.02)
      assert.near(y, outline[i][2], 0.02)
      assert.near(map(1 - height / 2, 0), outline[41 - i][1], 0.02)
    end
    assert.equal(4, #elements(figure, 'path', function(e) return e.stroke == '#010203' end))
  end)

  it('takes values that are all the same', function()
    plot.figure():subplot():violin { { 2, 2, 2 }, { 1 } }
    svg.parse(plot.svg())
  end)
end)

describe('logarithmic plots', function()
  it('have their scales', function()
    for name, kinds in pairs { semilogx = { true, false }, semilogy = { false, true }, loglog = { true, true } } do
      local axes = plot.figure():subplot()
      assert.equal(axes, axes[name](axes, { 1, 10, 100 }, { 1, 10, 100 }, 'r--', { label = 'x' }))
      assert.same(kinds, { axes.x.kind.isLog, axes.y.kind.isLog })
    end
  end)
end)

describe('steps', function()
  it('change at, before and between points', function()
    for where, expected in pairs {
      pre = { { 0, 1 }, { 0, 3 }, { 2, 3 }, { 2, 2 }, { 4, 2 } }, post = { { 0, 1 }, { 2, 1 }, { 2, 3 }, { 4, 3 }, { 4, 2 } },
      mid = { { 0, 1 }, { 1, 1 }, { 1, 3 }, { 2, 3 }, { 3, 3 }, { 3, 2 }, { 4, 2 } },
    } do
      local axes, figure, mapping = axesOf { 0, 4, 0, 4 }
      axes:step({ 0, 2, 4 }, { 1, 3, 2 }, { where = where, color = '#010203' })
      local map, seen, kept = mapping(), nil, {}
      for _, point in ipairs(points(elements(figure, 'path', colored '#010203')[1])) do      -- without repeated points
        if not seen or math.abs(point[1] - seen[1]) + math.abs(point[2] - seen[2]) > 0.01 then kept[#kept + 1] = point end
        seen = point
      end
      assert.equal(#expected, #kept, where)
      for i, point in ipairs(expected) do
        local x, y = map(point[1], point[2])
        assert.near(x, kept[i][1], 0.02)
        assert.near(y, kept[i][2], 0.02)
      end
    end
  end)
end)

describe('stems', function()
  it('go from the base to the points', function()
    local axes, figure, mapping = axesOf { 0, 4, -2, 2 }
    axes:stem({ 1, 3 }, { 2, -1 }, { color = '#010203', bottom = 0.5, basecolor = '#040506' })
    local map = mapping()
    local lines = elements(figure, 'path', colored '#010203')
    goesThrough(lines[1], map, { { 1, 0.5 }, { 1, 2 } })
    goesThrough(lines[2], map, { { 3, 0.5 }, { 3, -1 } })
    goesThrough(elements(figure, 'path', colored '#040506')[1], map, { { 1, 0.5 }, { 3, 0.5 } })
    assert.equal(2, #elements(figure, 'circle'))
  end)
end)

describe('a pie', function()
  it('has angles as its numbers, and no frame', function()
    local figure = plot.figure { width = 400, height = 400 }
    figure:subplot():pie({ 1, 3 }, {
      colors = { '#010203', '#040506' }, labels = { 'small', 'large' }, autopct = '%.0f%%', startangle = 90,
    })
    local quarter = points(elements(figure, 'path', function(e) return e.fill == '#010203' end)[1])
    local center, first, last = quarter[1], quarter[2], quarter[#quarter]
    local radius = center[2] - first[2]
    assert.near(center[1], first[1], 0.02)                         -- from the top, a quarter to the left
    assert.near(center[1] - radius, last[1], 0.02)
    assert.near(center[2], last[2], 0.02)
    local words = texts(figure)
    assert.truthy(words['25%'] and words['75%'] and words.small and words.large)
    assert.equal('end', words.small['text-anchor'])
    assert.equal('start', words.large['text-anchor'])
    assert.equal(0, #elements(figure, 'rect', function(e) return e.stroke == '#000000' end))
  end)

  it('turns clockwise, and moves parts out', function()
    local figure = plot.figure { width = 400, height = 400 }
    figure:subplot():pie({ 1, 1 }, { colors = { '#010203', '#040506' }, counterclock = false, explode = { 0, 0.5 } })
    local lower = points(elements(figure, 'path', function(e) return e.fill == '#010203' end)[1])
    local upper = points(elements(figure, 'path', function(e) return e.fill == '#040506' end)[1])
    local radius = lower[2][1] - lower[1][1]
    assert.is_true(lower[math.floor(#lower / 2)][2] > lower[1][2])
    assert.near(lower[1][2] - radius / 2, upper[1][2], 0.05)
  end)

  it('of one part is a disc', function()
    local figure = plot.figure()
    figure:subplot():pie({ 0, 5 }, { autopct = function(share) return share .. '!' end })
    assert.truthy(texts(figure)['100!'])
  end)
end)

describe('filled contours', function()
  it('of a plane are straight bands', function()
    local axes, figure, mapping = axesOf { 1, 5, 1, 3 }
    local z = torch.range(0, 4):view(1, 5):expand(3, 5)
    axes:contourf(z, { levels = { 0.5, 2, 3.5 }, colors = { '#010203', '#040506' } })
    local map = mapping()
    for color, left in pairs { ['#010203'] = 1.5, ['#040506'] = 3 } do      -- each is drawn over the one below
      local low, high = math.huge, -math.huge
      for _, path in ipairs(elements(figure, 'path', function(e) return e.fill == color end)) do
        for _, point in ipairs(points(path)) do low, high = math.min(low, point[1]), math.max(high, point[1]) end
      end
      assert.near(map(left, 1), low, 0.02)
      assert.near(map(4.5, 1), high, 0.02)
    end
  end)

  -- The area of all polygons of a path, in units of the data.
  local function areaOf(path, map)
    local x0, y0 = map(0, 0)
    local x1, y1 = map(1, 1)
    local unit, sum = math.abs((x1 - x0) * (y1 - y0)), 0
    for polygon in path.d:gmatch '[^Z]+' do
      local list, twice = points { d = polygon }, 0
      for i = 1, #list do
        local p, q = list[i], list[i % #list + 1]
        twice = twice + p[1] * q[2] - q[1] * p[2]
      end
      sum = sum + math.abs(twice) / 2
    end
    return sum / unit
  end

  it('of a paraboloid are discs, with saddles and NaN around', function()
    local x = torch.linspace(-2, 2, 81)
    local z = torch.pow(x, 2):view(1, 81):expand(81, 81) + torch.pow(x, 2):view(81, 1):expand(81, 81)
    local axes, figure, mapping = axesOf { -2, 2, -2, 2 }
    axes:contourf(x, x, z * -1, { levels = { -1, 0 }, colors = { '#010203' } })
    local map = mapping()
    assert.near(math.pi, areaOf(elements(figure, 'path', function(e) return e.fill == '#010203' end)[1], map), 0.01)
    axes, figure, mapping = axesOf { 1, 3, 1, 2 }                  -- half of a saddle is above its mean
    axes:contourf(torch.Tensor { { 1, -1, 0 / 0 }, { -1, 1, 1 } }, { levels = { 0, 1 }, colors = { '#010203' } })
    map = mapping()
    assert.near(0.5, areaOf(elements(figure, 'path', function(e) return e.fill == '#010203' end)[1], map), 0.01)
  end)

  it('choose round levels that hold all numbers', function()
    local axes = plot.figure():subplot():contourf(torch.range(0, 11):view(3, 4), { colorbar = true })
    assert.is_true(axes.colorbar.low <= 0 and axes.colorbar.high >= 11)
    plot.figure():subplot():contourf(torch.ones(3, 3))
    svg.parse(plot.svg())
  end)
end)

describe('a mesh', function()
  it('has cells between edges, or around middles', function()
    local axes, figure, mapping = axesOf { 0, 4, 0, 2 }
    axes:pcolormesh({ 0, 1, 4 }, { 0.5, 1.5 }, { { 0, 1 }, { 0 / 0, 2 } }, { cmap = 'gray' })
    local map = mapping()
    local cells = elements(figure, 'rect', function(e) return e.stroke and e.stroke == e.fill end)
    assert.same({ '#000000', '#808080', '#ffffff' }, { cells[1].fill, cells[2].fill, cells[3].fill })
    local left, bottom = map(1, 0)
    local right, top = map(4, 1)
    assert.near(left, tonumber(cells[2].x), 0.02)
    assert.near(right - left, tonumber(cells[2].width), 0.02)
    assert.near(bottom - top, tonumber(cells[2].height), 0.02)
  end)

  it('of equal cells is a picture whose first row is at the bottom', function()
    local figure = plot.figure()
    figure:subplot():pcolormesh(torch.Tensor { { 0, 0 }, { 1, 1 } }, { cmap = 'gray' })
    local image = elements(figure, 'image')[1]
    local expected = require 'torch.file.base64'(require 'plot.pixels' { width = 2, height = 2, rgb = ('\255'):rep(6) .. ('\0'):rep(6) })
    assert.equal('data:image/png;base64,' .. expected, image['xlink:href'])
    figure:subplot():yscale 'log'
    assert.equal(0, #elements(figure, 'image'))
    svg.parse(figure:svg())
  end)
end)

describe('counts in two dimensions', function()
  local x, y = spread(200, 0.31), spread(200, 0.77)

  it('are NumPy\'s', function()
    local function numbers(options)
      local _, counts, xedges, yedges = plot.figure():subplot():hist2d(x, y, options)
      local list = counts:view(-1):totable()
      for _, edges in ipairs { xedges, yedges } do
        for _, edge in ipairs(edges) do list[#list + 1] = edge end
      end
      return list
    end
    assertClose(figures.hist2d, numbers { bins = 4 })
    assertClose(figures['hist2d bins'], numbers { bins = { 3, 5 }, range = { { -1, 1 }, { -2, 2 } } })
    assertClose(figures['hist2d density'], numbers { bins = { { -2, 0, 1, 4 }, 2 }, density = true })
  end)

  it('leave cells of few points empty', function()
    local figure = plot.figure()
    figure:subplot():hist2d({ 0, 0, 1 }, { 0, 0, 1 }, { bins = 2, cmin = 2 })
    assert.equal(1, #elements(figure, 'rect', function(e) return e.stroke and e.stroke == e.fill end))
  end)
end)

describe('arrows', function()
  it('begin at their place, as long as their numbers', function()
    local axes, figure, mapping = axesOf { 0, 4, 0, 4 }
    axes:quiver({ 1, 2 }, { 1, 2 }, { 3, 0 }, { 0, 4 }, { scale = 16, color = '#010203', width = 1 })
    local map = mapping()
    local paths = elements(figure, 'path', function(e) return e.fill == '#010203' end)
    local width = map(4, 0) - map(0, 0)
    for i, tip in ipairs { { 3, 0 }, { 0, -4 } } do
      local list, x, y = points(paths[i]), map(i, i)
      assert.near(x, (list[1][1] + list[7][1]) / 2, 0.02)
      assert.near(y, (list[1][2] + list[7][2]) / 2, 0.02)
      assert.near(x + tip[1] / 16 * width, list[4][1], 0.02)
      assert.near(y + tip[2] / 16 * width, list[4][2], 0.02)
    end
  end)

  it('of matrices stand on a grid', function()
    local figure = plot.figure()
    figure:subplot():quiver(torch.ones(3, 4), torch.zeros(3, 4), { c = torch.range(1, 12), pivot = 'middle' })
    assert.equal(12, #elements(figure, 'path', function(e) return e.fill and e.fill ~= 'none' and e.d:find 'Z' end))
    figure:subplot():quiver({ 1, 2, 3, 4 }, { 1, 2, 3 }, torch.zeros(3, 4), torch.ones(3, 4))
    svg.parse(figure:svg())
  end)
end)

describe('twin axes', function()
  it('share an axis, and have marks of their own', function()
    local figure = plot.figure { width = 400, height = 300 }
    local axes = figure:subplot():plot({ 0, 10 }, { 0, 1 }, { color = '#010203' }):ylabel 'left':xlim(0, 10):ylim(0, 1)
    local twin = axes:twinx():plot({ 0, 5 }, { 100, 300 }, { color = '#040506', label = 'l' }):ylabel 'right':ylim(100, 300):legend()
    assert.equal('plot.Axes', torch.type(twin))
    local map = svg.map(figure, { 0, 10, 0, 1 })
    goesThrough(elements(figure, 'path', function(e) return e.stroke == '#010203' end)[1], map, { { 0, 0 }, { 10, 1 } })
    goesThrough(elements(figure, 'path', function(e) return e.stroke == '#040506' end)[1], map, { { 0, 0 }, { 5, 1 } })
    local words, right = texts(figure), map(10, 0)
    assert.is_true(tonumber(words['200'].x) > right and tonumber(words.right.x) > tonumber(words['200'].x))
    assert.is_true(tonumber(words.left.x) < map(0, 0))
    local above = axes:twiny():plot({ 7, 9 }, { 0, 1 }):xlabel 'above'
    words = texts(figure)
    assert.is_true(tonumber(words.above.y) < select(2, svg.map(figure, { 0, 10, 0, 1 })(0, 1)))
    assert.is_true(above.y == axes.y and above.x ~= axes.x)
  end)
end)

describe('notes', function()
  it('have an arrow from the words to the point', function()
    local axes, figure, mapping = axesOf { 0, 10, 0, 10 }
    axes:annotate('here', { 2, 3 }, { xytext = { 6, 8 }, arrowcolor = '#010203' }):annotate('plain', { 5, 5 })
    local map = mapping()
    local x, y = map(2, 3)
    local head = points(elements(figure, 'path', function(e) return e.fill == '#010203' end)[1])
    assert.near(x, head[1][1], 0.02)
    assert.near(y, head[1][2], 0.02)
    local wx, wy = map(6, 8)
    assert.near(wx, tonumber(texts(figure).here.x), 0.02)
    assert.near(wy, tonumber(texts(figure).here.y), 0.02)
    assert.near(map(5, 5), tonumber(texts(figure).plain.x), 0.02)
    assert.equal(1, #elements(figure, 'path', function(e) return e.fill == '#010203' end))
  end)

  it('have a size, an anchor and colors', function()
    local axes, figure = axesOf { 0, 10, 0, 10 }
    local function text(words) return elements(figure, 'text', function(e) return e.text == words end)[1] end
    local function arrows(color) return #elements(figure, 'path', function(e) return e.fill == color end) end
    axes:xlim(0, 10):ylim(0, 10):annotate('usual', { 1, 1 })
    assert.same({ '10', 'start', '#000000' }, { text 'usual'['font-size'], text 'usual'['text-anchor'], text 'usual'.fill })
    axes:annotate('own', { 2, 3 }, { xytext = { 6, 8 }, size = 1, anchor = 'end', color = '#010203' })
    assert.same({ '1', 'end', '#010203' }, { text 'own'['font-size'], text 'own'['text-anchor'], text 'own'.fill })
    assert.equal(1, arrows '#010203')      -- the color of the words
    axes:annotate('props', { 2, 3 }, { xytext = { 6, 8 }, color = '#040506', arrowprops = { color = '#070809' } })
    assert.same({ 0, 1 }, { arrows '#040506', arrows '#070809' })
    axes:annotate('none', { 2, 3 }, { xytext = { 6, 8 }, color = '#0a0b0c', arrow = false })
    axes:annotate('one', { 2, 3 }, { xytext = { 6, 8 }, color = '#0d0e0f', arrow = true })
    assert.same({ 0, 1 }, { arrows '#0a0b0c', arrows '#0d0e0f' })
    assert.error_matches(function() axes:annotate('small', { 1, 1 }, { size = 0.5 }) end, 'annotate: size: 0.5')
  end)

  it('have no arrow to a point that they cover', function()
    local axes, figure = axesOf { 0, 10, 0, 10 }
    axes:xlim(0, 10):ylim(0, 10):annotate('here', { 2, 3 }, { xytext = { 2, 3 }, arrowcolor = '#010203' })
    assert.equal(0, #elements(figure, 'path', function(e) return e.fill == '#010203' end))
  end)
end)

describe('names', function()
  it('have one place each on an axis', function()
    local axes, figure, mapping = axesOf { 0, 5, 0, 4 }
    axes:plot({ 'a', 'b', 'c' }, { 1, 2, 3 }, { color = '#010203' }):scatter({ 'c', 'd' }, { 1, 2 }, { c = '#040506' }):bar({ 'b' }, { 1 })
    local map = mapping()
    goesThrough(elements(figure, 'path', colored '#010203')[1], map, { { 1, 1 }, { 2, 2 }, { 3, 3 } })
    local dots = elements(figure, 'circle')
    assert.near(map(3, 1), tonumber(dots[1].cx), 0.02)
    assert.near(map(4, 2), tonumber(dots[2].cx), 0.02)
    for i, name in ipairs { 'a', 'b', 'c', 'd' } do assert.near(map(i, 0), tonumber(texts(figure)[name].x), 0.02) end
    axes, figure = axesOf { 0, 5, 0, 4 }
    axes:scatter({ 1, 2 }, { 'low', 'high' })
    assert.truthy(texts(figure).low and texts(figure).high)
  end)
end)

describe('the kinds of plots', function()
  it('are painted by cairo as they are written', function()
    local good, canvas = pcall(function() return require('plot.cairo').new(50, 50, 1) end)
    if not good then return assert.matches('cairo', canvas) end
    canvas:shapes({ { 1, 1, 9, 1, 5, 9 }, { 11, 1, 19, 1, 15, 9 } }, { fill = '#ff0000' })
    canvas:shapes({}, { fill = '#ff0000' })
  end)

  it('leave bars out whose numbers are missing', function()
    for _, kind in ipairs { 'bar', 'barh' } do
      local axes, figure = axesOf { 0, 3, 0, 3 }
      axes[kind](axes, { 'a', 'b', 'c' }, { 1, 0 / 0, 2 }, { color = '#010203' })
      local _, count = figure:svg():gsub('<rect[^>]*#010203', '')
      assert.equal(2, count)
      assert.is_nil(figure:svg():find 'nan')
    end
  end)

  it('refuse invalid arguments', function()
    for _, case in ipairs {
      { function() plot.step({ 1 }, { 1 }, { where = 'x' }) end, "step: where: x, expected 'pre', 'post' or 'mid'" },
      { function() plot.pie { -1, 2 } end, 'pie: sizes%[1%]: %-1, expected a number from 0' },
      { function() plot.pie { 0, 0 } end, 'pie: sizes: expected a sum above 0' },
      { function() plot.pie({ 1, 2 }, { labels = { 'a' } }) end, 'pie: labels: 1, expected one for each size' },
      { function() plot.boxplot({ 1, 2 }, { labels = { 'a', 'b' } }) end, 'boxplot: labels: 2, expected one for each of 1 groups' },
      { function() plot.boxplot({ 1, 2 }, { whis = 'x' }) end, 'boxplot: whis: .x., expected a number' },
      { function() plot.violin({ 1 }, { notch = true }) end, 'violin: options: notch' },
      { function() plot.contourf(torch.ones(2, 2), { levels = { 1 } }) end, 'contourf: levels: expected two or more' },
      { function() plot.contourf(torch.ones(2, 2), { levels = { 2, 1 } }) end, 'contourf: levels: expected rising numbers' },
      { function() plot.pcolormesh({ 1 }, { 1, 2 }, torch.ones(2, 2)) end, 'pcolormesh: x: 1 numbers, expected 3 edges or 2 middles' },
      { function() plot.hist2d({ 1 }, { 1, 2 }) end, 'hist2d: y: 2 numbers, expected 1' },
      { function() plot.quiver({ 1 }, { 1 }, { 1 }) end, 'quiver: arguments: 3, expected x, y, u, v, or u, v' },
      { function() plot.quiver({ 1 }, { 1 }, { pivot = 'x' }) end, "quiver: pivot: x, expected 'tail', 'middle' or 'tip'" },
      { function() plot.annotate('x', { 1 }) end, 'annotate: xy: 1 numbers, expected 2' },
      { function() plot.plot({ 'a', 'b' }, { 1 }) end, 'plot: x: 2 names, expected 1' },
      { function() plot.contourf(torch.eye(3), { levels = 1001 }) end, 'contourf: levels: 1001, expected a whole number from 1 to 1000' },
      { function() plot.contour(torch.eye(3), { levels = 1001 }) end, 'contour: levels: 1001, expected a whole number from 1 to 1000' },
      { function() plot.axhline(math.huge) end, 'axhline: y: inf, expected a finite number' },
      { function() plot.axvline(-math.huge) end, 'axvline: x: %-inf, expected a finite number' },
      { function() plot.annotate('x', { 1, 0 / 0 }) end, 'annotate: xy%[2%]: %-?nan, expected a finite number' },
      { function() plot.annotate('x', { 1, 1 }, { xytext = { math.huge, 1 } }) end, 'annotate: xytext%[1%]: inf, expected' },
    } do
      plot.close()
      assert.error_matches(case[1], case[2])
    end
  end)
end)
