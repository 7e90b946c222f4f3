--- Drawing on pictures: lines, rectangles, circles and text, clipped at the picture's edges.
-- Colours are lists of red, green and blue from 0 to 255. On float pictures they are divided by 255, unless the picture has values above 1.
-- Grey pictures use a colour's brightness.
-- @module image
local check = require 'torch.check'
local arguments = require 'image.arguments'
local font = require 'image.font'
local messages = require 'torch.check.message'

local drawing = {}

local red = { 255, 0, 0 }

-- The picture to draw on: channels x height x width.
local function canvas(where, src, inplace)
  arguments.picture(where, src, 3)
  if src:dim() == 3 and (src:size(1) > 4 or src:size(1) < 1) then
    check.raise(('%s: src: %s, expected a picture of 1 to 4 channels'):format(where, messages.value(src)))
  end
  local result = check.flag(where, 'inplace', inplace) and src or src:clone()
  return result, result:dim() == 2 and result:view(1, result:size(1), result:size(2)) or result
end

-- A number for each channel.
local function colourOf(where, name, colour, x)
  colour = colour == nil and red or colour
  check.table(where, name, colour)
  for i = 1, 3 do check.number(where, ('%s: number %d'):format(name, i), colour[i]) end
  local scale = x:isFloatingPoint() and x:nElement() > 0 and x:gt(1):max() == 0 and 1 / 255 or 1
  local channels, values = x:size(1), {}
  for c = 1, 3 do values[c] = colour[c] * scale end
  if channels < 3 then values[1] = 0.299 * values[1] + 0.587 * values[2] + 0.114 * values[3] end
  if channels == 2 or channels == 4 then values[channels] = (colour[4] or 255) * scale end
  return values
end

-- Fills columns x1 to x2 and rows y1 to y2, counted from 1, inside the picture.
local function fill(x, x1, y1, x2, y2, values)
  x1, y1, x2, y2 = math.max(x1, 1), math.max(y1, 1), math.min(x2, x:size(3)), math.min(y2, x:size(2))
  if x2 < x1 or y2 < y1 then return end
  for c = 1, x:size(1) do x[c]:narrow(1, y1, y2 - y1 + 1):narrow(2, x1, x2 - x1 + 1):fill(values[c]) end
end

local function whole(where, name, value) return math.floor(check.number(where, name, value)) end

--- Draws a rectangle's outline.
-- @tparam torch.Tensor src
-- @int x1 its left column, counted from 1
-- @int y1 its top row
-- @int x2 its right column
-- @int y2 its bottom row
-- @tparam[opt] table options `color` ({ 255, 0, 0 }); `lineWidth` (1), half of it on either side; `filled` (false); `inplace` (false):
-- whether to draw on src itself
-- @treturn torch.Tensor
function drawing.drawRect(src, x1, y1, x2, y2, options)
  local where = 'image.drawRect'
  options = check.options(where, options, { 'color', 'lineWidth', 'filled', 'inplace' })
  x1, y1, x2, y2 = whole(where, 'x1', x1), whole(where, 'y1', y1), whole(where, 'x2', x2), whole(where, 'y2', y2)
  if x2 < x1 or y2 < y1 then
    check.raise(('%s: corners: (%d, %d) and (%d, %d), expected the top left one first'):format(where, x1, y1, x2, y2))
  end
  local result, x = canvas(where, src, options.inplace)
  local values = colourOf(where, 'color', options.color, x)
  local width = check.whole(where, 'lineWidth', options.lineWidth or 1, { min = 1 })
  local before = math.floor((width - 1) / 2)
  local after = width - 1 - before
  if check.flag(where, 'filled', options.filled) then fill(x, x1 - before, y1 - before, x2 + after, y2 + after, values) end
  fill(x, x1 - before, y1 - before, x2 + after, y1 + after, values)
  fill(x, x1 - before, y2 - before, x2 + after, y2 + after, values)
  fill(x, x1 - before, y1 - before, x1 + after, y2 + after, values)
  fill(x, x2 - before, y1 - before, x2 + after, y2 + after, values)
  return result
end

