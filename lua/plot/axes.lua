--- Axes: data with a frame, ticks and labels. Methods have matplotlib's names, with options in a final table.
-- @classmod plot.Axes
local torch = require 'torch'
local check = require 'torch.check'
local artists, colors, marks, values = require 'plot.artists', require 'plot.colors', require 'plot.marks', require 'plot.values'
local scale, style = require 'plot.scale', require 'plot.style'

local Axes = torch.class('plot.Axes', {})

local lineOptions = style.lineOptions

function Axes:__init()
  self.artists, self.next = {}, 0
  self.x = { kind = scale.kinds.linear, given = {} }
  self.y = { kind = scale.kinds.linear, given = {} }
  self.words, self.legends, self.grids = {}, nil, false
end

-- The representation in a notebook: the figure that contains the axes.
function Axes:__mime() return self.figure and self.figure:__mime() end

local add, colorFor, optionalLabel, alphaOf, widthOf = style.add, style.color, style.label, style.alpha, style.width
local lineStyle, merged = style.line, style.merged

local function isOptions(value) return type(value) == 'table' and #value == 0 and next(value) ~= nil end

local function plotArguments(where, ...)
  local list, format, options = {}, nil, nil
  for i = 1, select('#', ...) do
    local value = select(i, ...)
    if type(value) == 'string' and not format then
      format = value
    elseif not torch.typename(value) and (isOptions(value) or #list > 0 and type(value) == 'table' and next(value) == nil) then
      options = value
    elseif #list < 2 then
      list[#list + 1] = value
    else
      check.raise(('%s: argument %d: %s, expected x, y, a format and options'):format(where, i, tostring(value)))
    end
  end
  options = check.options(where, options, lineOptions)
  return list[1], list[2], format and merged(marks.format(where, format), options) or options
end

--- A line through points. NaN, and values without a logarithm on a logarithmic scale, are gaps.
-- @tparam[opt] torch.Tensor x default: 1, 2, ...; may be a list of numbers, or of names, each of which has a position on the axis
-- @tparam torch.Tensor y a two-dimensional tensor is a line for each column
-- @string[opt] format 'r--o': colour, line, marker
-- @tparam[opt] table options `color`, `label`, `linestyle` ('-', '--', ':', '-.', 'none'), `linewidth` (1.5),
-- `marker` (o . s D ^ v < > p h + x *), `markersize` (6), `alpha`
-- @treturn plot.Axes itself
-- @usage axes:plot(x, torch.sin(x), 'C1--', { label = 'sin x' })
function Axes:plot(...)
  local x, y, options = plotArguments('plot', ...)
  if y == nil then x, y = nil, x end
  if torch.isTensor(y) and y:dim() == 2 then
    for column = 1, y:size(2) do self:plot(x or torch.range(1, y:size(1)), y:select(2, column), options) end
    return self
  end
  local ys = values.places(self.y, 'plot', 'y', y)
  local xs = x ~= nil and values.places(self.x, 'plot', 'x', x, #ys) or {}
  if x == nil then
    for i = 1, #ys do xs[i] = i end
  end
  return add(self, artists.line(xs, ys, lineStyle(self, 'plot', options)))
end

--- Points.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor y
-- @tparam[opt] table options `s` (areas in square pixels, 36; a number, or one per point), `c` or `color` (a colour, or numbers to map by
-- `cmap`), `cmap` ('viridis'), `marker` ('o'), `alpha`, `label`
-- @treturn plot.Axes itself
function Axes:scatter(x, y, options)
  options = check.options('scatter', options, { 's', 'c', 'color', 'cmap', 'marker', 'alpha', 'label' })
  local xs = values.places(self.x, 'scatter', 'x', x)
  local ys = values.places(self.y, 'scatter', 'y', y, #xs)
  local c = options.c == nil and options.color or options.c
  local isNumbers = torch.isTensor(c) or type(c) == 'table' and #c == #xs and #xs ~= 3
  local list = isNumbers and artists.shades('scatter', values.list('scatter', 'c', c, #xs), options.cmap or 'viridis')
  if not list then
    local color = colorFor(self, 'scatter', c)
    list = setmetatable({}, { __index = function() return color end })
  end
  return add(self, artists.scatter(xs, ys, {
    sizes = values.list('scatter', 's', options.s == nil and 36 or options.s, #xs), colors = list, alpha = alphaOf('scatter', options),
    marker = marks.marker('scatter', options.marker or 'o'), label = optionalLabel('scatter', options),
  }))
end

local barOptions = { 'width', 'height', 'bottom', 'left', 'color', 'edgecolor', 'alpha', 'label', 'align' }

local function bars(self, where, along, x, lengths, thickness, base, options)
  local at = values.places(along, where, 'x', x)
  lengths, base = values.list(where, 'height', lengths, #at), values.list(where, 'bottom', base or 0, #at)
  thickness = values.list(where, 'width', thickness or 0.8, #at)
  local boxes = {}
  for i = 1, #at do
    local first = options.align == 'edge' and at[i] or at[i] - thickness[i] / 2
    boxes[i] = { first, first + thickness[i], base[i], base[i] + lengths[i] }
    if along == self.y then boxes[i] = { boxes[i][3], boxes[i][4], boxes[i][1], boxes[i][2] } end
  end
  return add(self, artists.bars(boxes, {
    color = colorFor(self, where, options.color), alpha = alphaOf(where, options), label = optionalLabel(where, options),
    edge = options.edgecolor and colors.of(where, options.edgecolor), upright = along == self.x,
  }))
end

--- Vertical bars.
-- @param x positions, or a list of names
-- @param height where it is NaN, no bar is drawn
-- @tparam[opt] table options `width` (0.8), `bottom` (0), `color`, `edgecolor`, `alpha`, `label`, `align` ('center' or 'edge')
-- @treturn plot.Axes itself
function Axes:bar(x, height, options)
  options = check.options('bar', options, barOptions)
  return bars(self, 'bar', self.x, x, height, options.width, options.bottom, options)
end

--- Horizontal bars.
-- @param y positions, or a list of names
-- @param width
-- @tparam[opt] table options `height` (0.8), `left` (0), and those of `bar`
-- @treturn plot.Axes itself
function Axes:barh(y, width, options)
  options = check.options('barh', options, barOptions)
  return bars(self, 'barh', self.y, y, width, options.height, options.left, options)
end

--- A histogram: counts of values in bins.
-- @tparam torch.Tensor x
-- @tparam[opt] table options `bins` (10; a number, or their edges), `range` ({low, high}), `density` (the area is 1), `cumulative`,
-- `color`, `edgecolor`, `alpha`, `label`
-- @treturn plot.Axes itself
-- @treturn {number,...} counts
-- @treturn {number,...} edges
function Axes:hist(x, options)
  options = check.options('hist', options, { 'bins', 'range', 'density', 'cumulative', 'color', 'edgecolor', 'alpha', 'label' })
  local counts, edges = require 'plot.histogram'(values.list('hist', 'x', x), options)
  local at, thickness = {}, {}
  for i = 1, #counts do at[i], thickness[i] = edges[i], edges[i + 1] - edges[i] end
  options = merged(options, { align = 'edge' })
  bars(self, 'hist', self.x, at, counts, thickness, 0, options)
  return self, counts, edges
end

--- The area between two lines.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor lower or a number
-- @tparam torch.Tensor upper or a number
-- @tparam[opt] table options `color`, `alpha`, `label`
-- @treturn plot.Axes itself
function Axes:fillBetween(x, lower, upper, options)
  options = check.options('fillBetween', options, { 'color', 'alpha', 'label' })
  local xs = values.list('fillBetween', 'x', x)
  return add(self, artists.area(xs, values.list('fillBetween', 'lower', lower, #xs), values.list('fillBetween', 'upper', upper or 0, #xs), {
    color = colorFor(self, 'fillBetween', options.color), alpha = alphaOf('fillBetween', options),
    label = optionalLabel('fillBetween', options),
  }))
end

-- Error bars along one axis. Errors are numbers for both sides, or {below, above}.
local function errors(self, xs, ys, given, upright, look)
  if given == nil then return end
  local isPair = type(given) == 'table' and #given == 2 and type(given[1]) ~= 'number'
  local below = values.list('errorbar', upright and 'yerr' or 'xerr', isPair and given[1] or given, #xs)
  local above = isPair and values.list('errorbar', upright and 'yerr' or 'xerr', given[2], #xs) or below
  local list = {}
  for i = 1, #xs do
    list[i] = upright and { xs[i], ys[i] - below[i], xs[i], ys[i] + above[i] } or { xs[i] - below[i], ys[i], xs[i] + above[i], ys[i] }
  end
  add(self, artists.errorbars(list, { color = look.color, width = look.width, cap = look.cap, upright = upright }))
end

--- A line with error bars.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor y
-- @tparam[opt] table options `yerr`, `xerr` (a number, one for each point, or {below, above}), `capsize` (3), and those of `plot`
-- @treturn plot.Axes itself
function Axes:errorbar(x, y, options)
  options = check.options('errorbar', options, { 'yerr', 'xerr', 'capsize', unpack(lineOptions) })
  local xs = values.places(self.x, 'errorbar', 'x', x)
  local ys = values.list('errorbar', 'y', y, #xs)
  local look = lineStyle(self, 'errorbar', options)
  look.cap = check.number('errorbar', 'capsize', options.capsize == nil and 3 or options.capsize, { min = 0 })
  errors(self, xs, ys, options.yerr, true, look)
  errors(self, xs, ys, options.xerr, false, look)
  return add(self, artists.line(xs, ys, look))
end

-- A picture's pixels: from a matrix by a colour map, or from three planes as red, green and blue.
local function pixelsOf(image, options)
  local strings = {}
  if image:dim() == 3 then
    local planes = image:double()
    if image:type() == 'torch.ByteTensor' then planes = planes / 255 end
    local bytes = torch.round(torch.clamp(planes, 0, 1) * 255):byte():permute(2, 3, 1):contiguous():view(-1)
    return { width = image:size(3), height = image:size(2), rgb = bytes:storage():string() }
  end
  local matrix = values.matrix('imshow', 'image', image)
  local list = matrix:view(-1):totable()
  local low, high = values.range(list, function(x) return x == x and math.abs(x) < math.huge end)
  low, high = options.vmin or low or 0, options.vmax or high or 1
  local map = colors.map('imshow', options.cmap or 'viridis')
  for i, x in ipairs(list) do strings[i] = string.char(map(high > low and (x - low) / (high - low) or 0)) end
  return { width = matrix:size(2), height = matrix:size(1), rgb = table.concat(strings) }, low, high
end

--- A matrix as a picture; the first row is on top.
-- @tparam torch.Tensor image (H, W), shown by a colour map, or (3, H, W): red, green, blue from 0 to 1, or bytes
-- @tparam[opt] table options `cmap` ('viridis'), `vmin`, `vmax`, `extent` ({left, right, bottom, top}), `aspect` ('equal' or 'auto'),
-- `origin` ('upper' or 'lower'), `colorbar` (true)
-- @treturn plot.Axes itself
function Axes:imshow(image, options)
  options = check.options('imshow', options, { 'cmap', 'vmin', 'vmax', 'extent', 'aspect', 'origin', 'colorbar' })
  if type(image) == 'table' then image = values.matrix('imshow', 'image', image) end
  local isPicture = torch.isTensor(image) and image:nElement() > 0 and (image:dim() == 2 or image:dim() == 3 and image:size(1) == 3)
  check.that(isPicture, 'imshow: image: expected a matrix, or a tensor of 3 x height x width')
  local lower = options.origin == 'lower'
  local shown = lower and image:flip(image:dim() - 1) or image
  local pixels, low, high = pixelsOf(shown, options)
  local h, w = pixels.height, pixels.width
  local extent = options.extent and values.list('imshow', 'extent', options.extent, 4)
  extent = extent or (lower and { 0.5, w + 0.5, 0.5, h + 0.5 } or { 0.5, w + 0.5, h + 0.5, 0.5 })
  if extent[3] > extent[4] then self.y.inverted = true end
  self.equal = options.aspect ~= 'auto'
  if options.colorbar and low then self.colorbar = { map = colors.map('imshow', options.cmap or 'viridis'), low = low, high = high } end
  return add(self, artists.image(pixels, extent))
end

--- Contour lines.
-- @tparam torch.Tensor z a matrix; or three arguments x, y, z, first the positions of its columns and rows
-- @param ... the matrix after the positions, and options: `levels` (7; a number up to 1000, or a list), `cmap` ('viridis'), `color`,
-- `linewidth`
-- @treturn plot.Axes itself
function Axes:contour(...)
  local arguments, options = { ... }, nil
  if isOptions(arguments[#arguments]) and not torch.isTensor(arguments[#arguments]) then options = table.remove(arguments) end
  options = check.options('contour', options, { 'levels', 'cmap', 'color', 'linewidth' })
  local z = values.matrix('contour', 'z', arguments[#arguments])
  local xs, ys = {}, {}
  for i = 1, z:size(2) do xs[i] = i end
  for i = 1, z:size(1) do ys[i] = i end
  if #arguments == 3 then
    xs, ys = values.list('contour', 'x', arguments[1], z:size(2)), values.list('contour', 'y', arguments[2], z:size(1))
  end
  local levels = options.levels or 7
  if type(levels) == 'number' then
    check.int('contour', 'levels', levels, { min = 1, max = 1000 })
    levels = require('plot.ticks').linear(z:min(), math.max(z:max(), z:min() + 1e-300), levels)
  else
    levels = values.list('contour', 'levels', levels)
  end
  local shades = artists.shades('contour', levels, options.cmap or 'viridis')
  if options.color then
    for i = 1, #levels do shades[i] = colors.of('contour', options.color) end
  end
  return add(self, artists.contours(xs, ys, z, levels, shades, widthOf('contour', options, 1.2)))
end

local function across(which, where)
  return function(self, at, options)
    if self[which].kind.isDate then at = values.date(where, which, at) end
    values.finite(where, which, check.number(where, which, at))
    options = check.options(where, options, lineOptions)
    return add(self, artists.across(which, at, lineStyle(self, where, options)))
  end
end

--- A horizontal line over the full width.
-- @function axhline
-- @number y
-- @tparam[opt] table options those of `plot`
-- @treturn plot.Axes itself
Axes.axhline = across('y', 'axhline')

--- A vertical line over the full height.
-- @function axvline
-- @tparam number|string x a text is a date, on an axis of dates
-- @tparam[opt] table options those of `plot`
-- @treturn plot.Axes itself
Axes.axvline = across('x', 'axvline')

--- A text at a position in data coordinates.
-- @tparam number|string x a text is a date, on an axis of dates
-- @number y
-- @string text
-- @tparam[opt] table options `size` (10), `color`, `anchor` ('start', 'middle', 'end'), `rotate` (degrees, clockwise)
-- @treturn plot.Axes itself
function Axes:text(x, y, text, options)
  options = check.options('text', options, { 'size', 'color', 'anchor', 'rotate' })
  if self.x.kind.isDate then x = values.date('text', 'x', x) end
  if self.y.kind.isDate then y = values.date('text', 'y', y) end
  return add(self, artists.text(check.number('text', 'x', x), check.number('text', 'y', y), check.text('text', 'text', text), {
    size = options.size or 10, color = colors.of('text', options.color or 'black'), anchor = options.anchor, rotate = options.rotate,
  }))
end

local function wording(where)
  return function(self, text)
    self.words[where] = check.text(where, 'text', text)
    return self
  end
end

--- Sets the title above the axes.
-- @function title
-- @string text
-- @treturn plot.Axes itself
Axes.title = wording 'title'

--- Sets the label below the axes.
-- @function xlabel
-- @string text
-- @treturn plot.Axes itself
Axes.xlabel = wording 'xlabel'

--- Sets the label to the left of the axes.
-- @function ylabel
-- @string text
-- @treturn plot.Axes itself
Axes.ylabel = wording 'ylabel'

local function limiting(which, where)
  return function(self, low, high)
    if type(low) == 'table' then low, high = low[1], low[2] end
    local axis = self[which]
    if axis.kind.isDate then low, high = values.date(where, 'low', low), values.date(where, 'high', high) end
    for name, value in pairs { low = low, high = high } do check.number(where, name, value) end
    for _, value in pairs { low = low, high = high } do
      check.that(axis.kind.shows(value), ('%s: %s, expected a number that the scale shows'):format(where, tostring(value)))
    end
    axis.given = { low, high }
    return self
  end
end

--- Sets the limits of x; either may be nil.
-- @function xlim
-- @tparam number|string low a text is a date, on an axis of dates
-- @tparam number|string high
-- @treturn plot.Axes itself
Axes.xlim = limiting('x', 'xlim')

--- Sets the limits of y; either may be nil.
-- @function ylim
-- @number low
-- @number high
-- @treturn plot.Axes itself
Axes.ylim = limiting('y', 'ylim')

local function scaling(which, where)
  return function(self, name)
    local kind = scale.kinds[name]
    check.that(kind, ("%s: %s, expected 'linear', 'log' or 'date'"):format(where, tostring(name)))
    self[which].kind = kind
    return self
  end
end

--- Sets the scale of x: 'linear', 'log', or 'date' for seconds since 1970 and texts such as '2024-05-31'.
-- @function xscale
-- @string name
-- @treturn plot.Axes itself
Axes.xscale = scaling('x', 'xscale')

--- Sets the scale of y: 'linear', 'log' or 'date'.
-- @function yscale
-- @string name
-- @treturn plot.Axes itself
Axes.yscale = scaling('y', 'yscale')

local function marking(which, where)
  return function(self, at, labels)
    self[which].ticks = values.list(where, 'ticks', at)
    if labels ~= nil then
      check.table(where, 'labels', labels)
      check.that(#labels == #self[which].ticks, ('%s: labels: %d, expected one for each tick'):format(where, #labels))
    end
    self[which].labels = labels
    return self
  end
end

--- Sets the ticks of x and their labels.
-- @function xticks
-- @tparam {number,...} at
-- @tparam[opt] {string,...} labels
-- @treturn plot.Axes itself
Axes.xticks = marking('x', 'xticks')

--- Sets the ticks of y and their labels.
-- @function yticks
-- @tparam {number,...} at
-- @tparam[opt] {string,...} labels
-- @treturn plot.Axes itself
Axes.yticks = marking('y', 'yticks')

--- Draws lines at the ticks.
-- @bool[opt=true] on
-- @treturn plot.Axes itself
function Axes:grid(on)
  self.grids = on ~= false
  return self
end

local corners = { ['upper right'] = true, ['upper left'] = true, ['lower left'] = true, ['lower right'] = true, best = true }

--- Adds a legend.
-- @tparam[opt] table options `loc`: 'best' (the corner with the fewest points), 'upper right', 'upper left', 'lower left', 'lower right'
-- @treturn plot.Axes itself
function Axes:legend(options)
  if type(options) == 'table' and options[1] ~= nil then
    check.raise "legend: a list of names, expected options: a line brings its name itself, plot(x, y, { label = 'name' })"
  end
  options = check.options('legend', options, { 'loc' })
  local loc = options.loc or 'best'
  check.that(corners[loc],
    ("legend: loc: %s, expected 'best', 'upper right', 'upper left', 'lower left' or 'lower right'"):format(tostring(loc)))
  self.legends = loc
  return self
end

for _, part in ipairs { 'plot.shapes', 'plot.spreads', 'plot.fields', 'plot.twins' } do
  for name, method in pairs(require(part)) do Axes[name] = method end
end
require 'plot.columns'(Axes)

return Axes
