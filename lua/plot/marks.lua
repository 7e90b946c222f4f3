--- Markers of points, and dashes of lines, by matplotlib's names.
-- @module plot.marks
local check = require 'torch.check'

local marks = {}

local function polygon(count, turn)
  return function(canvas, x, y, r, style)
    local points = {}
    for i = 0, count - 1 do
      local angle = turn + 2 * math.pi * i / count
      points[#points + 1], points[#points + 2] = x + r * math.sin(angle), y - r * math.cos(angle)
    end
    canvas:path(points, { fill = style.color, alpha = style.alpha, closed = true })
  end
end

local function strokes(list)
  return function(canvas, x, y, r, style)
    for _, s in ipairs(list) do
      canvas:path({ x + r * s[1], y + r * s[2], x + r * s[3], y + r * s[4] }, { stroke = style.color, width = 1.5, alpha = style.alpha })
    end
  end
end

local plus, cross = { { -1, 0, 1, 0 }, { 0, -1, 0, 1 } }, { { -0.75, -0.75, 0.75, 0.75 }, { -0.75, 0.75, 0.75, -0.75 } }
local star = { plus[1], plus[2], cross[1], cross[2] }

local markers = {
  o = function(canvas, x, y, r, style) canvas:circle(x, y, r, { fill = style.color, alpha = style.alpha }) end,
  ['.'] = function(canvas, x, y, r, style) canvas:circle(x, y, r / 2, { fill = style.color, alpha = style.alpha }) end,
  s = polygon(4, math.pi / 4), D = polygon(4, 0), ['^'] = polygon(3, 0), v = polygon(3, math.pi), ['<'] = polygon(3, -math.pi / 2),
  ['>'] = polygon(3, math.pi / 2), p = polygon(5, 0), h = polygon(6, 0), ['+'] = strokes(plus), x = strokes(cross), ['*'] = strokes(star),
}

local dashes = {
  ['-'] = false, solid = false, ['--'] = '5.5 2.4', dashed = '5.5 2.4', [':'] = '1.5 2.5', dotted = '1.5 2.5', ['-.'] = '9.6 2.4 1.5 2.4',
  dashdot = '9.6 2.4 1.5 2.4',
}

--- The function that draws a marker.
-- @string where prefix of error messages
-- @string name o . s D ^ v < > p h + x *
-- @treturn function (canvas, x, y, radius, style)
function marks.marker(where, name)
  return markers[name] or check.raise(('%s: marker: %s, expected one of o . s D ^ v < > p h + x *'):format(where, tostring(name)))
end

--- The dashes of a line.
-- @string where
-- @string name '-', '--', ':', '-.', or their names in words; 'none' and '' mean no line
-- @treturn ?string in SVG's form
-- @treturn boolean whether there is a line
function marks.dash(where, name)
  if name == 'none' or name == '' then return nil, false end
  if dashes[name] == nil then
    check.raise(("%s: linestyle: %s, expected '-', '--', ':', '-.' or 'none'"):format(where, tostring(name)))
  end
  return dashes[name] or nil, true
end

--- Parses a format of matplotlib: 'r--o' is a red dashed line with circles.
-- @string where
-- @string text
-- @treturn table `color`, `linestyle`, `marker`
function marks.format(where, text)
  local style, rest = {}, text
  for _, dash in ipairs { '--', '-.', '-', ':' } do
    local at = rest:find(dash, 1, true)
    if at then
      style.linestyle, rest = dash, rest:sub(1, at - 1) .. rest:sub(at + #dash)
      break
    end
  end
  local cycled = rest:match 'C%d'
  if cycled then style.color, rest = cycled, rest:gsub('C%d', '', 1) end
  for letter in rest:gmatch '.' do
    if markers[letter] and not style.marker then
      style.marker = letter
    elseif letter:find '[rgbcmykw]' and not style.color then
      style.color = letter
    else
      check.raise(("%s: format: '%s', expected a colour (rgbcmykw), a marker and a line such as 'r--o'"):format(where, text))
    end
  end
  if style.marker and not style.linestyle then style.linestyle = 'none' end
  return style
end

return marks
