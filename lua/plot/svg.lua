--- A canvas that writes SVG 1.1. Lengths are in pixels, from the upper left corner.
-- @module plot.svg
local base64 = require 'torch.file.base64'

local svg = {}
svg.__index = svg

--- A canvas.
-- @number width
-- @number height
-- @treturn table
function svg.new(width, height)
  return setmetatable({ width = width, height = height, parts = {}, clips = 0 }, svg)
end

-- XML requires UTF-8: invalid bytes become U+FFFD, as in browsers.
local replacement, continuing = '\239\191\189', '^[\128-\191]'
local function inUtf8(text)
  local pieces, at = {}, 1
  while at <= #text do
    local first = text:byte(at)
    local length = first < 0x80 and 1 or first >= 0xc2 and first < 0xe0 and 2 or first >= 0xe0 and first < 0xf0 and 3
      or first >= 0xf0 and first < 0xf5 and 4 or 0
    local piece, second = text:sub(at, at + length - 1), text:byte(at + 1) or 0
    local isWhole = length > 0 and #piece == length
    for i = 2, length do isWhole = isWhole and piece:find(continuing, i) ~= nil end
    -- Overlong encodings, surrogates, values beyond the last character, and the two characters that XML forbids.
    local isForbidden = first == 0xe0 and second < 0xa0 or first == 0xed and second > 0x9f or first == 0xf0 and second < 0x90
      or first == 0xf4 and second > 0x8f or piece == '\239\191\190' or piece == '\239\191\191'
    if not isWhole or isForbidden then piece, length = replacement, 1 end
    pieces[#pieces + 1] = piece
    at = at + length
  end
  return table.concat(pieces)
end

local function escape(text)
  text = text:gsub('[%z\1-\8\11\12\14-\31]', '')
  if text:find '[\128-\255]' then text = inUtf8(text) end
  return (text:gsub('[&<>"]', { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;', ['"'] = '&quot;' }))
end

-- Two decimals, without trailing zeros.
local function number(x)
  local text = ('%.2f'):format(x):gsub('%.?0+$', '')
  return text == '-0' and '0' or text
end

local function add(self, ...) self.parts[#self.parts + 1] = table.concat { ... } end

local function attributes(style)
  local list = { ' fill="', style.fill or 'none', '"' }
  local function put(name, value) list[#list + 1] = (' %s="%s"'):format(name, value) end
  if style.fill and (style.alpha or 1) < 1 then put('fill-opacity', number(style.alpha)) end
  if style.stroke then
    put('stroke', style.stroke)
    put('stroke-width', number(style.width or 1))
    if (style.alpha or 1) < 1 then put('stroke-opacity', number(style.alpha)) end
    if style.dash then put('stroke-dasharray', style.dash) end
    put('stroke-linejoin', 'round')
  end
  return table.concat(list)
end

--- Lines through points, {x1, y1, x2, y2, ...}.
-- @tparam {number,...} points
-- @tparam table style `fill`, `stroke` ('#rrggbb'), `width`, `dash` (as SVG's), `alpha`, `closed`
function svg:path(points, style)
  if #points < 4 then return end
  local words = { 'M', number(points[1]), ' ', number(points[2]) }
  for i = 3, #points, 2 do
    words[#words + 1] = i == 3 and 'L' or ' '
    words[#words + 1] = number(points[i]) .. ' ' .. number(points[i + 1])
  end
  if style.closed then words[#words + 1] = 'Z' end
  add(self, '<path d="', table.concat(words), '"', attributes(style), '/>')
end

--- Polygons with one style, as one shape.
-- @tparam {{number,...},...} list points of each
-- @tparam table style
function svg:shapes(list, style)
  local words = {}
  for _, points in ipairs(list) do
    for i = 1, #points, 2 do
      words[#words + 1] = (i == 1 and 'M' or i == 3 and 'L' or ' ') .. number(points[i]) .. ' ' .. number(points[i + 1])
    end
    words[#words + 1] = 'Z'
  end
  if #words > 0 then add(self, '<path d="', table.concat(words), '"', attributes(style), '/>') end
end

--- A rectangle.
-- @number x
-- @number y
-- @number width
-- @number height
-- @tparam table style
function svg:rect(x, y, width, height, style)
  add(self, ('<rect x="%s" y="%s" width="%s" height="%s"'):format(number(x), number(y), number(width), number(height)),
    attributes(style), '/>')
end

--- A circle.
-- @number x of its centre
-- @number y
-- @number radius
-- @tparam table style
function svg:circle(x, y, radius, style)
  add(self, ('<circle cx="%s" cy="%s" r="%s"'):format(number(x), number(y), number(radius)), attributes(style), '/>')
end

--- A line of text.
-- @number x
-- @number y of its baseline
-- @string text
-- @tparam table style `size`, `color`, `anchor` ('start', 'middle', 'end'), `rotate` (degrees, clockwise)
function svg:text(x, y, text, style)
  local turn = style.rotate and (' transform="rotate(%s %s %s)"'):format(number(style.rotate), number(x), number(y)) or ''
  add(self, ('<text x="%s" y="%s" font-size="%s" fill="%s" text-anchor="%s"%s>'):format(number(x), number(y), number(style.size),
    style.color or '#000000', style.anchor or 'start', turn), escape(text), '</text>')
end

--- A picture whose pixels are not smoothed.
-- @number x
-- @number y
-- @number width on the canvas
-- @number height
-- @tparam table pixels `width`, `height`, and `rgb`, a string of 3 bytes per pixel
function svg:image(x, y, width, height, pixels)
  local bytes = require 'plot.pixels'(pixels)
  add(self, ('<image x="%s" y="%s" width="%s" height="%s" preserveAspectRatio="none" style="image-rendering:pixelated" '):format(
    number(x), number(y), number(width), number(height)), 'xlink:href="data:image/png;base64,', base64(bytes), '"/>')
end

--- Calls `draw` and clips its drawing to a rectangle.
-- @number x
-- @number y
-- @number width
-- @number height
-- @tparam function draw
function svg:clip(x, y, width, height, draw)
  self.clips = self.clips + 1
  add(self, ('<clipPath id="clip%d"><rect x="%s" y="%s" width="%s" height="%s"/></clipPath><g clip-path="url(#clip%d)">'):format(self.clips,
    number(x), number(y), number(width), number(height), self.clips))
  draw()
  add(self, '</g>')
end

--- The complete file.
-- @treturn string
function svg:finish()
  local head = ('<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" ' ..
    'xmlns:xlink="http://www.w3.org/1999/xlink" width="%s" height="%s" viewBox="0 0 %s %s" ' ..
    'font-family="DejaVu Sans, Verdana, sans-serif">\n'):format(number(self.width), number(self.height), number(self.width),
    number(self.height))
  return head .. table.concat(self.parts, '\n') .. '\n</svg>\n'
end

return svg
