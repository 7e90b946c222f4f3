--- Styles from the options of axes' methods: colours of the cycle, widths, dashes, markers.
-- @module plot.style
local check = require 'torch.check'
local colors, marks = require 'plot.colors', require 'plot.marks'

local style = {}

--- The options of lines.
style.lineOptions = { 'color', 'label', 'linestyle', 'linewidth', 'marker', 'markersize', 'alpha' }

--- Adds an artist to axes.
-- @tparam plot.Axes axes
-- @tparam table artist
-- @treturn plot.Axes
function style.add(axes, artist)
  axes.artists[#axes.artists + 1] = artist
  return axes
end

--- The requested colour, or the next of the cycle.
-- @tparam plot.Axes axes
-- @string where prefix of error messages
-- @param given
-- @treturn string
function style.color(axes, where, given)
  if given then return colors.of(where, given) end
  axes.next = axes.next + 1
  return colors.cycle[(axes.next - 1) % #colors.cycle + 1]
end

--- The label, or nil.
function style.label(where, options) return options.label ~= nil and check.text(where, 'label', options.label) or nil end

--- The opacity.
function style.alpha(where, options, usual)
  return check.number(where, 'alpha', options.alpha == nil and (usual or 1) or options.alpha, { min = 0, max = 1 })
end

--- The width of lines.
function style.width(where, options, usual)
  return check.number(where, 'linewidth', options.linewidth == nil and usual or options.linewidth, { min = 0 })
end

--- The style from all options of a line.
-- @tparam plot.Axes axes
-- @string where
-- @tparam table options
-- @treturn table color, label, alpha, dash, hasLine, width, marker, size
function style.line(axes, where, options)
  local dash, hasLine = marks.dash(where, options.linestyle or '-')
  return {
    color = style.color(axes, where, options.color), label = style.label(where, options), alpha = style.alpha(where, options), dash = dash,
    hasLine = hasLine, width = style.width(where, options, 1.5), marker = options.marker and marks.marker(where, options.marker),
    size = check.number(where, 'markersize', options.markersize == nil and 6 or options.markersize, { min = 0 }),
  }
end

--- Merges options into a new table; those of `more` take precedence.
function style.merged(options, more)
  local all = {}
  for _, list in ipairs { options or {}, more or {} } do
    for key, value in pairs(list) do all[key] = value end
  end
  return all
end

return style
