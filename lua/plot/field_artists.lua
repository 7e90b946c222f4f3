--- Artists for filled contours, meshes of cells and arrows.
-- @module plot.field_artists
local ffi = require 'ffi'
local values = require 'plot.values'

local artists = {}

local function limitsOf(xs, ys)
  return function(axes)
    local xl, xh = values.range(xs, axes.x.kind.shows)
    local yl, yh = values.range(ys, axes.y.kind.shows)
    return xl, xh, yl, yh
  end
end

-- The part of a polygon {x, y, z, x, y, z, ...} whose z is at least (sign 1) or at most (-1) a level.
local function clipped(polygon, level, sign)
  local result, n = {}, #polygon
  local function put(x, y, z)
    local k = #result
    result[k + 1], result[k + 2], result[k + 3] = x, y, z
  end
  for i = 1, n, 3 do
    local j = i + 3 <= n and i + 3 or 1
    local x1, y1, z1, x2, y2, z2 = polygon[i], polygon[i + 1], polygon[i + 2], polygon[j], polygon[j + 1], polygon[j + 2]
    local isIn, isNextIn = sign * (z1 - level) >= 0, sign * (z2 - level) >= 0
    if isIn then put(x1, y1, z1) end
    if isIn ~= isNextIn then
      local t = (level - z1) / (z2 - z1)
      put(x1 + t * (x2 - x1), y1 + t * (y2 - y1), level)
    end
  end
  return result
end

-- The polygons of a cell with z from `level` to `top`; for a saddle, four triangles around the mean.
local function cellPolygons(list, cell, level, top)
  local function put(polygon)
    polygon = clipped(clipped(polygon, level, 1), top, -1)
    if #polygon >= 9 then list[#list + 1] = polygon end
  end
  local a, b, c, d = cell[3], cell[6], cell[9], cell[12]
  local isCross = (a >= level) == (c >= level) and (b >= level) == (d >= level) and (a >= level) ~= (b >= level)
  if not isCross then return put(cell) end
  local x, y, z = (cell[1] + cell[7]) / 2, (cell[2] + cell[8]) / 2, (a + b + c + d) / 4
  for i = 1, 12, 3 do
    local j = i + 3 <= 12 and i + 3 or 1
    put { cell[i], cell[i + 1], cell[i + 2], cell[j], cell[j + 1], cell[j + 2], x, y, z }
  end
end

