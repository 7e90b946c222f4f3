--- Methods of axes: logarithmic plots, steps, stems, pies, annotations with arrows.
-- @module plot.shapes
local check = require 'torch.check'
local artists, notes, colors = require 'plot.artists', require 'plot.note_artists', require 'plot.colors'
local style, values = require 'plot.style', require 'plot.values'

local shapes = {}

--- A line with a logarithmic x axis.
-- @param ... as for `plot`
-- @treturn plot.Axes itself
function shapes:semilogx(...) return self:plot(...):xscale 'log' end

--- A line with a logarithmic y axis.
-- @param ... as for `plot`
-- @treturn plot.Axes itself
function shapes:semilogy(...) return self:plot(...):yscale 'log' end

--- A line with two logarithmic axes.
-- @param ... as for `plot`
-- @treturn plot.Axes itself
function shapes:loglog(...) return self:plot(...):xscale 'log':yscale 'log' end

-- Corners of steps: the level changes at the point, at the previous one, or between them.
local corners = {
  pre = function(xs, i) return { xs[i - 1] } end,
  post = function(xs, i) return { xs[i] } end,
  mid = function(xs, i) return { (xs[i - 1] + xs[i]) / 2 } end,
}

--- A step function.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor y
-- @tparam[opt] table options `where`: 'pre' (the value is y[i] from x[i - 1] to x[i]), 'post' (from x[i] on) or 'mid'; and those of `plot`
-- @treturn plot.Axes itself
function shapes:step(x, y, options)
  options = check.options('step', options, { 'where', unpack(style.lineOptions) })
  local corner = corners[options.where or 'pre']
  check.that(corner, ("step: where: %s, expected 'pre', 'post' or 'mid'"):format(tostring(options.where)))
  local xs = values.places(self.x, 'step', 'x', x)
  local ys = values.list('step', 'y', y, #xs)
  local px, py = { xs[1] }, { ys[1] }
  for i = 2, #xs do
    local at = corner(xs, i)[1]
    for _, point in ipairs { { at, ys[i - 1] }, { at, ys[i] }, { xs[i], ys[i] } } do
      px[#px + 1], py[#py + 1] = point[1], point[2]
    end
  end
  local line = style.line(self, 'step', options)
  local marker = line.marker
  line.marker = nil
  style.add(self, artists.line(px, py, line))
  if not marker then return self end
  local points = style.merged(line, { marker = marker, hasLine = false })
  points.label = nil
  return style.add(self, artists.line(xs, ys, points))
end

--- Vertical lines from a base to points.
-- @param x positions or names
-- @tparam torch.Tensor y
-- @tparam[opt] table options `bottom` (0), `basecolor` ('C3'), and those of `plot`, with `marker` 'o' by default
-- @treturn plot.Axes itself
function shapes:stem(x, y, options)
  options = check.options('stem', options, { 'bottom', 'basecolor', unpack(style.lineOptions) })
  local xs = values.places(self.x, 'stem', 'x', x)
  local ys = values.list('stem', 'y', y, #xs)
  local line = style.line(self, 'stem', style.merged({ marker = 'o' }, options))
  local base = check.number('stem', 'bottom', options.bottom or 0)
  local upright = style.merged(line, { marker = false, label = false })
  for i = 1, #xs do style.add(self, artists.line({ xs[i], xs[i] }, { base, ys[i] }, upright)) end
  local low, high = values.range(xs, function(at) return at == at and math.abs(at) < math.huge end)
  if low then
    style.add(self, artists.line({ low, high }, { base, base }, {
      color = colors.of('stem', options.basecolor or 'C3'), width = 1.5, hasLine = true, alpha = line.alpha,
    }))
  end
  line.hasLine = false
  return style.add(self, artists.line(xs, ys, line))
end

-- A fraction as text, by a format of string.format or a function.
local function shareText(autopct, share)
  if type(autopct) == 'function' then return tostring(autopct(share * 100)) end
  return check.text('pie', 'autopct', autopct):format(share * 100)
end

--- A pie chart.
-- @tparam torch.Tensor sizes not negative; their sum is the full disc
-- @tparam[opt] table options `labels`, `colors`, `explode` (distance of each from the centre, in radii), `autopct` (text in each: a
-- format such as '%.1f%%', or a function of the percentage), `startangle` (degrees from the right, anticlockwise), `counterclock` (true),
-- `edgecolor`
-- @treturn plot.Axes itself
function shapes:pie(sizes, options)
  options = check.options('pie', options, { 'labels', 'colors', 'explode', 'autopct', 'startangle', 'counterclock', 'edgecolor' })
  local list, total = values.list('pie', 'sizes', sizes), 0
  for i, size in ipairs(list) do
    check.that(size >= 0 and size < math.huge, ('pie: sizes[%d]: %s, expected a number from 0'):format(i, tostring(size)))
    total = total + size
  end
  check.that(total > 0, 'pie: sizes: expected a sum above 0')
  check.that(total < math.huge, 'pie: sizes: expected a finite sum')
  for _, name in ipairs { 'labels', 'colors' } do
    if options[name] ~= nil then
      check.table('pie', name, options[name])
      check.that(#options[name] == #list, ('pie: %s: %d, expected one for each size'):format(name, #options[name]))
    end
  end
  local explode = values.list('pie', 'explode', options.explode or 0, #list)
  local angle = math.rad(check.number('pie', 'startangle', options.startangle or 0))
  local turn = options.counterclock == false and -1 or 1
  local edge = options.edgecolor and colors.of('pie', options.edgecolor)
  for i, size in ipairs(list) do
    local after = angle + turn * 2 * math.pi * (size / total)
    local words = options.labels and tostring(options.labels[i])
    style.add(self, notes.wedge(angle, after, explode[i], {
      color = style.color(self, 'pie', options.colors and options.colors[i]), edge = edge, label = words, words = words,
      share = options.autopct and shareText(options.autopct, size / total),
    }))
    angle = after
  end
  self.equal, self.bare = true, true
  return self
end

--- A text for a point, with an arrow if the text is at another position.
-- @string text
-- @tparam {number,number} xy the point
-- @tparam[opt] table options `xytext` ({x, y}, beginning of the text), `arrow` (true with xytext), `color`, `arrowcolor`, `size` (10),
-- `anchor` ('start', 'middle', 'end')
-- @treturn plot.Axes itself
function shapes:annotate(text, xy, options)
  options = check.options('annotate', options, { 'xytext', 'arrow', 'arrowprops', 'color', 'arrowcolor', 'size', 'anchor' })
  local function place(name, point)
    if self.x.kind.isDate and type(point) == 'table' then point = { values.date('annotate', name .. '[1]', point[1]), point[2] } end
    local list = values.list('annotate', name, point, 2)
    for i = 1, 2 do values.finite('annotate', ('%s[%d]'):format(name, i), list[i]) end
    return list
  end
  local at = place('xy', xy)
  local from = place('xytext', options.xytext or at)
  local color = colors.of('annotate', options.color or 'black')
  local props = type(options.arrowprops) == 'table' and options.arrowprops or {}
  return style.add(self, notes.annotation(check.text('annotate', 'text', text), at, from, {
    color = color, size = check.number('annotate', 'size', options.size or 10, { min = 1 }), anchor = options.anchor or 'start',
    arrow = options.xytext ~= nil and options.arrow ~= false and colors.of('annotate', options.arrowcolor or props.color or color),
  }))
end

return shapes
