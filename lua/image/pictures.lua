--- Computed test pictures for transforms, with smooth and sharp edges, fine texture, all hues, and text.
-- @module image
local torch = require 'torch'
local image = require 'image'

local pictures = {}

-- Columns and rows of a picture, from 0 to 1, as tensors with its size.
local function places(height, width)
  local x = torch.range(0, width - 1):float():div(width - 1):view(1, width):expand(height, width):clone()
  local y = torch.range(0, height - 1):float():div(height - 1):view(height, 1):expand(height, width):clone()
  return x, y
end

-- Sums of waves with increasing frequency and decreasing amplitude: a rough line or surface.
local function rough(x, y, seed)
  local sum = torch.zeros(x:size()):float()
  for octave = 1, 6 do
    local frequency = 2 ^ octave * 1.7
    local phase = math.sin(seed * 12.9 + octave * 78.2) * 43.7
    local bent = torch.add(x, 0.11 / octave, torch.sin(torch.add(torch.mul(y, frequency * 1.3), phase)))
    sum:add(2 ^ -octave, torch.sin(torch.add(torch.mul(bent, frequency), phase * 1.7)))
  end
  return sum
end

-- Blends colours over a picture by a mask (0 to 1).
local function paint(picture, mask, red, green, blue)
  for c, value in ipairs { red, green, blue } do
    local x = picture[c]
    x:add(torch.cmul(mask, torch.isTensor(value) and torch.csub(value, x) or torch.neg(x):add(value)))
  end
end

-- 1 where x is positive, 0 where it is negative, with a smooth edge.
local function inside(x, sharpness) return torch.clamp(torch.mul(x, sharpness):add(0.5), 0, 1) end

local function noise(height, width)
  local generator = torch.Generator 'philox'
  torch.manualSeed(generator, 1)
  return torch.FloatTensor(height, width):uniform(generator, -1, 1)
end

local function ball(picture, x, y, cx, cy, radius, red, green, blue)
  local dx, dy = torch.add(x, -cx):div(radius), torch.add(y, -cy):div(radius)
  local height = torch.cmul(dx, dx):add(torch.cmul(dy, dy)):mul(-1):add(1)
  local light = torch.sqrt(torch.clamp(height, 0, 1)):mul(0.6):add(-0.3, dx):add(-0.35, dy):add(0.25):clamp(0.05, 1)
  local spot = torch.pow(light, 12)
  local function shaded(colour) return torch.mul(light, colour):add(0.6, spot):clamp(0, 1) end
  paint(picture, inside(height, 40 * radius / 0.1), shaded(red), shaded(green), shaded(blue))
end

local function landscape(side)
  local x, y = places(side, side)
  local picture = torch.FloatTensor(3, side, side)
  for c, ends in ipairs { { 0.25, 0.95 }, { 0.45, 0.75 }, { 0.85, 0.6 } } do
    picture[c]:copy(torch.mul(y, (ends[2] - ends[1]) / 0.6):add(ends[1]):clamp(0, 1))
  end
  local clouds = inside(rough(torch.mul(x, 1.2), torch.mul(y, 3), 4), 1.2)
  paint(picture, clouds:cmul(inside(torch.mul(y, -1):add(0.4), 6)):mul(0.7), 1, 1, 1)
  local sunX, sunY = torch.add(x, -0.72), torch.add(y, -0.22)
  local fromSun = torch.sqrt(torch.cmul(sunX, sunX):add(torch.cmul(sunY, sunY)))
  paint(picture, torch.exp(torch.mul(fromSun, -9)):mul(0.8), 1, 0.95, 0.6)
  paint(picture, inside(torch.neg(fromSun):add(0.06), 200), 1, 0.98, 0.8)
  local grain = noise(side, side)
  for i, hill in ipairs { { 0.52, 0.13, 0.45, 0.4, 0.6 }, { 0.62, 0.09, 0.25, 0.35, 0.4 }, { 0.74, 0.05, 0.16, 0.42, 0.14 } } do
    local line = rough(x:narrow(1, 1, 1), torch.zeros(1, side):float(), i):mul(-hill[2]):add(hill[1]):expand(side, side)
    local below = torch.csub(y, line)
    local shade = torch.mul(below, 1.2):add(0.08 * i, grain):add(0.8)
    paint(picture, inside(below, 300), torch.mul(shade, hill[3]), torch.mul(shade, hill[4]), torch.mul(shade, hill[5]))
  end
  ball(picture, x, y, 0.2, 0.36, 0.11, 0.9, 0.15, 0.12)
  ball(picture, x, y, 0.43, 0.2, 0.06, 0.95, 0.7, 0.1)
  ball(picture, x, y, 0.87, 0.5, 0.05, 0.2, 0.3, 0.9)
  local hue = torch.mul(x, 1)
  local strip = image.hsv2rgb(torch.stack({ hue, torch.ones(side, side):float(), torch.ones(side, side):float() }, 1))
  paint(picture, inside(torch.add(y, -0.955), 1000), strip[1], strip[2], strip[3])
  return picture:clamp(0, 1)
end

local function inDefaultType(x) return x:type(torch.getdefaulttensortype()) end

--- A landscape with balloons, a strip of all hues and a line of text. (Torch7 had photographs; this one is computed.)
-- @treturn torch.Tensor 3 x 512 x 512, of the default type, from 0 to 1
function pictures.lena()
  local picture = landscape(512)
  return inDefaultType(image.drawText(picture, 'moontorch', 20, 455, { size = 3, color = { 255, 255, 255 }, inplace = true }))
end

--- Rings, increasingly fine outwards, with a ball and a chequerboard in front of them.
-- @treturn torch.Tensor 257 x 271, of the default type, from 0 to 1
function pictures.fabio()
  local height, width = 257, 271
  local x, y = places(height, width)
  local dx, dy = torch.add(x, -0.5):mul(width), torch.add(y, -0.5):mul(height)
  local squared = torch.cmul(dx, dx):add(torch.cmul(dy, dy))
  local grey = torch.cos(torch.mul(squared, math.pi / 2 / width)):mul(0.5):add(0.5)
  local picture = torch.stack({ grey, grey, grey }, 1)
  ball(picture, x, y, 0.3, 0.35, 0.16, 0.8, 0.8, 0.8)
  local board = torch.remainder(torch.floor(torch.mul(x, 32)):add(torch.floor(torch.mul(y, 32))), 2)
  paint(picture, torch.cmul(inside(torch.add(x, -0.7), 1e4), inside(torch.add(y, -0.7), 1e4)), board, board, board)
  return inDefaultType(picture[1]:clone())
end

return pictures
