--- The runs of a polygon's pixels, as COCO counts them: its outline is drawn five times larger, and where it crosses the middle of a column
-- a run begins or ends. Source: rleFrPoly of COCO's maskApi.c.
-- @module vision.polygon
local scale = 5

local function toward0(x) return x < 0 and math.ceil(x) or math.floor(x) end

-- Calls visit(x, y) for the points of an edge, from its start.
local function drawEdge(xs, ys, xe, ye, visit)
  local dx, dy = math.abs(xe - xs), math.abs(ye - ys)
  if dx == 0 and dy == 0 then return visit(xs, ys) end
  local isFlat = dx >= dy
  local isBackwards = isFlat and xs > xe or not isFlat and ys > ye
  if isBackwards then xs, ys, xe, ye = xe, ye, xs, ys end
  local slope = isFlat and (ye - ys) / dx or (xe - xs) / dy
  local most = isFlat and dx or dy
  for d = 0, most do
    local t = isBackwards and most - d or d
    if isFlat then
      visit(t + xs, toward0(ys + slope * t + 0.5))
    else
      visit(toward0(xs + slope * t + 0.5), t + ys)
    end
  end
end

-- The places, column by column from 0, at which the outline crosses the middles of columns.
local function crossings(points, height, width)
  local places, lastX, lastY = {}, nil, nil
  local function visit(x, y)
    if lastX and x ~= lastX then
      local column = ((x < lastX and x or x - 1) + 0.5) / scale - 0.5
      if column % 1 == 0 and column >= 0 and column <= width - 1 then
        local row = math.ceil(math.max(0, math.min(height, (math.min(y, lastY) + 0.5) / scale - 0.5)))
        places[#places + 1] = column * height + row
      end
    end
    lastX, lastY = x, y
  end
  local count = #points / 2
  local function at(i) return toward0(scale * points[2 * i - 1] + 0.5), toward0(scale * points[2 * i] + 0.5) end
  for i = 1, count do
    local xs, ys = at(i)
    local xe, ye = at(i % count + 1)
    drawEdge(xs, ys, xe, ye, visit)
  end
  table.sort(places)
  return places
end

--- @tparam {number,...} points x, y, x, y, ... of at least three corners
-- @int height
-- @int width
-- @treturn {int,...} runs (`vision.runs`)
return function(points, height, width)
  local places = crossings(points, height, width)
  places[#places + 1] = height * width
  local list, last, k = {}, 0, 2
  for i = 1, #places do places[i], last = places[i] - last, places[i] end
  list[1] = places[1]
  while k <= #places do      -- two crossings at one place cancel out
    if places[k] > 0 then
      list[#list + 1] = places[k]
    else
      k = k + 1
      if k <= #places then list[#list] = list[#list] + places[k] end
    end
    k = k + 1
  end
  return list
end