--- Draws a straight line (Bresenham's).
-- @tparam torch.Tensor src
-- @int x1 first column, counted from 1
-- @int y1 row
-- @int x2 last column
-- @int y2 row
-- @tparam[opt] table options `color`, `lineWidth` and `inplace` as for `drawRect`
-- @treturn torch.Tensor
function drawing.drawLine(src, x1, y1, x2, y2, options)
  local where = 'image.drawLine'
  options = check.options(where, options, { 'color', 'lineWidth', 'inplace' })
  x1, y1, x2, y2 = whole(where, 'x1', x1), whole(where, 'y1', y1), whole(where, 'x2', x2), whole(where, 'y2', y2)
  local result, x = canvas(where, src, options.inplace)
  local values = colourOf(where, 'color', options.color, x)
  local width = check.whole(where, 'lineWidth', options.lineWidth or 1, { min = 1 })
  local before = math.floor((width - 1) / 2)
  local right, down = math.abs(x2 - x1), math.abs(y2 - y1)
  if right + down > 2 ^ 24 then check.raise(where .. ': corners: a line of more than 2^24 pixels') end
  local stepX, stepY, slack = x1 < x2 and 1 or -1, y1 < y2 and 1 or -1, right - down
  while true do
    fill(x, x1 - before, y1 - before, x1 - before + width - 1, y1 - before + width - 1, values)
    if x1 == x2 and y1 == y2 then return result end
    local twice = 2 * slack
    if twice > -down then slack, x1 = slack - down, x1 + stepX end
    if twice < right then slack, y1 = slack + right, y1 + stepY end
  end
end

--- Draws a circle.
-- @tparam torch.Tensor src
-- @int x column of its centre, counted from 1
-- @int y row of its centre
-- @number radius in pixels
-- @tparam[opt] table options `color` and `inplace` as for `drawRect`; `lineWidth` (1), inwards; `filled` (false)
-- @treturn torch.Tensor
function drawing.drawCircle(src, x, y, radius, options)
  local where = 'image.drawCircle'
  options = check.options(where, options, { 'color', 'lineWidth', 'filled', 'inplace' })
  check.number(where, 'x', x)
  check.number(where, 'y', y)
  check.number(where, 'radius', radius, { min = 0, max = 2 ^ 24 })
  local result, planes = canvas(where, src, options.inplace)
  local values = colourOf(where, 'color', options.color, planes)
  local width = check.whole(where, 'lineWidth', options.lineWidth or 1, { min = 1 })
  local outer, inner = radius + 0.5, radius + 0.5 - width
  if check.flag(where, 'filled', options.filled) then inner = 0 end
  for row = math.max(1, math.ceil(y - outer)), math.min(planes:size(2), math.floor(y + outer)) do
    local squared = (row - y) ^ 2
    local reach = outer ^ 2 - squared
    local hole = inner > 0 and inner ^ 2 - squared or -1
    if reach >= 0 then
      local far, near = math.sqrt(reach), hole > 0 and math.sqrt(hole) or nil
      local left, right = math.ceil(x - far), math.floor(x + far)
      if near then
        fill(planes, left, row, math.ceil(x - near) - 1 + (near == 0 and 1 or 0), row, values)
        fill(planes, math.floor(x + near) + 1, row, right, row, values)
      else
        fill(planes, left, row, right, row, values)
      end
    end
  end
  return result
end

-- Draws a character's dots, each of size x size pixels, with its top left corner at (left, top).
local function put(x, character, left, top, size, values, ground)
  local dots = font.glyph(character)
  if ground then fill(x, left, top, left + font.width * size - 1, top + font.height * size - 1, ground) end
  for row = 1, font.height do
    for column = 1, font.width do
      if dots[row][column] == 1 then
        local x1, y1 = left + (column - 1) * size, top + (row - 1) * size
        fill(x, x1, y1, x1 + size - 1, y1 + size - 1, values)
      end
    end
  end
end

--- Writes text on a picture.
-- @tparam torch.Tensor src
-- @string text lines are separated by `\n`
-- @int[opt=1] x column of the top left corner, counted from 1
-- @int[opt=1] y row of the top left corner
-- @tparam[opt] table options `color` ({ 255, 0, 0 }); `bg`: background colour, none if negative ({ -1, -1, -1 }); `size` (1): pixels
-- per dot, a character has 6 x 8 dots; `wrap` (true): long text continues on the next line; `inplace` (false)
-- @treturn torch.Tensor
function drawing.drawText(src, text, x, y, options)
  local where = 'image.drawText'
  options = check.options(where, options, { 'color', 'bg', 'size', 'wrap', 'inplace' })
  text = check.text(where, 'text', text)
  local left, top = whole(where, 'x', x or 1), whole(where, 'y', y or 1)
  local size = check.whole(where, 'size', options.size or 1, { min = 1 })
  local result, planes = canvas(where, src, options.inplace)
  local values, ground = colourOf(where, 'color', options.color, planes), nil
  if options.bg ~= nil then
    ground = colourOf(where, 'bg', options.bg, planes)
    if options.bg[1] < 0 or options.bg[2] < 0 or options.bg[3] < 0 then ground = nil end
  end
  local wraps = check.flag(where, 'wrap', options.wrap) ~= false
  local column, row = left, top
  for character in text:gmatch '.' do
    local tooLong = wraps and column > left and column + font.width * size - 1 - size > planes:size(3)
    if character == '\n' or tooLong then column, row = left, row + font.height * size end
    if row > planes:size(2) then break end
    if character ~= '\n' then
      put(planes, character, column, row, size, values, ground)
      column = column + font.width * size
    end
  end
  return result
end

return drawing
