--- Titles, axes and the rest of what a figure has beside its curves.
-- @module gnuplot
local check = require 'torch.check'
local figures, quote = require 'gnuplot.figures', require 'gnuplot.quote'

local settings = {}

local function set(text, key) figures.current():set(text, key) end

local function labelled(name)
  return function(label)
    label = check.text('gnuplot.' .. name, 'label', label)
    set(('set %s %s noenhanced'):format(name, quote.text(label)), name)
  end
end

--- The title above the figure. The text is drawn as it is.
-- @function gnuplot.title
-- @string label
settings.title = labelled 'title'

--- The name of the x axis.
-- @function gnuplot.xlabel
-- @string label
settings.xlabel = labelled 'xlabel'

--- The name of the y axis.
-- @function gnuplot.ylabel
-- @string label
settings.ylabel = labelled 'ylabel'

--- The name of the z axis.
-- @function gnuplot.zlabel
-- @string label
settings.zlabel = labelled 'zlabel'

local words = { on = true, off = false, [1] = true, [0] = false, [true] = true, [false] = false }

local function toggled(where, toggle)
  if toggle == nil then return true end
  local is = words[toggle]
  check.that(is ~= nil, ("%s: toggle: %s came, true, false, 'on' or 'off' was expected"):format(where, tostring(toggle)))
  return is
end

--- Whether there are lines at the axes' ticks.
-- @function gnuplot.grid
-- @tparam[opt=true] boolean|string toggle true, false, 'on' or 'off'
function settings.grid(toggle)
  set(toggled('gnuplot.grid', toggle) and 'set grid linecolor rgb "#c0c0c0"' or 'unset grid', 'grid')
end

--- Whether the y axis is logarithmic.
-- @function gnuplot.logscale
-- @tparam[opt=true] boolean|string toggle true, false, 'on' or 'off'
function settings.logscale(toggle)
  set(toggled('gnuplot.logscale', toggle) and 'set logscale y' or 'unset logscale y', 'logscale')
end

local places = { left = true, right = true, center = true, bottom = true, top = true, middle = 'center' }

local function place(argument, name, ...)
  for i = 1, select('#', ...) do
    if name == select(i, ...) then return places[name] == true and name or places[name] end
  end
  check.raise(("gnuplot.movelegend: %s: %s came, one of these was expected: '%s'"):format(argument, tostring(name),
    table.concat({ ... }, "', '")))
end

--- Puts the legend elsewhere.
-- @function gnuplot.movelegend
-- @string horizontal 'left', 'right' or 'center'
-- @string vertical 'bottom', 'top' or 'middle'
function settings.movelegend(horizontal, vertical)
  local column = place('horizontal', horizontal, 'left', 'right', 'center')
  local row = place('vertical', vertical, 'bottom', 'top', 'middle')
  set(('set key %s %s'):format(column, row), 'legend')
end

local function bound(value)
  if value == nil or value == '' then return '*' end
  check.that(type(value) == 'number' and value - value == 0,
    ("gnuplot.axis: range: %s came, a number or '' was expected"):format(tostring(value)))
  return ('%.17g'):format(value)
end

local shapes = {
  auto = 'set size noratio\nset autoscale', image = 'set size ratio -1\nset autoscale fix',
  equal = 'set size ratio -1\nset autoscale', fill = 'set size noratio\nset autoscale fix',
}

--- What the axes show.
-- @function gnuplot.axis
-- @tparam string|table range 'auto'; 'image' or 'equal': a step is as long on either axis; 'fill' or 'image': there is no room beside the
-- data; or bounds { xmin, xmax, ymin, ymax }, of which '' is free. Bounds stay with a shape that comes later, but for 'auto'.
function settings.axis(range)
  if type(range) == 'string' then
    local shape = shapes[range]
    check.that(shape, ("gnuplot.axis: range: '%s' came, 'auto', 'image', 'equal', 'fill' or a table was expected"):format(range))
    if range == 'auto' then set('set xrange [*:*]\nset yrange [*:*]', 'range') end
    return set(shape, 'shape')
  end
  check.table('gnuplot.axis', 'range', range)
  set(('set xrange [%s:%s]\nset yrange [%s:%s]'):format(bound(range[1]), bound(range[2]), bound(range[3]), bound(range[4])), 'range')
end

-- A raw command that draws, and takes the place of the drawing.
local function isDrawing(text) return text:find '^%s*s?plot%s' ~= nil end

--- Hands a command to gnuplot as it is: `gnuplot.raw 'set xtics 1, 2'`. One that plots takes the place of the figure's drawing.
-- @function gnuplot.raw
-- @string command
function settings.raw(command)
  command = check.text('gnuplot.raw', 'command', command)
  local figure = figures.current()
  if isDrawing(command) then
    return figure:draw { data = {}, before = {}, command = function() return command end }
  end
  if command:find '^%s*replot' and figure:last() then return figure:follow(command) end
  if command:find '^%s*set%s+multiplot' then figure:beginMultiple() end
  figure:set(command)
  if command:find '^%s*unset%s+multiplot' and (figure.target.isText or figure.target.isWindow) then figure:flush() end
end

return settings