-- The polygons of all cells with z of at least a level; adjacent complete cells in a row are joined.
local function regionAbove(xs, ys, z, level, top)
  local columns, list = #xs, {}
  for i = 1, #ys - 1 do
    local first
    local function flush(j)
      if not first then return end
      local left, right, low, high = xs[first], xs[j], ys[i], ys[i + 1]
      list[#list + 1] = { left, low, level, right, low, level, right, high, level, left, high, level }
      first = nil
    end
    for j = 1, columns - 1 do
      local a, b = z[(i - 1) * columns + j - 1], z[(i - 1) * columns + j]
      local d, c = z[i * columns + j - 1], z[i * columns + j]
      local low, high = math.min(a, b, c, d), math.max(a, b, c, d)
      local isNumber = a == a and b == b and c == c and d == d
      if isNumber and low >= level and high <= top then
        first = first or j
      else
        flush(j)
        if isNumber and high >= level and low <= top then
          cellPolygons(list, { xs[j], ys[i], a, xs[j + 1], ys[i], b, xs[j + 1], ys[i + 1], c, xs[j], ys[i + 1], d }, level, top)
        end
      end
    end
    flush(columns)
  end
  return list
end

--- Areas between levels. Each is drawn over the one below it, so that there are no visible seams.
-- @tparam {number,...} xs positions of columns
-- @tparam {number,...} ys positions of rows
-- @tparam torch.DoubleTensor z a row for each y
-- @tparam {number,...} levels in ascending order
-- @tparam {string,...} shades a colour for each area
-- @number alpha
function artists.filledContours(xs, ys, z, levels, shades, alpha)
  local elements, regions = ffi.cast('const double *', z:data()), {}
  for k = 1, #levels - 1 do
    -- Transparent areas must not overlap.
    regions[k] = regionAbove(xs, ys, elements, levels[k], alpha < 1 and levels[k + 1] or levels[#levels])
  end
  return {
    tight = true, limits = limitsOf(xs, ys),
    draw = function(canvas, map)
      for k, polygons in ipairs(regions) do
        local shapes = {}
        for _, polygon in ipairs(polygons) do
          local points, isShown = {}, true
          for i = 1, #polygon, 3 do
            local x, y = map(polygon[i], polygon[i + 1])
            isShown = isShown and x ~= nil
            points[#points + 1], points[#points + 2] = x, y
          end
          if isShown then shapes[#shapes + 1] = points end
        end
        canvas:shapes(shapes, { fill = shades[k], alpha = alpha })
      end
    end,
  }
end

-- Whether positions are equally spaced.
local function isEven(list)
  local step = (list[#list] - list[1]) / (#list - 1)
  for i = 2, #list do
    if math.abs(list[i] - list[i - 1] - step) > 1e-9 * math.abs(step) then return false end
  end
  return true
end

--- Coloured cells; cells with the value NaN stay empty. Cells of equal sizes are drawn as one picture.
-- @tparam {number,...} xs edges of columns
-- @tparam {number,...} ys edges of rows
-- @tparam torch.DoubleTensor matrix
-- @tparam {string,...} shades row by row
-- @tparam table look alpha, edge
function artists.mesh(xs, ys, matrix, shades, look)
  local columns, rows = #xs - 1, #ys - 1
  local isWhole = matrix:ne(matrix):sum() == 0
  local isPicture = isWhole and isEven(xs) and isEven(ys) and look.alpha == 1 and not look.edge
  local kinds, elements = nil, matrix:view(-1):totable()
  local range = limitsOf(xs, ys)
  local function picture(canvas, map)
    local bytes = {}
    for i = rows, 1, -1 do
      for j = 1, columns do
        local red, green, blue = shades[(i - 1) * columns + j]:match '(%x%x)(%x%x)(%x%x)'
        bytes[#bytes + 1] = string.char(tonumber(red, 16), tonumber(green, 16), tonumber(blue, 16))
      end
    end
    local left, top = map(math.min(xs[1], xs[#xs]), math.max(ys[1], ys[#ys]))
    local right, bottom = map(math.max(xs[1], xs[#xs]), math.min(ys[1], ys[#ys]))
    if left and right then
      canvas:image(left, top, right - left, bottom - top, { width = columns, height = rows, rgb = table.concat(bytes) })
    end
  end
  local function cells(canvas, clamp)
    for i = 1, rows do
      for j = 1, columns do
        local k = (i - 1) * columns + j
        local xa, ya = clamp(xs[j], ys[i])
        local xb, yb = clamp(xs[j + 1], ys[i + 1])
        if xa and xb and elements[k] == elements[k] then
          -- A thin line in the cell's colour hides seams between cells.
          local stroke, width = look.edge or look.alpha == 1 and shades[k] or nil, look.edge and 0.8 or 0.4
          canvas:rect(math.min(xa, xb), math.min(ya, yb), math.abs(xb - xa), math.abs(yb - ya),
            { fill = shades[k], alpha = look.alpha, stroke = stroke, width = width })
        end
      end
    end
  end
  return {
    tight = true,
    limits = function(axes)
      kinds = axes.x.kind.isLog or axes.y.kind.isLog or axes.y.inverted or xs[1] > xs[#xs] or ys[1] > ys[#ys]
      return range(axes)
    end,
    draw = function(canvas, map, clamp)
      if isPicture and not kinds then picture(canvas, map) else cells(canvas, clamp) end
    end,
  }
end

-- A mean arrow is about as long as the distance between arrows: scale = 1.8 |mean| sqrt(N), with at least 10 for the root.
local function scaleOf(us, vs)
  local sum, count = 0, 0
  for i = 1, #us do
    local length = math.sqrt(us[i] ^ 2 + vs[i] ^ 2)
    if length < math.huge then sum, count = sum + length, count + 1 end
  end
  return sum > 0 and 1.8 * sum / count * math.max(10, math.sqrt(#us)) or 1
end

-- The outline of an arrow to the right from (0, 0), in units of the shaft's width: the head is 3 wide and 5 long.
local function outline(length)
  local head = math.min(1, length / 5)
  local back, neck = length - 5 * head, length - 4.5 * head
  return { 0, -0.5 * head, neck, -0.5 * head, back, -1.5 * head, length, 0, back, 1.5 * head, neck, 0.5 * head, 0, 0.5 * head }
end

--- Arrows.
-- @tparam {number,...} xs
-- @tparam {number,...} ys
-- @tparam {number,...} us
-- @tparam {number,...} vs
-- @tparam table look colors, alpha, shift (movement of an arrow as a fraction of its length), scale, width
function artists.arrows(xs, ys, us, vs, look)
  return {
    limits = limitsOf(xs, ys),
    draw = function(canvas, map, _, box)
      local span = box.right - box.left
      local width = look.width or 0.06 / math.max(8, math.min(25, math.sqrt(#xs))) * span
      local scale = look.scale or scaleOf(us, vs)
      for i = 1, #xs do
        local x, y = map(xs[i], ys[i])
        local length = math.sqrt(us[i] ^ 2 + vs[i] ^ 2)
        if x and length > 0 and length < math.huge then
          local pixels = length / scale * span
          local cos, sin = us[i] / length, -vs[i] / length
          local points = outline(pixels / width)
          for k = 1, #points, 2 do
            local along, aside = points[k] * width + look.shift * pixels, points[k + 1] * width
            points[k], points[k + 1] = x + along * cos - aside * sin, y + along * sin + aside * cos
          end
          canvas:path(points, { fill = look.colors[i], alpha = look.alpha, closed = true })
        end
      end
    end,
  }
end

return artists
