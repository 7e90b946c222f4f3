--- Contour lines of a matrix, by marching squares; the mean of a square's corners decides ambiguous cases.
-- @module plot.contours
local contours = {}

-- The point between two corners where the value crosses the level.
local function between(xa, ya, a, xb, yb, b, level)
  local t = (level - a) / (b - a)
  return { xa + t * (xb - xa), ya + t * (yb - ya) }
end

-- The edges of a square, clockwise from the upper one, at which a line enters and leaves, for each set of corners above the level
-- (1 upper left, 2 upper right, 4 lower right, 8 lower left).
local crossings = {
  { { 4, 1 } }, { { 1, 2 } }, { { 4, 2 } }, { { 2, 3 } }, { { 4, 1 }, { 2, 3 } }, { { 1, 3 } }, { { 4, 3 } },
  { { 3, 4 } }, { { 3, 1 } }, { { 1, 2 }, { 3, 4 } }, { { 3, 2 } }, { { 2, 4 } }, { { 2, 1 } }, { { 1, 4 } },
}
local joined = { [5] = { { 1, 2 }, { 3, 4 } }, [10] = { { 4, 1 }, { 2, 3 } } }      -- ambiguous cases, with the middle above the level

--- Segments of the lines at a level.
-- @tparam {number,...} xs positions of columns
-- @tparam {number,...} ys positions of rows
-- @tparam cdata z elements, row by row
-- @number level
-- @treturn {table,...} {{x1, y1}, {x2, y2}} each
function contours.segments(xs, ys, z, level)
  local columns, rows, list = #xs, #ys, {}
  for i = 1, rows - 1 do
    for j = 1, columns - 1 do
      local a, b = z[(i - 1) * columns + j - 1], z[(i - 1) * columns + j]
      local d, c = z[i * columns + j - 1], z[i * columns + j]
      local set = (a > level and 1 or 0) + (b > level and 2 or 0) + (c > level and 4 or 0) + (d > level and 8 or 0)
      if set > 0 and set < 15 and a == a and b == b and c == c and d == d then
        local ways = joined[set] and (a + b + c + d) / 4 > level and joined[set] or crossings[set]
        local x1, x2, y1, y2 = xs[j], xs[j + 1], ys[i], ys[i + 1]
        local function at(edge)
          if edge == 1 then return between(x1, y1, a, x2, y1, b, level) end
          if edge == 2 then return between(x2, y1, b, x2, y2, c, level) end
          if edge == 3 then return between(x1, y2, d, x2, y2, c, level) end
          return between(x1, y1, a, x1, y2, d, level)
        end
        for _, way in ipairs(ways) do list[#list + 1] = { at(way[1]), at(way[2]) } end
      end
    end
  end
  return list
end

return contours
