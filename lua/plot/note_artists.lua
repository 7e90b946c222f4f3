--- Artists for sectors of pies, and texts with arrows.
-- @module plot.note_artists
local artists = {}

local wordRadius, shareRadius, wordSize = 1.1, 0.6, 10
local farthest = 1.25           -- radius of a pie with its labels

--- A sector of a disc with radius 1.
-- @number from angle, rad, anticlockwise from the right
-- @number to
-- @number out distance from the centre, as a fraction of the radius
-- @tparam table look color, edge, words (next to it), share (inside it), label
function artists.wedge(from, to, out, look)
  local middle = (from + to) / 2
  local cx, cy = out * math.cos(middle), out * math.sin(middle)
  local reach = farthest + out
  return {
    label = look.label, tight = true, limits = function() return -reach, reach, -reach, reach end,
    draw = function(canvas, map)
      local steps = math.max(1, math.ceil(math.abs(to - from) / math.rad(2)))
      local isWhole = math.abs(to - from) >= 2 * math.pi - 1e-9
      local points = {}
      if not isWhole then points[1], points[2] = map(cx, cy) end
      for i = 0, steps do
        local angle = from + (to - from) * i / steps
        points[#points + 1], points[#points + 2] = map(cx + math.cos(angle), cy + math.sin(angle))
      end
      canvas:path(points, { fill = look.color, stroke = look.edge, width = 1, closed = true })
    end,
    -- Called after all sectors are drawn, so that none covers another's text.
    drawWords = function(canvas, map)
      local function words(text, radius, anchor)
        local x, y = map(cx + radius * math.cos(middle), cy + radius * math.sin(middle))
        canvas:text(x, y + wordSize * 0.35, text, { size = wordSize, anchor = anchor })
      end
      if look.words then words(look.words, wordRadius, math.cos(middle) >= 0 and 'start' or 'end') end
      if look.share then words(look.share, shareRadius, 'middle') end
    end,
    key = function(canvas, x, y, width) canvas:rect(x, y - 4, width, 8, { fill = look.color }) end,
  }
end

local headLength, headWidth, gap = 8, 5, 3

-- The approximate box of a text: left, top, right, bottom.
local function boxOf(x, y, text, look)
  local width = #text:gsub('[\128-\191]', '') * look.size * 0.6
  local left = look.anchor == 'middle' and x - width / 2 or look.anchor == 'end' and x - width or x
  return left - gap, y - look.size * 0.75 - gap, left + width + gap, y + look.size * 0.2 + gap
end

-- The point where the line from the middle of a box to a point leaves the box; nil for a point inside.
local function leaving(left, top, right, bottom, x, y)
  local mx, my = (left + right) / 2, (top + bottom) / 2
  local dx, dy = x - mx, y - my
  local t = math.min(dx ~= 0 and (right - left) / 2 / math.abs(dx) or math.huge, dy ~= 0 and (bottom - top) / 2 / math.abs(dy) or math.huge)
  if t >= 1 then return nil end
  return mx + t * dx, my + t * dy
end

--- A text, and an arrow from it to a point.
-- @string text
-- @tparam {number,number} at the point
-- @tparam {number,number} from beginning of the text
-- @tparam table look color, size, anchor, arrow (its colour, or false)
function artists.annotation(text, at, from, look)
  return {
    limits = function() return at[1], at[1], at[2], at[2] end,
    draw = function(canvas, map)
      local x, y = map(from[1], from[2])
      local tx, ty = map(at[1], at[2])
      if not x then return end
      local sx, sy
      if tx and look.arrow then
        local left, top, right, bottom = boxOf(x, y, text, look)
        sx, sy = leaving(left, top, right, bottom, tx, ty)
      end
      if sx then
        local length = math.sqrt((tx - sx) ^ 2 + (ty - sy) ^ 2)
        local cos, sin = (tx - sx) / length, (ty - sy) / length
        local bx, by = tx - headLength * cos, ty - headLength * sin
        canvas:path({ sx, sy, bx, by }, { stroke = look.arrow, width = 1 })
        canvas:path({ tx, ty, bx - headWidth / 2 * sin, by + headWidth / 2 * cos, bx + headWidth / 2 * sin, by - headWidth / 2 * cos },
          { fill = look.arrow, closed = true })
      end
      canvas:text(x, y, text, look)
    end,
  }
end

return artists
