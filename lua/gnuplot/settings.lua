--- Titles, axes and other settings of a figure.
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

--- Sets the title above the figure. The text is drawn literally.
-- @function gnuplot.title
-- @string label
settings.title = labelled 'title'

--- Sets the label of the x axis.
-- @function gnuplot.xlabel
-- @string label
settings.xlabel = labelled 'xlabel'

--- Sets the label of the y axis.
-- @function gnuplot.ylabel
-- @string label
settings.ylabel = labelled 'ylabel'

--- Sets the label of the z axis.
-- @function gnuplot.zlabel
-- @string label
settings.zlabel = labelled 'zlabel'

local words = { on = true, off = false, [1] = true, [0] = false, [true] = true, [false] = false }

local function toggled(where, toggle)
  if toggle == nil then return true end
  local is = words[toggle]
  check.that(is ~= nil, ("%s: toggle: %s, expected true, false, 'on' or 'off'"):format(where, tostring(toggle)))
  return is
end

--- Sets whether to draw lines at the axes' ticks.
-- @function gnuplot.grid
-- @tparam[opt=true] boolean|string toggle true, false, 'on' or 'off'
function settings.grid(toggle)
  set(toggled('gnuplot.grid', toggle) and 'set grid linecolor rgb "#c0c0c0"' or 'unset grid', 'grid')
end

--- Sets whether the y axis is logarithmic.
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
  check.raise(("gnuplot.movelegend: %s: %s, expected one of these: '%s'"):format(argument, tostring(name),
    table.concat({ ... }, "', '")))
end

--- Moves the legend.
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
    ("gnuplot.axis: range: %s, expected a number or ''"):format(tostring(value)))
  return ('%.17g'):format(value)
end

local shapes = {
  auto = 'set size noratio\nset autoscale', image = 'set size ratio -1\nset autoscale fix',
  equal = 'set size ratio -1\nset autoscale', fill = 'set size noratio\nset autoscale fix',
}

--- Sets the range and shape of the axes.
-- @function gnuplot.axis
-- @tparam string|table range 'auto'; 'image' or 'equal': equal units on both axes; 'fill' or 'image': no margin around the
-- data; or bounds { xmin, xmax, ymin, ymax }, where '' is automatic. A later shape doesn't change the bounds, except 'auto'.
function settings.axis(range)
  if type(range) == 'string' then
    local shape = shapes[range]
    check.that(shape, ("gnuplot.axis: range: '%s', expected 'auto', 'image', 'equal', 'fill' or a table"):format(range))
    if range == 'auto' then set('set xrange [*:*]\nset yrange [*:*]', 'range') end
    return set(shape, 'shape')
  end
  check.table('gnuplot.axis', 'range', range)
  set(('set xrange [%s:%s]\nset yrange [%s:%s]'):format(bound(range[1]), bound(range[2]), bound(range[3]), bound(range[4])), 'range')
end

-- Whether a raw command draws, and so replaces the drawing.
local function isDrawing(text) return text:find '^%s*s?plot%s' ~= nil end

--- Passes a command to gnuplot unchanged: `gnuplot.raw 'set xtics 1, 2'`. A command that plots replaces the figure's drawing.
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
