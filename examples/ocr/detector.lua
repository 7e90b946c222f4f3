--- Where text is in a picture: the network gives each element's probability to belong to a line, and lines are rectangles around what
-- is connected.
-- Source: Liao et al. (2020), "Real-time scene text detection with differentiable binarization", AAAI, section 3.5.
local ffi, torch, image = require 'ffi', require 'torch', require 'image'
local pictures = require 'ocr.pictures'

local LEAST_SIDE, MULTIPLE = 736, 32            -- of the network's picture
local SET, LEAST_MEAN = 0.3, 0.5                -- the probability of an element of a line, and the mean one of a line
local SMALLEST, GROWTH = 3, 1.6                 -- elements; the network shows lines thinner than they are
local SAME_ROW = 10                             -- elements between the tops of lines that stand side by side

local detector = {}

-- The sides of the network's picture.
local function sizesFor(height, width)
  local ratio = math.max(1, LEAST_SIDE / math.min(height, width))
  local function whole(side) return math.max(1, math.floor(math.floor(side * ratio) / MULTIPLE + 0.5)) * MULTIPLE end
  return whole(height), whole(width)
end

-- The first and the last element of each row of each part: enough for the rectangle around it.
local function outlines(labels, count)
  local parts, last = {}, {}
  for i = 1, count do parts[i], last[i] = {}, -1 end
  local p = ffi.cast('const int32_t *', labels:data())
  local height, width = labels:size(1), labels:size(2)
  for y = 0, height - 1 do
    for x = 0, width - 1 do
      local label = p[y * width + x]
      if label > 0 then
        local points = parts[label]
        if last[label] ~= y then
          last[label] = y
          points[#points + 1] = { x, y }
          points[#points + 1] = { x, y }
        else
          points[#points][1] = x
        end
      end
    end
  end
  return parts
end

-- The mean of a map inside a rectangle.
local function meanInside(map, corners)
  local height, width = map:size(1), map:size(2)
  local left, right, top, bottom = math.huge, -math.huge, math.huge, -math.huge
  for _, corner in ipairs(corners) do
    left, right = math.min(left, corner[1]), math.max(right, corner[1])
    top, bottom = math.min(top, corner[2]), math.max(bottom, corner[2])
  end
  local p, sum, count = ffi.cast('const float *', map:data()), 0, 0
  local a, b, d = corners[1], corners[2], corners[4]
  local ux, uy, vx, vy = b[1] - a[1], b[2] - a[2], d[1] - a[1], d[2] - a[2]
  local uu, vv = ux * ux + uy * uy, vx * vx + vy * vy
  for y = math.max(0, math.floor(top)), math.min(height - 1, math.ceil(bottom)) do
    for x = math.max(0, math.floor(left)), math.min(width - 1, math.ceil(right)) do
      local u, v = (x - a[1]) * ux + (y - a[2]) * uy, (x - a[1]) * vx + (y - a[2]) * vy
      if u >= 0 and u <= uu and v >= 0 and v <= vv then
        sum, count = sum + p[y * width + x], count + 1
      end
    end
  end
  return count > 0 and sum / count or 0
end

-- The corners in the order top left, top right, bottom right, bottom left.
local function arranged(corners)
  table.sort(corners, function(a, b) return a[1] < b[1] end)
  local function upperFirst(a, b) if a[2] <= b[2] then return a, b else return b, a end end
  local topLeft, bottomLeft = upperFirst(corners[1], corners[2])
  local topRight, bottomRight = upperFirst(corners[3], corners[4])
  return { topLeft, topRight, bottomRight, bottomLeft }
end

-- A rectangle with its sides moved outwards by a part of its area for a unit of its perimeter.
local function grown(corners, length, width)
  local a, b, d = corners[1], corners[2], corners[4]
  local distance = GROWTH * length * width / (2 * (length + width))
  local ux, uy = (b[1] - a[1]) / length * distance, (b[2] - a[2]) / length * distance
  local vx, vy = (d[1] - a[1]) / width * distance, (d[2] - a[2]) / width * distance
  local result = {}
  for i, sign in ipairs { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } } do
    result[i] = { corners[i][1] + sign[1] * ux + sign[2] * vx, corners[i][2] + sign[1] * uy + sign[2] * vy }
  end
  return result, distance
end

--- The lines in a map of probabilities.
-- @tparam torch.FloatTensor map height x width
-- @int height of the picture that the map is about
-- @int width
-- @treturn table a list of lines in reading order: `corners` in the picture, from the top left one clockwise, and `score`
function detector.linesOf(map, height, width)
  local set = image.dilate(torch.gt(map, SET):float(), torch.Tensor { { 0, 0, 0 }, { 0, 1, 1 }, { 0, 1, 1 } })
  local lines = {}
  for _, points in ipairs(outlines(image.connectedComponents(set))) do
    local corners, length, breadth = image.minAreaRect(points)
    local score = math.min(length, breadth) >= SMALLEST and meanInside(map, corners) or 0
    if score >= LEAST_MEAN then
      local around, distance = grown(corners, length, breadth)
      if math.min(length, breadth) + 2 * distance >= SMALLEST + 2 then
        for _, corner in ipairs(around) do
          corner[1] = math.max(0, math.min(width - 1, math.floor(corner[1] * width / map:size(2) + 0.5)))
          corner[2] = math.max(0, math.min(height - 1, math.floor(corner[2] * height / map:size(1) + 0.5)))
        end
        lines[#lines + 1] = { corners = arranged(around), score = score }
      end
    end
  end
  return detector.inReadingOrder(lines)
end

--- Sorts lines from the top to the bottom, and those side by side from the left to the right.
-- @tparam table lines
-- @treturn table lines
function detector.inReadingOrder(lines)
  table.sort(lines, function(a, b) return a.corners[1][2] < b.corners[1][2] end)
  local row = 0
  for i, line in ipairs(lines) do
    local above = lines[i - 1]
    if above and line.corners[1][2] - above.corners[1][2] >= SAME_ROW then row = row + 1 end
    line.row = row
  end
  table.sort(lines, function(a, b) return a.row < b.row or a.row == b.row and a.corners[1][1] < b.corners[1][1] end)
  return lines
end

--- The probabilities of a picture's elements.
-- @tparam onnx.Model model
-- @tparam torch.ByteTensor picture 3 x height x width
-- @treturn torch.FloatTensor height x width, multiples of 32
function detector.map(model, picture)
  local height, width = sizesFor(picture:size(2), picture:size(3))
  local y = model:run(pictures.normalised(picture, height, width):view(1, 3, height, width))
  return y:view(height, width):contiguous()
end

--- Finds lines of text.
-- @tparam onnx.Model model
-- @tparam torch.ByteTensor picture 3 x height x width
-- @treturn table as `linesOf` returns
function detector.find(model, picture)
  return detector.linesOf(detector.map(model, picture), picture:size(2), picture:size(3))
end

return detector
