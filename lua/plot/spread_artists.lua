--- Artists for box plots and violins.
-- @module plot.spread_artists
local artists = {}

-- Limits of an artist from its extent along the groups' axis and the values' axis.
local function limitsOf(upright, first, last, low, high)
  return function(axes)
    local along = upright and axes.y or axes.x
    if not along.kind.shows(low) then low = along.kind.shows(high) and high or nil end
    if upright then return first, last, low, low and high end
    return low, low and high, first, last
  end
end

-- A function from (position on the groups' axis, value) to pixels.
local function oriented(map, upright)
  return function(across, value)
    if upright then return map(across, value) end
    return map(value, across)
  end
end

local function line(canvas, at, x1, y1, x2, y2, stroke)
  local xa, ya = at(x1, y1)
  local xb, yb = at(x2, y2)
  if xa and xb then canvas:path({ xa, ya, xb, yb }, stroke) end
end

local flierRadius = 3

--- A box from the first to the third quartile, whiskers and outliers.
-- @number center on the groups' axis
-- @number width
-- @tparam table found q1, median, q3, low, high, mean, fliers
-- @tparam table look color, fill, median (a colour), width (of lines), upright, fliers, means (whether to show them), label
function artists.box(center, width, found, look)
  local least, most = found.low, found.high
  for _, x in ipairs(look.fliers and found.fliers or {}) do least, most = math.min(least, x), math.max(most, x) end
  local left, right = center - width / 2, center + width / 2
  local stroke, middle = { stroke = look.color, width = look.width }, { stroke = look.median, width = look.width }
  return {
    label = look.label, limits = limitsOf(look.upright, left, right, least, most),
    draw = function(canvas, map)
      local at = oriented(map, look.upright)
      local xa, ya = at(left, found.q1)
      local xb, yb = at(right, found.q3)
      if xa and xb then
        canvas:rect(math.min(xa, xb), math.min(ya, yb), math.abs(xb - xa), math.abs(yb - ya),
          { fill = look.fill, stroke = look.color, width = look.width })
      end
      line(canvas, at, center, found.q1, center, found.low, stroke)
      line(canvas, at, center, found.q3, center, found.high, stroke)
      line(canvas, at, center - width / 4, found.low, center + width / 4, found.low, stroke)
      line(canvas, at, center - width / 4, found.high, center + width / 4, found.high, stroke)
      line(canvas, at, left, found.median, right, found.median, middle)
      for _, x in ipairs(look.fliers and found.fliers or {}) do
        local px, py = at(center, x)
        if px then canvas:circle(px, py, flierRadius, stroke) end
      end
      local px, py = at(center, found.mean)
      if look.means and px then
        canvas:path({ px, py - 4, px + 4, py + 3, px - 4, py + 3 }, { fill = '#2ca02c', closed = true })
      end
    end,
    key = function(canvas, x, y, keyWidth)
      canvas:rect(x, y - 4, keyWidth, 8, { fill = look.fill, stroke = look.color, width = look.width })
    end,
  }
end

--- A density on both sides of a line.
-- @number center on the groups' axis
-- @number width at the maximum density
-- @tparam {number,...} points values
-- @tparam {number,...} heights densities there
-- @tparam {number,...} lines values with a line across
-- @bool hasSpine whether to draw a line from the smallest to the largest value
-- @tparam table look color, alpha, upright, label
function artists.violin(center, width, points, heights, lines, hasSpine, look)
  local greatest = 0
  for _, height in ipairs(heights) do greatest = math.max(greatest, height) end
  local low, high = points[1], points[#points]
  return {
    label = look.label, limits = limitsOf(look.upright, center - width / 2, center + width / 2, low, high),
    draw = function(canvas, map)
      local at, outline, stroke = oriented(map, look.upright), {}, { stroke = look.color, width = 1.5 }
      for side = 1, -1, -2 do
        for k = 1, #points do
          local i = side == 1 and k or #points + 1 - k
          local x, y = at(center + side * heights[i] / greatest * width / 2, points[i])
          if x then outline[#outline + 1], outline[#outline + 2] = x, y end
        end
      end
      if #outline > 0 then canvas:path(outline, { fill = look.color, alpha = look.alpha, closed = true }) end
      if hasSpine then line(canvas, at, center, low, center, high, stroke) end
      for _, value in ipairs(lines) do line(canvas, at, center - width / 8, value, center + width / 8, value, stroke) end
    end,
    key = function(canvas, x, y, keyWidth) canvas:rect(x, y - 4, keyWidth, 8, { fill = look.color, alpha = look.alpha }) end,
  }
end

return artists
