--- Drawings of objects on pictures: boxes with labels, masks, keypoints.
-- @module vision
local torch, check = require 'torch', require 'torch.check'
local arguments = require 'vision.arguments'
local image = require 'image'
local messages = require 'torch.check.message'

local drawing = {}

-- Colours that differ: hues a golden angle apart.
local function colourOf(i)
  local hue = ((i - 1) * 0.61803398875) % 1 * 6
  local function part(shift)
    local k = (shift + hue) % 6
    return math.floor(255 * (1 - math.max(0, math.min(k, 4 - k, 1))) + 0.5)
  end
  return { part(5), part(3), part(1) }
end

-- A copy of a picture with three channels.
local function canvas(where, x)
  check.tensor(where, 'image', x)
  if x:dim() ~= 3 or (x:size(1) ~= 3 and x:size(1) ~= 1) then
    check.raise(('%s: image: %s, expected (1 or 3, height, width)'):format(where, messages.sizes(x)), 'shape')
  end
  return x:size(1) == 3 and x:clone() or x:expand(3, x:size(2), x:size(3)):clone()
end

-- The colour of the object with this number.
local function coloured(where, options, i)
  local colours = options.colors
  if colours == nil then return colourOf(options.labels and options.labels[i] or i) end
  check.table(where, 'colors', colours)
  return type(colours[1]) == 'table' and check.table(where, ('colors[%d]'):format(i), colours[i]) or colours
end

--- Draws boxes.
-- @tparam torch.Tensor x picture (1 or 3, height, width), bytes or floats from 0 to 1
-- @tparam torch.Tensor boxes (n, 4)
-- @tparam[opt] table options `texts`, n strings; `labels`, n numbers, one colour each; `colors`, { red, green, blue } from 0 to 255, or n
-- of them; `lineWidth` (1)
-- @treturn torch.Tensor a new picture (3, height, width)
function drawing.drawBoxes(x, boxes, options)
  local where = 'vision.drawBoxes'
  options = check.options(where, options, { 'texts', 'labels', 'colors', 'lineWidth' })
  local result = canvas(where, x)
  boxes = arguments.boxes(where, 'boxes', boxes)
  if options.texts then check.table(where, 'texts', options.texts) end
  local lineWidth = check.int(where, 'lineWidth', options.lineWidth or 1, { min = 1 })
  local height, width = x:size(2), x:size(3)
  for i, box in ipairs(boxes:totable()) do
    local colour = coloured(where, options, i)
    local inside = box[3] > 0 and box[4] > 0 and box[1] < width and box[2] < height and box[3] >= box[1] and box[4] >= box[2]
    if inside then
      local function pixel(value, most) return math.max(-lineWidth, math.min(most + lineWidth + 1, value)) end
      local left, top = pixel(math.floor(box[1]) + 1, width), pixel(math.floor(box[2]) + 1, height)
      local right, bottom = math.max(left, pixel(math.ceil(box[3]), width)), math.max(top, pixel(math.ceil(box[4]), height))
      image.drawRect(result, left, top, right, bottom, { color = colour, lineWidth = lineWidth, inplace = true })
      local words = options.texts and options.texts[i]
      if words ~= nil then
        local options_ = { color = { 255, 255, 255 }, bg = colour, inplace = true }
        image.drawText(result, check.text(where, ('texts[%d]'):format(i), words), math.max(left, 1), math.max(top, 1), options_)
      end
    end
  end
  return result
end

--- Lays masks over a picture.
-- @tparam torch.Tensor x picture (1 or 3, height, width), bytes or floats from 0 to 1
-- @tparam torch.Tensor masks (n, height, width), where all but 0 counts as 1
-- @tparam[opt] table options `labels` and `colors` as for `drawBoxes`; `alpha`: the part of the colour, from 0 to 1 (0.5)
-- @treturn torch.Tensor a new picture (3, height, width)
function drawing.drawMasks(x, masks, options)
  local where = 'vision.drawMasks'
  options = check.options(where, options, { 'labels', 'colors', 'alpha' })
  local result = canvas(where, x)
  check.tensor(where, 'masks', masks)
  if masks:dim() ~= 3 or masks:size(2) ~= x:size(2) or masks:size(3) ~= x:size(3) then
    check.raise(('%s: masks: %s, expected (n, %d, %d)'):format(where, messages.sizes(masks), x:size(2), x:size(3)), 'shape')
  end
  local alpha = check.number(where, 'alpha', options.alpha or 0.5, { min = 0, max = 1 })
  local scale = result:isFloatingPoint() and 1 / 255 or 1
  for i = 1, masks:size(1) do
    local colour, mask = coloured(where, options, i), torch.ne(masks[i], 0)
    for c = 1, 3 do
      local plane = result[c]
      local own = plane:maskedSelect(mask)
      if own:nElement() > 0 then
        local mixed = own:double():mul(1 - alpha):add(alpha * colour[c] * scale)
        plane:maskedCopy(mask, (result:isFloatingPoint() and mixed or mixed:add(0.5):floor()):typeAs(plane))
      end
    end
  end
  return result
end

--- Draws keypoints, and lines between them.
-- @tparam torch.Tensor x picture (1 or 3, height, width), bytes or floats from 0 to 1
-- @tparam torch.Tensor points (n, k, 2 or more): x, y, and maybe whether it is known, not 0
-- @tparam[opt] table options `lines`, pairs of numbers of points; `colors` as for `drawBoxes`; `radius` in pixels (2)
-- @treturn torch.Tensor a new picture (3, height, width)
function drawing.drawKeypoints(x, points, options)
  local where = 'vision.drawKeypoints'
  options = check.options(where, options, { 'lines', 'colors', 'radius' })
  local result = canvas(where, x)
  check.tensor(where, 'points', points)
  if points:dim() ~= 3 or points:size(3) < 2 then
    check.raise(('%s: points: %s, expected (n, k, 2 or more)'):format(where, messages.sizes(points)), 'shape')
  end
  local radius = check.number(where, 'radius', options.radius or 2, { min = 0, max = 1000 })
  local lines = check.table(where, 'lines', options.lines or {})
  local height, width = x:size(2), x:size(3)
  for i, object in ipairs(points:totable()) do
    local colour, places = coloured(where, options, i), {}
    for k, point in ipairs(object) do
      local column, row = math.floor(point[1]) + 1, math.floor(point[2]) + 1
      local isKnown = point[3] == nil or point[3] ~= 0
      local near = column >= -width and column <= 2 * width and row >= -height and row <= 2 * height
      if isKnown and near then
        places[k] = { column, row }
        image.drawCircle(result, column, row, radius, { color = colour, filled = true, inplace = true })
      end
    end
    for number, pair in ipairs(lines) do
      check.table(where, ('lines[%d]'):format(number), pair)
      local a, b = places[pair[1]], places[pair[2]]
      if a and b then image.drawLine(result, a[1], a[2], b[1], b[2], { color = colour, inplace = true }) end
    end
  end
  return result
end

return drawing
