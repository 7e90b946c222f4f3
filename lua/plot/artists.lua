--- The contents of axes: each artist has the limits of its data, and draws itself on a canvas through the axes' map of values to pixels.
-- @module plot.artists
local ffi = require 'ffi'
local colors, contours, values = require 'plot.colors', require 'plot.contours', require 'plot.values'

local artists = {}

local function extend(low, high, a, b)
  if a and (not low or a < low) then low = a end
  if b and (not high or b > high) then high = b end
  return low, high
end

local function rangesOf(xs, ys)
  return function(axes)
    local xlow, xhigh = values.range(xs, axes.x.kind.shows)
    local ylow, yhigh = values.range(ys, axes.y.kind.shows)
    return xlow, xhigh, ylow, yhigh
  end
end

-- Draws runs of consecutive points that can be shown, as pixels.
local function runs(map, xs, ys, draw)
  local run = {}
  for i = 1, #xs do
    local x, y = map(xs[i], ys[i])
    if x then
      run[#run + 1], run[#run + 2] = x, y
    elseif #run > 0 then
      draw(run)
      run = {}
    end
  end
  if #run > 0 then draw(run) end
end

--- A line, optionally with markers.
-- @tparam {number,...} xs
-- @tparam {number,...} ys
-- @tparam table style `color`, `width`, `dash`, `hasLine`, `marker`, `size`, `alpha`, `label`
function artists.line(xs, ys, style)
  local artist = { label = style.label, limits = rangesOf(xs, ys), xs = xs, ys = ys }
  local stroke = { stroke = style.color, width = style.width, dash = style.dash, alpha = style.alpha }
  function artist.draw(canvas, map)
    if style.hasLine then runs(map, xs, ys, function(run) canvas:path(run, stroke) end) end
    if not style.marker then return end
    for i = 1, #xs do
      local x, y = map(xs[i], ys[i])
      if x then style.marker(canvas, x, y, style.size / 2, style) end
    end
  end
  function artist.key(canvas, x, y, width)
    if style.hasLine then canvas:path({ x, y, x + width, y }, stroke) end
    if style.marker then style.marker(canvas, x + width / 2, y, style.size / 2, style) end
  end
  return artist
end

--- Points, each with a size and a colour.
-- @tparam {number,...} xs
-- @tparam {number,...} ys
-- @tparam table style `marker`, `sizes` (areas), `colors`, `alpha`, `label`
function artists.scatter(xs, ys, style)
  local artist = { label = style.label, limits = rangesOf(xs, ys), xs = xs, ys = ys }
  local function one(canvas, x, y, i)
    style.marker(canvas, x, y, math.sqrt(style.sizes[i] / math.pi), { color = style.colors[i], alpha = style.alpha })
  end
  function artist.draw(canvas, map)
    for i = 1, #xs do
      local x, y = map(xs[i], ys[i])
      if x then one(canvas, x, y, i) end
    end
  end
  function artist.key(canvas, x, y, width)
    if #xs > 0 then one(canvas, x + width / 2, y, 1) end
  end
  return artist
end

local function swatch(style)
  return function(canvas, x, y, width)
    canvas:rect(x, y - 4, width, 8, { fill = style.color, alpha = style.alpha, stroke = style.edge, width = 1 })
  end
end

--- Bars from a base. A bar with a NaN is not drawn.
-- @tparam {table,...} boxes {x1, x2, y1, y2} each
-- @tparam table style `color` or `colors`, `alpha`, `edge`, `label`, `upright`
function artists.bars(boxes, style)
  local artist = { label = style.label, key = swatch(style), sticky = style.upright and 'y' or 'x' }
  function artist.limits(axes)
    local xl, xh, yl, yh
    for _, box in ipairs(boxes) do
      local a, b = values.range({ box[1], box[2] }, axes.x.kind.shows)
      local c, d = values.range({ box[3], box[4] }, axes.y.kind.shows)
      xl, xh = extend(xl, xh, a, b)
      yl, yh = extend(yl, yh, c, d)
    end
    return xl, xh, yl, yh
  end
  function artist.draw(canvas, _, clamp)
    for i, box in ipairs(boxes) do
      local xa, ya = clamp(box[1], box[3])
      local xb, yb = clamp(box[2], box[4])
      if xa and xb and ya and yb then
        canvas:rect(math.min(xa, xb), math.min(ya, yb), math.abs(xb - xa), math.abs(yb - ya),
          { fill = style.colors and style.colors[i] or style.color, alpha = style.alpha, stroke = style.edge, width = 0.8 })
      end
    end
  end
  return artist
end

--- The area between two lines.
-- @tparam {number,...} xs
-- @tparam {number,...} lower
-- @tparam {number,...} upper
-- @tparam table style `color`, `alpha`, `label`
function artists.area(xs, lower, upper, style)
  local artist = { label = style.label, key = swatch(style) }
  function artist.limits(axes)
    local xl, xh, yl, yh = rangesOf(xs, lower)(axes)
    local a, b = values.range(upper, axes.y.kind.shows)
    yl, yh = extend(yl, yh, a, b)
    return xl, xh, yl, yh
  end
  function artist.draw(canvas, _, clamp)
    local points = {}
    for i = 1, #xs do
      local x, y = clamp(xs[i], upper[i])
      if x then points[#points + 1], points[#points + 2] = x, y end
    end
    for i = #xs, 1, -1 do
      local x, y = clamp(xs[i], lower[i])
      if x then points[#points + 1], points[#points + 2] = x, y end
    end
    canvas:path(points, { fill = style.color, alpha = style.alpha, closed = true })
  end
  return artist
end

--- Error bars: from -> to at each point, vertical or horizontal, with caps.
-- @tparam {table,...} bars {x1, y1, x2, y2} each
-- @tparam table style `color`, `width`, `cap` (half its length), `upright`
function artists.errorbars(bars, style)
  local artist = {}
  function artist.limits(axes)
    local xs, ys = {}, {}
    for _, bar in ipairs(bars) do
      xs[#xs + 1], xs[#xs + 2], ys[#ys + 1], ys[#ys + 2] = bar[1], bar[3], bar[2], bar[4]
    end
    return rangesOf(xs, ys)(axes)
  end
  function artist.draw(canvas, map)
    local stroke = { stroke = style.color, width = style.width }
    local cx, cy = style.upright and style.cap or 0, style.upright and 0 or style.cap
    for _, bar in ipairs(bars) do
      local xa, ya = map(bar[1], bar[2])
      local xb, yb = map(bar[3], bar[4])
      if xa and xb then
        canvas:path({ xa, ya, xb, yb }, stroke)
        if style.cap > 0 then
          canvas:path({ xa - cx, ya - cy, xa + cx, ya + cy }, stroke)
          canvas:path({ xb - cx, yb - cy, xb + cx, yb + cy }, stroke)
        end
      end
    end
  end
  return artist
end

--- A matrix as a picture, one pixel per element.
-- @tparam table pixels `width`, `height`, `rgb`
-- @tparam {number,...} extent left, right, bottom, top
function artists.image(pixels, extent)
  local left, right, bottom, top = unpack(extent)
  return {
    tight = true,
    limits = function() return math.min(left, right), math.max(left, right), math.min(bottom, top), math.max(bottom, top) end,
    draw = function(canvas, map)
      local xa, ya = map(left, top)
      local xb, yb = map(right, bottom)
      if xa and xb then canvas:image(xa, ya, xb - xa, yb - ya, pixels) end
    end,
  }
end

--- Contour lines.
-- @tparam {number,...} xs positions of columns
-- @tparam {number,...} ys positions of rows
-- @tparam torch.DoubleTensor z a row for each y
-- @tparam {number,...} levels
-- @tparam {string,...} shades a colour for each level
-- @number width of the lines
function artists.contours(xs, ys, z, levels, shades, width)
  local elements = ffi.cast('const double *', z:data())
  local lines = {}
  for i, level in ipairs(levels) do lines[i] = contours.segments(xs, ys, elements, level) end
  return {
    tight = true, limits = rangesOf(xs, ys),
    draw = function(canvas, map)
      for i, segments in ipairs(lines) do
        for _, segment in ipairs(segments) do
          local xa, ya = map(segment[1][1], segment[1][2])
          local xb, yb = map(segment[2][1], segment[2][2])
          if xa and xb then canvas:path({ xa, ya, xb, yb }, { stroke = shades[i], width = width }) end
        end
      end
    end,
  }
end

--- A line across the axes.
-- @string which 'x' (vertical, at an x) or 'y' (horizontal, at a y)
-- @number at
-- @tparam table style `color`, `width`, `dash`, `label`
function artists.across(which, at, style)
  local stroke = { stroke = style.color, width = style.width, dash = style.dash, alpha = style.alpha }
  return {
    label = style.label,
    limits = function() if which == 'x' then return at, at end return nil, nil, at, at end,
    draw = function(canvas, _, clamp, box)
      local x, y = clamp(which == 'x' and at or nil, which == 'y' and at or nil)
      if which == 'x' and x then canvas:path({ x, box.top, x, box.bottom }, stroke) end
      if which == 'y' and y then canvas:path({ box.left, y, box.right, y }, stroke) end
    end,
    key = function(canvas, x, y, width) canvas:path({ x, y, x + width, y }, stroke) end,
  }
end

--- A text at a position.
-- @number x
-- @number y
-- @string text
-- @tparam table style `size`, `color`, `anchor`, `rotate`
function artists.text(x, y, text, style)
  return {
    limits = function() end,
    draw = function(canvas, map)
      local px, py = map(x, y)
      if px then canvas:text(px, py, text, style) end
    end,
  }
end

--- A colour as a string, for each value in a list.
-- @string where
-- @tparam {number,...} list
-- @string cmap
-- @tparam[opt] number low
-- @tparam[opt] number high
-- @treturn {string,...}
function artists.shades(where, list, cmap, low, high)
  local map = colors.map(where, cmap)
  local least, most = values.range(list, function(x) return x == x and math.abs(x) < math.huge end)
  low, high = low or least or 0, high or most or 1
  local shades = {}
  for i, x in ipairs(list) do shades[i] = ('#%02x%02x%02x'):format(map(high > low and (x - low) / (high - low) or 0.5)) end
  return shades
end

return artists
