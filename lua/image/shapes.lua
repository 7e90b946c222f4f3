--- Shapes in pictures: the connected parts of a mask, and the smallest rectangle around points.
-- @module image
local ffi, torch, check = require 'ffi', require 'torch', require 'torch.check'
local messages = require 'torch.check.message'

local shapes = {}

local bytes, integers = ffi.typeof 'const uint8_t *', ffi.typeof 'int32_t *'

-- The root of a label in a forest of equal labels. Paths become shorter on the way.
local function rootOf(parent, label)
  while parent[label] ~= label do
    parent[label] = parent[parent[label]]
    label = parent[label]
  end
  return label
end

-- The root of two labels that become equal: the smaller one, so that labels keep the order in which they appear.
local function joined(parent, a, b)
  if a == 0 or a == b then return b end
  a, b = rootOf(parent, a), rootOf(parent, b)
  if a < b then a, b = b, a end
  parent[a] = b
  return b
end

-- Labels each element like one of those before it, or anew. Returns the number of labels.
-- Source: Rosenfeld and Pfaltz (1966), "Sequential operations in digital picture processing", section 3.
local function scan(mask, labels, parent, height, width, corners)
  local count = 0
  for y = 0, height - 1 do
    local row = y * width
    for x = 0, width - 1 do
      if mask[row + x] ~= 0 then
        local label = x > 0 and labels[row + x - 1] or 0
        if y > 0 then
          local above = row - width + x
          if labels[above] ~= 0 then label = joined(parent, label, labels[above]) end
          if corners and x > 0 and labels[above - 1] ~= 0 then label = joined(parent, label, labels[above - 1]) end
          if corners and x < width - 1 and labels[above + 1] ~= 0 then label = joined(parent, label, labels[above + 1]) end
        end
        if label == 0 then
          count = count + 1
          label = count
          parent[label] = label
        end
        labels[row + x] = label
      end
    end
  end
  return count
end

-- Replaces labels by the numbers of their roots, from 1 on without gaps. Returns their number.
local function renumber(labels, parent, elements, used)
  local count = 0
  for label = 1, used do
    if parent[label] == label then
      count = count + 1
      parent[label] = -count
    else
      parent[label] = parent[parent[label]]      -- a smaller label, which has its number
    end
  end
  for i = 0, elements - 1 do labels[i] = -parent[labels[i]] end
  return count
end

--- Numbers the connected parts of a mask.
-- @tparam torch.Tensor mask height x width; elements other than 0 are set
-- @int[opt=8] neighbours 8: elements that touch at a side or a corner are connected; 4: at a side
-- @treturn torch.IntTensor of the size of mask: 0 where it is 0, else the number of the part, from 1 on in the order of their first
-- elements, row by row
-- @treturn int the number of parts
-- @usage image.connectedComponents(torch.eye(3))           --> one part; three with 4 neighbours
function shapes.connectedComponents(mask, neighbours)
  local where = 'image.connectedComponents'
  if not torch.isTensor(mask) or mask:dim() ~= 2 then
    check.raise(('%s: mask: %s, expected a mask (height x width)'):format(where, messages.value(mask)))
  end
  if neighbours ~= nil and neighbours ~= 4 and neighbours ~= 8 then
    check.raise(('%s: neighbours: %s, expected 4 or 8'):format(where, messages.value(neighbours)))
  end
  local height, width = mask:size(1), mask:size(2)
  local set = torch.ne(mask, 0):byte():contiguous()
  local labels = torch.IntTensor(height, width):zero()
  local parent = torch.IntTensor(math.ceil(height * width / 2) + 1):zero()      -- at most every second element begins a part
  local to, forest = ffi.cast(integers, labels:data()), ffi.cast(integers, parent:data())
  local used = scan(ffi.cast(bytes, set:data()), to, forest, height, width, neighbours ~= 4)
  return labels, renumber(to, forest, height * width, used)
end

-- Points { x, y } in the order of x, then of y.
local function sorted(where, points)
  local list = torch.isTensor(points) and points:dim() == 2 and points:size(2) == 2 and points:totable() or points
  check.that(type(list) == 'table' and #list > 0,
    ('%s: points: %s, expected points { x, y }, or n x 2 numbers'):format(where, messages.value(points)))
  local copy = {}
  for i, point in ipairs(list) do
    local x, y = type(point) == 'table' and point[1], type(point) == 'table' and point[2]
    local good = type(x) == 'number' and type(y) == 'number' and math.abs(x) < math.huge and math.abs(y) < math.huge
    check.that(good, ('%s: points: point %d: %s, expected two finite numbers'):format(where, i, messages.value(point)))
    copy[i] = point
  end
  table.sort(copy, function(a, b) return a[1] < b[1] or a[1] == b[1] and a[2] < b[2] end)
  return copy
end

-- Adds one side of the convex hull of sorted points, of which the last one begins the other side.
-- Source: Andrew (1979), "Another efficient algorithm for convex hulls in two dimensions".
local function addSide(hull, points, first, last, step)
  local begin = #hull + 1
  for i = first, last, step do
    local c = points[i]
    while #hull > begin do
      local a, b = hull[#hull - 1], hull[#hull]
      if (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]) > 0 then break end
      table.remove(hull)
    end
    table.insert(hull, c)
  end
  table.remove(hull)
end

local function hullOf(points)
  local hull = {}
  addSide(hull, points, 1, #points, 1)
  addSide(hull, points, #points, 1, -1)
  return #hull > 0 and hull or { points[1] }
end

-- The least and the greatest product of the points with a direction.
local function extent(points, x, y)
  local low, high = math.huge, -math.huge
  for _, point in ipairs(points) do
    local along = point[1] * x + point[2] * y
    low, high = math.min(low, along), math.max(high, along)
  end
  return low, high
end

--- The smallest rectangle around points, by its area.
-- One of its sides has the direction of a side of the points' convex hull.
-- Source: Freeman and Shapira (1975), "Determining the minimum-area encasing rectangle for an arbitrary closed curve".
-- @tparam torch.Tensor|{{number,number},...} points n x 2, or a list of { x, y }
-- @treturn {{number,number},...} the corners, in turn around it; those of a line or a point have an area of 0
-- @treturn number the length from the first corner to the second
-- @treturn number the length from the second corner to the third
-- @usage local corners, length, width = image.minAreaRect { { 0, 1 }, { 1, 0 }, { 2, 1 }, { 1, 2 } }
function shapes.minAreaRect(points)
  local hull = hullOf(sorted('image.minAreaRect', points))
  local best = { area = math.huge }
  for i, a in ipairs(hull) do
    local b = hull[i % #hull + 1]
    local x, y = b[1] - a[1], b[2] - a[2]
    local length = math.sqrt(x * x + y * y)
    if length > 0 then x, y = x / length, y / length else x, y = 1, 0 end
    local left, right = extent(hull, x, y)
    local low, high = extent(hull, -y, x)
    local area = (right - left) * (high - low)
    if area < best.area then best = { area = area, x = x, y = y, left = left, right = right, low = low, high = high } end
  end
  local function corner(along, across) return { along * best.x - across * best.y, along * best.y + across * best.x } end
  local corners = {
    corner(best.left, best.low), corner(best.right, best.low), corner(best.right, best.high), corner(best.left, best.high),
  }
  return corners, best.right - best.left, best.high - best.low
end

return shapes
